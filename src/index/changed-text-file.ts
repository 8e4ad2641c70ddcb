import { crc32 } from 'node:zlib'
import { type CommitSha, isCommitSha } from '../core/revision.ts'
import { TextFilter } from '../lib/compact/text-filter.ts'
import {
  RecordFile,
  recordsIn,
  type FileRecord,
  type RecordFormat,
  type RecordHead,
  type FiledPlace,
} from '../storage/record-file.ts'
import type { ChangedText } from './changed-text.ts'

/** What a revision changed in the text of the one before it. */
export interface TextRecord {
  readonly commit: CommitSha
  /** The revision before; null for the first. */
  readonly previous: CommitSha | null
  readonly places: readonly ChangedText[]
}

type PlaceLengths = readonly [before: number, after: number]
type HeadTuple = readonly [CommitSha, CommitSha | null, readonly PlaceLengths[], number]

interface Head extends RecordHead {
  readonly commit: CommitSha
  readonly previous: CommitSha | null
  readonly lengths: readonly PlaceLengths[]
}

const FORMAT: RecordFormat<Head> = {
  name: 'cairn changed text 2',
  renderHead: ({ commit, previous, lengths, checksum }) =>
    JSON.stringify([commit, previous, lengths, checksum] satisfies HeadTuple),
  parseHead,
}

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
  readonly #file: RecordFile<Head>
  #groups: Group[] = []

  constructor(path: string) {
    this.#file = new RecordFile(path, FORMAT)
  }

  /** As {@link RecordFile.load}. */
  async *load(): AsyncGenerator<TextRecord, void> {
    this.#groups = []
    for await (const { record, place } of this.#file.load()) {
      const text = textRecordOf(record)
      this.#note(text, place)
      yield text
    }
  }

  /**
   * The bytes of all records that were loaded or added, a group after the other. Groups whose texts
   * are not wanted are not read, unless the file has lost them.
   */
  async *groups(isWanted: (texts: TextFilter) => boolean): AsyncGenerator<ReadGroup, void> {
    const groups = [...this.#groups]
    const file = groups.length === 0 ? null : await this.#file.open()
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
    const places = await this.#file.append(records.map(fileRecordOf))
    for (const [n, place] of places.entries()) {
      const record = records[n]
      if (record) this.#note(record, place)
    }
  }

  #note({ places }: TextRecord, { start, end }: FiledPlace): void {
    let group = this.#groups.at(-1)
    if (group === undefined || group.end - group.start >= GROUP) {
      group = { start, end, records: 0, texts: new TextFilter() }
      this.#groups.push(group)
    }
    group.end = end
    group.records += 1
    for (const { before, after } of places) {
      group.texts.add(before)
      group.texts.add(after)
    }
  }
}

/** The records in such bytes, up to the first damaged one. */
export function* textRecordsIn(bytes: Buffer): Generator<TextRecord, void> {
  for (const record of recordsIn(bytes, FORMAT)) yield textRecordOf(record)
}

function fileRecordOf({ commit, previous, places }: TextRecord): FileRecord<Head> {
  const bytes = Buffer.concat(places.flatMap(({ before, after }) => [before, after]))
  const lengths = places.map(({ before, after }) => [before.length, after.length] as const)
  const checksum = crc32(bytes)
  return { head: { commit, previous, lengths, length: bytes.length, checksum }, bytes }
}

function textRecordOf({ head, bytes }: FileRecord<Head>): TextRecord {
  const { commit, previous, lengths } = head
  let at = 0
  const next = (taken: number) => bytes.subarray(at, (at += taken))
  return {
    commit,
    previous,
    places: lengths.map(([before, after]) => ({ before: next(before), after: next(after) })),
  }
}

function parseHead(line: string): Head | null {
  const value: unknown = JSON.parse(line)
  if (!isHeadTuple(value)) return null
  const [commit, previous, lengths, checksum] = value
  const length = lengths.reduce((sum, [before, after]) => sum + before + after, 0)
  return { commit, previous, lengths, length, checksum }
}

/** Checked by hand: zod takes longer than all the rest of reading a record. */
function isHeadTuple(value: unknown): value is HeadTuple {
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
