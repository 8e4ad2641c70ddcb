import { Errors, readObject } from 'isomorphic-git'
import { z } from 'zod'
import type { GitStore } from './git-store.ts'
import type { RawObject, RawObjectReader } from './raw-object.ts'

const ContentObject = z.object({
  format: z.literal('content'),
  type: z.enum(['blob', 'tree', 'commit', 'tag']),
  object: z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array),
})

/**
 * Reads objects with isomorphic-git. While a foreign `git gc` replaces packs a read may fail for
 * want of a pack, or of a loose object, that has just gone; the object is in the new pack, so
 * it tries once more.
 */
export class IsomorphicObjects implements RawObjectReader {
  readonly #store: GitStore
  #cache: object = {}

  constructor(store: GitStore) {
    this.#store = store
  }

  async findObject(oid: string): Promise<RawObject | null> {
    const cache = this.#cache
    try {
      return await this.#read(oid, cache)
    } catch (error) {
      if (isPackGone(error) && this.#cache === cache) this.#cache = {}
      else if (!isPackGone(error) && !(error instanceof Errors.NotFoundError)) throw error
      return orNull(this.#read(oid, this.#cache))
    }
  }

  async #read(oid: string, cache: object): Promise<RawObject> {
    const { fs, gitDir } = this.#store
    const found = await readObject({
      fs: { promises: fs },
      gitdir: gitDir,
      oid,
      cache,
      format: 'content',
    })
    const { type, object } = ContentObject.parse(found)
    return { type, content: object }
  }
}

async function orNull(pending: Promise<RawObject>): Promise<RawObject | null> {
  try {
    return await pending
  } catch (error) {
    if (error instanceof Errors.NotFoundError) return null
    throw error
  }
}

function isPackGone(error: unknown): boolean {
  if (error instanceof TypeError) return true
  return error instanceof Errors.InternalError && /packfile/i.test(error.message)
}
