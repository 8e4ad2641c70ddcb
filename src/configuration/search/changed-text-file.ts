import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { isObjectName } from '../../core/object-name.ts'
import type { CommitSha } from '../../core/revision.ts'
import { checkedLines, renderCheckedLine } from '../../lib/checked-lines.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { PartReader } from '../../storage/part-reader.ts'
import type { ChangedText } from './changed-text.ts'

/** Raise this when what is recorded of a revision changes. */
const FORMAT = 'cairn changed text 1'

/** What a revision changed in the text of the one before it. */
export interface TextRecord {
  readonly commit: CommitSha
  /** The revision before; null for the first. */
  readonly previous: CommitSha | null
  readonly places: readonly ChangedText[]
}

/** The line before the texts of a record: their lengths in bytes, before and after, and their checksum. */
type Head = readonly [
  CommitSha,
  CommitSha | null,
  readonly (readonly [before: number, after: number])[],
  number,
]

/**
 * The changed text of revisions, one record after the other, in any order. Records are true for ever,
 * because they name both commits; nothing waits for them to be durable, and lost ones are made again.
 */
export class ChangedTextFile {
  readonly #path: string
  /** The end of the last good record; 0 while the file has no good first line. */
  #end = 0

  constructor(path: string) {
    this.#path = path
  }

  /** Reads what the file has before it is written to; what is damaged makes room for new records. */
  async *load(): AsyncGenerator<TextRecord, void> {
    this.#end = 0
    yield* this.#read((end) => {
      this.#end = end
    })
  }

  /**
   * Yields the good records in their order, one after the other from disk, so that memory holds one
   * part of the file. Their texts are valid until the next one.
   */
  records(): AsyncGenerator<TextRecord, void> {
    return this.#read(() => undefined)
  }

  /** Adds records behind the last good one. */
  async append(records: readonly TextRecord[]): Promise<void> {
    const bytes = records.flatMap(renderRecord)
    if (this.#end === 0) bytes.unshift(Buffer.from(renderCheckedLine(FORMAT)))
    const whole = Buffer.concat(bytes)
    await mkdir(dirname(this.#path), { recursive: true })
    const file = await open(this.#path, this.#end === 0 ? 'w' : 'r+')
    try {
      await file.truncate(this.#end)
      await file.write(whole, 0, whole.length, this.#end)
    } finally {
      await file.close()
    }
    this.#end += whole.length
  }

  /** Calls back with the end of the first line, and of each record. */
  async *#read(isGoodTo: (end: number) => void): AsyncGenerator<TextRecord, void> {
    const file = await orNullWhenAbsent(open(this.#path, 'r'))
    if (file === null) return
    await using reader = new PartReader(file)
    const format = await reader.line()
    if (format?.toString() !== renderCheckedLine(FORMAT)) return
    isGoodTo(reader.offset)
    for (let head = await reader.line(); head !== null; head = await reader.line()) {
      const record = await readRecord(reader, head)
      if (record === null) return
      isGoodTo(reader.offset)
      yield record
    }
  }
}

function renderRecord({ commit, previous, places }: TextRecord): Uint8Array[] {
  const texts = places.flatMap(({ before, after }) => [before, after])
  const head = [
    commit,
    previous,
    places.map(({ before, after }) => [before.length, after.length]),
    texts.reduce((sum, text) => crc32(text, sum), 0),
  ] satisfies Head
  return [Buffer.from(renderCheckedLine(JSON.stringify(head))), ...texts]
}

async function readRecord(reader: PartReader, line: Buffer): Promise<TextRecord | null> {
  const [checked] = checkedLines(line)
  if (checked === undefined) return null
  const head: unknown = JSON.parse(checked.body.toString())
  if (!isHead(head)) return null
  const [commit, previous, lengths, checksum] = head
  const length = lengths.reduce((sum, [before, after]) => sum + before + after, 0)
  const bytes = await reader.take(length)
  if (bytes === null || crc32(bytes) !== checksum) return null
  let at = 0
  const next = (taken: number) => bytes.subarray(at, (at += taken))
  return {
    commit,
    previous,
    places: lengths.map(([before, after]) => ({ before: next(before), after: next(after) })),
  }
}

/** Checked by hand: zod takes longer than all the rest of reading a record. */
function isHead(value: unknown): value is Head {
  if (!Array.isArray(value) || value.length !== 4) return false
  const [commit, previous, lengths, checksum] = value
  return (
    isCommit(commit) &&
    (previous === null || isCommit(previous)) &&
    Array.isArray(lengths) &&
    lengths.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isCount)) &&
    isCount(checksum)
  )
}

function isCommit(value: unknown): value is CommitSha {
  return typeof value === 'string' && isObjectName(value)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
