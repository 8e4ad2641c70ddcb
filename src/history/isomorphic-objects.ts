import { Errors, readObject } from 'isomorphic-git'
import { z } from 'zod'
import type { FsPromises } from '../storage/fs-promises.ts'
import { damagedObject } from './damage.ts'
import type { GitStore } from './git-store.ts'
import type { RawObject, RawObjectReader } from './raw-object.ts'

const ContentObject = z.object({
  format: z.literal('content'),
  type: z.enum(['blob', 'tree', 'commit', 'tag']),
  object: z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array),
})

const ATTEMPTS = 5

/**
 * Reads objects with isomorphic-git. While a foreign `git gc` replaces packs a read may fail for
 * want of a pack, or of a loose object, that has just gone; the object is in a new pack, so
 * it tries again.
 */
export class IsomorphicObjects implements RawObjectReader {
  readonly #fs: { readonly promises: FsPromises }
  readonly #gitDir: string
  #cache: object = {}

  constructor({ fs, gitDir }: GitStore) {
    this.#fs = { promises: withoutDrafts(fs) }
    this.#gitDir = gitDir
  }

  async findObject(oid: string): Promise<RawObject | null> {
    for (let attempt = 1; ; attempt++) {
      const cache = this.#cache
      try {
        return await this.#read(oid, cache)
      } catch (error) {
        if (error instanceof Errors.NotFoundError && attempt > 1) return null
        if (attempt === ATTEMPTS || !mayHaveMoved(error))
          throw isOfSystem(error) ? error : damagedObject(oid, error)
        if (isPackGone(error) && this.#cache === cache) this.#cache = {}
      }
    }
  }

  /** Forgets the packs that it has read; what is under way keeps them. */
  renew(): void {
    this.#cache = {}
  }

  async #read(oid: string, cache: object): Promise<RawObject> {
    const asked = { fs: this.#fs, gitdir: this.#gitDir, oid, cache, format: 'content' } as const
    const { type, object } = ContentObject.parse(await readObject(asked))
    return { type, content: object }
  }
}

/** What isomorphic-git throws besides is about the bytes of the object. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

function mayHaveMoved(error: unknown): boolean {
  return error instanceof Errors.NotFoundError || isPackGone(error)
}

function isPackGone(error: unknown): boolean {
  if (error instanceof TypeError) return true
  return error instanceof Errors.InternalError && /packfile/i.test(error.message)
}

/** isomorphic-git takes the packs that git has not finished for packs. Their names begin with a dot. */
function withoutDrafts(fs: FsPromises): FsPromises {
  return Object.assign(Object.create(fs), {
    async readdir(folder: string) {
      const names = await fs.readdir(folder)
      return names.filter((name) => !name.startsWith('.'))
    },
  })
}
