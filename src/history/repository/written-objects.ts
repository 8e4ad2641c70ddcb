import type { NamedObject, RawObject, RawObjectReader } from '../../git/raw-object.ts'

/** Reads objects; the commit and the trees that were written last need not be read again. */
export class WrittenObjects implements RawObjectReader {
  readonly #reader: RawObjectReader
  #last: ReadonlyMap<string, RawObject> = new Map()

  constructor(reader: RawObjectReader) {
    this.#reader = reader
  }

  /** Files are not kept: the next commit replaces them unread. */
  remember(objects: readonly NamedObject[]): void {
    const kept = objects.filter(({ type }) => type !== 'blob')
    this.#last = new Map(kept.map((object) => [object.oid, object]))
  }

  async findObject(oid: string): Promise<RawObject | null> {
    return this.#last.get(oid) ?? this.#reader.findObject(oid)
  }
}
