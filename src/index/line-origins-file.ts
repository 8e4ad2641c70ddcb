import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import { z } from 'zod'
import { CommitSha } from '../core/revision.ts'
import type { LineOrigins } from '../diff/line-origins.ts'
import {
  RecordFile,
  recordsIn,
  type RecordFormat,
  type RecordHead,
  type FiledPlace,
} from '../storage/record-file.ts'

/** A revision by its number in the history, and where the part of the history begins in which its lines were traced. */
export interface TracedRevision {
  readonly commit: CommitSha
  readonly number: number
  readonly beginning: number
}

interface Head extends TracedRevision, RecordHead {}

const COUNT = z.int().nonnegative()
const HEAD = z.tuple([CommitSha, COUNT, COUNT, COUNT, COUNT])

const FORMAT: RecordFormat<Head> = {
  name: 'cairn line origins 1',
  renderHead: ({ commit, number, beginning, length, checksum }) =>
    JSON.stringify([commit, number, beginning, length, checksum] satisfies z.input<typeof HEAD>),
  parseHead: (line) => {
    const { data } = HEAD.safeParse(JSON.parse(line))
    if (data === undefined) return null
    const [commit, number, beginning, length, checksum] = data
    return { commit, number, beginning, length, checksum }
  },
}

interface Filed {
  readonly traced: TracedRevision
  readonly place: FiledPlace
}

/** The origins of the lines of some revisions. What is known of a revision number replaces what was known before. */
export class LineOriginsFile {
  readonly #file: RecordFile<Head>
  readonly #filed = new Map<number, Filed>()

  constructor(path: string) {
    this.#file = new RecordFile(path, FORMAT)
  }

  /** Finds out what the file has, before anything else. */
  async load(): Promise<void> {
    this.#filed.clear()
    for await (const { record, place } of this.#file.load()) this.#note(record.head, place)
  }

  /** The revision with a number, as it was when its lines were traced. */
  find(number: number): TracedRevision | null {
    return this.#filed.get(number)?.traced ?? null
  }

  /** Null for what the file has lost. */
  async read({ number }: TracedRevision): Promise<LineOrigins | null> {
    const filed = this.#filed.get(number)
    const file = filed === undefined ? null : await this.#file.open()
    if (!filed || !file) return null
    const { start, end } = filed.place
    const bytes = Buffer.alloc(end - start)
    try {
      await file.read(bytes, 0, bytes.length, start)
    } finally {
      await file.close()
    }
    for (const record of recordsIn(bytes, FORMAT)) return unpackOrigins(record.bytes)
    this.#filed.delete(number)
    return null
  }

  async add({ commit, number, beginning }: TracedRevision, origins: LineOrigins): Promise<void> {
    const bytes = packOrigins(origins)
    const head = { commit, number, beginning, length: bytes.length, checksum: crc32(bytes) }
    for (const place of await this.#file.append([{ head, bytes }])) this.#note(head, place)
  }

  #note({ commit, number, beginning }: TracedRevision, place: FiledPlace): void {
    this.#filed.set(number, { traced: { commit, number, beginning }, place })
  }
}

/** Consecutive lines mostly have one origin: pairs of an origin and how many lines have it. */
function packOrigins(origins: LineOrigins): Buffer {
  const pairs: number[] = []
  let start = 0
  for (let line = 1; line <= origins.length; line += 1) {
    if (origins[line] === origins[start]) continue
    pairs.push(origins[start] ?? 0, line - start)
    start = line
  }
  return deflateRawSync(new Int32Array(pairs))
}

function unpackOrigins(bytes: Buffer): LineOrigins {
  const pairs = new Int32Array(Uint8Array.from(inflateRawSync(bytes)).buffer)
  const counts = pairs.filter((_, n) => n % 2 === 1)
  const origins = new Int32Array(counts.reduce((sum, count) => sum + count, 0))
  let line = 0
  for (const [n, count] of counts.entries()) {
    origins.fill(pairs[n * 2] ?? 0, line, line + count)
    line += count
  }
  return origins
}
