import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { type CommitSha, isCommitSha } from '../../core/revision.ts'
import { TextFilter } from '../../lib/compact/text-filter.ts'
import { checkedLines, renderCheckedLine } from '../../lib/checked-lines.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { PartReader } from '../../storage/part-reader.ts'
import type { ChangedText } from './changed-text.ts'

/** Raise this when what is recorded of a revision changes. */
const FORMAT = 'cairn changed text 1'
const LINE_FEED = 10

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

/** Records that follow each other in the file and are read at once. */
interface Group {
  readonly start: number
  end: number
  records: number
  /** What the texts of the records may have. */
  readonly texts: TextFilter
}

/** The bytes of a group. They are damaged where they do not have as many records. */
export interface ReadGroup {
  readonly bytes: Buffer
  readonly records: number
  /** Whether the file has no longer all of them. */
  readonly isCut: boolean
}

/** Bytes after which the next group begins. */
const GROUP = 65_536

/**
 * The changed text of revisions, one record after the other, in any order. Records are true for ever,
 * because they name both commits; nothing waits for them to be durable, and lost ones are made again.
 */
export class ChangedTextFile {
  readonly #path: string
  /** The end of the last good record; 0 while the file has no good first line. */
  #end = 0
  #groups: Group[] = []

  constructor(path: string) {
    this.#path = path
  }

  /**
   * Reads what the file has before it is written to; what is damaged makes room for new records.
   * Yields them in their order, one part of the file after the other; their texts are valid until the
   * next one.
   */
  async *load(): AsyncGenerator<TextRecord, void> {
    this.#end = 0
    this.#groups = []
    const file = await orNullWhenAbsent(open(this.#path, 'r'))
    if (file === null) return
    await using reader = new PartReader(file)
    const format = await reader.line()
    if (format?.toString() !== renderCheckedLine(FORMAT)) return
    this.#end = reader.offset
    for (let line = await reader.line(); line !== null; line = await reader.line()) {
      const head = headIn(line)
      const bytes = head && (await reader.take(lengthOf(head)))
      const record = head && bytes && recordOf(head, bytes)
      if (!record) return
      this.#note(reader.offset, record)
      yield record
    }
  }

  /**
   * The bytes of all records that were loaded or added, a group after the other. Groups whose texts
   * are not wanted are not read, unless the file has lost them.
   */
  async *groups(isWanted: (texts: TextFilter) => boolean): AsyncGenerator<ReadGroup, void> {
    const groups = [...this.#groups]
    const file = groups.length === 0 ? null : await orNullWhenAbsent(open(this.#path, 'r'))
    try {
      const size = (await file?.stat())?.size ?? 0
      for (const { start, end, records, texts } of groups) {
        if (end <= size && !isWanted(texts)) continue
        const bytes = Buffer.allocUnsafe(end - start)
        const read = (await file?.read(bytes, 0, bytes.length, start))?.bytesRead ?? 0
        yield { bytes: bytes.subarray(0, read), records, isCut: read < bytes.length }
      }
    } finally {
      await file?.close()
    }
  }

  /** Adds records behind the last good one. */
  async append(records: readonly TextRecord[]): Promise<void> {
    const format = this.#end === 0 ? [Buffer.from(renderCheckedLine(FORMAT))] : []
    const rendered = records.map((record) => ({ record, bytes: renderRecord(record) }))
    const whole = Buffer.concat([...format, ...rendered.map(({ bytes }) => bytes)])
    await mkdir(dirname(this.#path), { recursive: true })
    const file = await open(this.#path, this.#end === 0 ? 'w' : 'r+')
    try {
      await file.truncate(this.#end)
      await file.write(whole, 0, whole.length, this.#end)
    } finally {
      await file.close()
    }
    this.#end += format[0]?.length ?? 0
    for (const { record, bytes } of rendered) this.#note(this.#end + bytes.length, record)
  }

  /** Notes the record behind the last one, and where it ends. */
  #note(end: number, { places }: TextRecord): void {
    let group = this.#groups.at(-1)
    if (group === undefined || group.end - group.start >= GROUP) {
      group = { start: this.#end, end, records: 0, texts: new TextFilter() }
      this.#groups.push(group)
    }
    group.end = end
    group.records += 1
    for (const { before, after } of places) {
      group.texts.add(before)
      group.texts.add(after)
    }
    this.#end = end
  }
}

/** The records in such bytes, up to the first damaged one. */
export function* recordsIn(bytes: Buffer): Generator<TextRecord, void> {
  let at = 0
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, at)) {
    const head = headIn(bytes.subarray(at, end + 1))
    if (head === null) return
    at = end + 1 + lengthOf(head)
    const record = recordOf(head, bytes.subarray(end + 1, at))
    if (record === null) return
    yield record
  }
}

function renderRecord({ commit, previous, places }: TextRecord): Buffer {
  const texts = places.flatMap(({ before, after }) => [before, after])
  const head = [
    commit,
    previous,
    places.map(({ before, after }) => [before.length, after.length]),
    texts.reduce((sum, text) => crc32(text, sum), 0),
  ] satisfies Head
  return Buffer.concat([Buffer.from(renderCheckedLine(JSON.stringify(head))), ...texts])
}

function headIn(line: Buffer): Head | null {
  const [checked] = checkedLines(line)
  if (checked === undefined) return null
  const head: unknown = JSON.parse(checked.body.toString())
  return isHead(head) ? head : null
}

/** How many bytes its texts have. */
function lengthOf([, , lengths]: Head): number {
  return lengths.reduce((sum, [before, after]) => sum + before + after, 0)
}

/** Null for damaged texts. */
function recordOf([commit, previous, lengths, checksum]: Head, texts: Buffer): TextRecord | null {
  if (crc32(texts) !== checksum) return null
  let at = 0
  const next = (taken: number) => texts.subarray(at, (at += taken))
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
    isCommitSha(commit) &&
    (previous === null || isCommitSha(previous)) &&
    Array.isArray(lengths) &&
    lengths.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isCount)) &&
    isCount(checksum)
  )
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
