import { constants, deflateSync } from 'node:zlib'
import { applyDelta } from './delta.ts'
import { DELTA_DEPTH } from '../empty-repository.ts'
import { type PackEntry, readPack } from './pack-entries.ts'
import { deltaEntry, renderPack, wholeEntry } from './render-pack.ts'
import { objectName, type RawObject, type RawObjectReader } from '../objects/raw-object.ts'

interface Member {
  readonly object: RawObject
  /** The length of the chain of deltas to the object. */
  readonly depth: number
  /** As in a pack of which every delta names its base. */
  readonly bytes: Uint8Array
}

/**
 * One pack of the objects of several. Git adds one pack by one process, and refuses a pack in which
 * an object that others are deltas of is there twice; here each is there once.
 */
export class PackUnion {
  readonly #repository: RawObjectReader
  readonly #members = new Map<string, Member>()
  #size = 0

  /** Deltas may begin from objects of the repository. */
  constructor(repository: RawObjectReader) {
    this.#repository = repository
  }

  /** The total size of the objects in memory, in bytes. */
  get size(): number {
    return this.#size
  }

  get isEmpty(): boolean {
    return this.#members.size === 0
  }

  /**
   * Adds the objects of a pack.
   *
   * @throws {RangeError} when the pack is damaged, or too large for memory; then nothing is added.
   */
  async add(pack: Uint8Array): Promise<void> {
    const added = new Map<string, Member>()
    const names = new Map<number, string>()
    for (const entry of readPack(pack, this.#repository.format)) {
      const member = await this.#read(entry, { added, names })
      const name = objectName(member.object, this.#repository.format)
      names.set(entry.offset, name)
      if (!this.#members.has(name) && !added.has(name)) added.set(name, member)
    }
    for (const [name, member] of added) {
      this.#members.set(name, member)
      this.#size += member.object.content.length
    }
  }

  /** The pack, which has the bases of all its deltas. */
  toPack(): Uint8Array {
    const entries = [...this.#members.values()].map(({ bytes }) => bytes)
    return renderPack(entries, this.#repository.format)
  }

  async #read(
    { kind, content, compressed }: PackEntry,
    known: { readonly added: Map<string, Member>; readonly names: ReadonlyMap<number, string> },
  ): Promise<Member> {
    if ('type' in kind) {
      const bytes = wholeEntry(kind.type, content.length, compressed)
      return { object: { type: kind.type, content }, depth: 0, bytes }
    }
    const name = typeof kind.base === 'string' ? kind.base : known.names.get(kind.base)
    if (name === undefined) throw new RangeError('A delta of a pack begins nowhere in it')
    const base = await this.#findBase(name, known.added)
    const object = { type: base.object.type, content: applyDelta(base.object.content, content) }
    const depth = base.depth + 1
    if (depth > DELTA_DEPTH) return wholeMember(object)
    return { object, depth, bytes: deltaEntry(name, content.length, compressed) }
  }

  /** One of the repository is added too, since git would add it where a later pack may have it again. */
  async #findBase(name: string, added: Map<string, Member>): Promise<Member> {
    const known = added.get(name) ?? this.#members.get(name)
    if (known !== undefined) return known
    const object = await this.#repository.findObject(name)
    if (object === null) throw new RangeError(`A pack builds on object ${name}, which is not there`)
    const member = wholeMember(object)
    added.set(name, member)
    return member
  }
}

function wholeMember(object: RawObject): Member {
  const { type, content } = object
  const compressed = deflateSync(content, { level: constants.Z_BEST_SPEED })
  return { object, depth: 0, bytes: wholeEntry(type, content.length, compressed) }
}
