import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { Digest } from '../core/digest.ts'
import { CommitSha } from '../core/revision.ts'
import { replaceFile } from '../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import type { FsPromises } from '../storage/fs-promises.ts'
import type { IndexEntry } from './revision-index.ts'

const FORMAT = 'cairn revisions 1'
const LINE_FEED = 10
const CHECKSUM_LENGTH = 8

/** What the entries were derived by: under any other of these they could differ. */
export interface IndexOrigin {
  readonly fileName: string
  readonly serverEdition: string
  readonly serverVersion: string
}

const Row = z.tuple([
  CommitSha,
  z.boolean(),
  z
    .tuple([Digest, z.string(), z.number(), z.number(), z.string(), z.string(), z.string()])
    .nullable(),
])

/**
 * The index as kept on disk: a line a commit, oldest first, each with its own checksum.
 *
 * Nothing waits for it to be durable. Whatever a crash leaves, the lines before the first damaged
 * one are true, because a commit never changes; what is missing is read from git again.
 */
export class IndexFile {
  readonly #fs: FsPromises
  readonly #path: string
  readonly #header: string
  #isWhole = false
  #isDamaged = false

  constructor(
    { fs, path }: { fs: FsPromises; path: string },
    { fileName, serverEdition, serverVersion }: IndexOrigin,
  ) {
    this.#fs = fs
    this.#path = path
    this.#header = JSON.stringify([FORMAT, fileName, serverEdition, serverVersion])
  }

  /** The entries up to the first damaged one; none when the file is absent or of another origin. */
  async load(): Promise<IndexEntry[]> {
    const bytes = Buffer.from((await orNullWhenAbsent(this.#fs.readFile(this.#path))) ?? [])
    const entries: IndexEntry[] = []
    let end = 0
    for (const line of intactLines(bytes)) {
      if (end === 0 && line.text !== this.#header) break
      if (end > 0) entries.push(parseEntry(line.text))
      end = line.end
    }
    this.#isWhole = end > 0 && end === bytes.length
    this.#isDamaged = !this.#isWhole && (end > 0 || !bytes.includes(LINE_FEED)) && bytes.length > 0
    return entries
  }

  /** Whether what was loaded last is followed by something that is no entry. */
  get isDamaged(): boolean {
    return this.#isDamaged
  }

  /** Makes the file speak of `all`, whose last `added` entries it does not hold yet. */
  async write({ all, added }: { all: readonly IndexEntry[]; added: number }): Promise<void> {
    const mayAppend = this.#isWhole
    this.#isWhole = false
    if (mayAppend) await this.#append(renderLines(all.slice(all.length - added)))
    else await this.#replace(renderLine(this.#header) + renderLines(all))
    this.#isWhole = true
  }

  /** Makes the next write replace the file, because some of what it holds is no longer so. */
  distrust(): void {
    this.#isWhole = false
  }

  async #append(lines: string): Promise<void> {
    const handle = await this.#fs.open(this.#path, 'a')
    try {
      await handle.writeFile(lines)
    } finally {
      await handle.close()
    }
  }

  async #replace(lines: string): Promise<void> {
    await this.#fs.mkdir(dirname(this.#path), { recursive: true })
    await replaceFile(this.#path, lines, { fs: this.#fs })
  }
}

interface Line {
  readonly text: string
  /** The offset after its line feed. */
  readonly end: number
}

function* intactLines(bytes: Buffer): Generator<Line> {
  let start = 0
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
    const body = bytes.subarray(start + CHECKSUM_LENGTH + 1, end)
    if (bytes.toString('latin1', start, start + CHECKSUM_LENGTH) !== checksumOf(body)) return
    start = end + 1
    yield { text: body.toString('utf8'), end: start }
  }
}

function checksumOf(text: Uint8Array | string): string {
  return crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0')
}

function renderLine(text: string): string {
  return `${checksumOf(text)} ${text}\n`
}

function renderLines(entries: readonly IndexEntry[]): string {
  return entries.map((entry) => renderLine(JSON.stringify(renderEntry(entry)))).join('')
}

function renderEntry({ commit, isCut, revision }: IndexEntry): z.input<typeof Row> {
  if (revision === null) return [commit, isCut, null]
  const { digest, username, time, schemaVersion, serverEdition, serverVersion, subject } = revision
  return [
    commit,
    isCut,
    [digest, username, time, schemaVersion, serverEdition, serverVersion, subject],
  ]
}

function parseEntry(text: string): IndexEntry {
  const [commit, isCut, facts] = Row.parse(JSON.parse(text))
  if (facts === null) return { commit, isCut, revision: null }
  const [digest, username, time, schemaVersion, serverEdition, serverVersion, subject] = facts
  const revision = { digest, commit, username, time, schemaVersion, serverEdition, serverVersion }
  return { commit, isCut, revision: { ...revision, subject } }
}
