import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type CommitSha, isCommitSha } from '../../core/revision.ts'
import { identifyProgram } from '../../lib/built-file.ts'
import { draftName } from '../../storage/file-draft.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import type { FsPromises } from '../../storage/fs-promises.ts'
import type { Archived } from '../record/archive-record.ts'
import { IndexLine } from './index-line.ts'
import type { RevisionIndex, IndexSegment } from './revision-index.ts'

const FORMAT = 'cairn revisions 10'
const LINE_FEED = 10
/** The first key of a line, as in every form so far: a commit, a sign, and a digest or dashes. */
const FIRST_KEY = /^([0-9a-f]+)[-+*~][0-9a-f-]{32}/

/** The inputs of the entries beside git: with other values they could differ. */
export interface IndexOrigin {
  readonly fileName: string
  readonly serverEdition: string
  readonly serverVersion: string
  /** The archived part of the history: the entries begin after it. */
  readonly archived?: Archived | null
}

/**
 * The index on disk: lines of commits, oldest first, each line with its own checksum.
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
  #formerTip: CommitSha | null = null

  constructor(
    { fs, path }: { fs: FsPromises; path: string },
    { fileName, serverEdition, serverVersion, archived }: IndexOrigin,
  ) {
    this.#fs = fs
    this.#path = path
    // Another program may judge documents otherwise, also where it has the same version.
    const origin = [FORMAT, fileName, serverEdition, serverVersion, identifyProgram()]
    this.#header = JSON.stringify(archived ? [...origin, archived.last] : origin)
  }

  /** The entries up to the first damaged one; none when the file is absent or of another origin. */
  async load(): Promise<IndexSegment[]> {
    const read = (await orNullWhenAbsent(this.#fs.readFile(this.#path))) ?? new Uint8Array()
    const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength)
    const lines: IndexSegment[] = []
    const found = checkedLines(bytes)
    const header = found.next()
    const isOurs = header.done !== true && header.value.body.toString() === this.#header
    let end = isOurs ? header.value.end : 0
    if (!isOurs) this.#formerTip = lastCommitIn(found)
    for (const line of found) {
      lines.push(new IndexLine(line.body))
      end = line.end
    }
    this.#isWhole = end > 0 && end === bytes.length
    this.#isDamaged = !this.#isWhole && (end > 0 || !bytes.includes(LINE_FEED)) && bytes.length > 0
    return lines
  }

  /** Whether it holds exactly the last index that was written. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /** Whether the loaded lines are followed by damaged ones. */
  get isDamaged(): boolean {
    return this.#isDamaged
  }

  /** The commit with which a loaded file of another origin ends; null for one of this origin. */
  get formerTip(): CommitSha | null {
    return this.#formerTip
  }

  /** Writes the index, whose last `added` entries the file lacks. */
  async write({ index, added }: { index: RevisionIndex; added: number }): Promise<void> {
    const mayAppend = this.#isWhole
    this.#isWhole = false
    if (mayAppend) await this.#append(index.lines(index.length - added))
    else await this.#replace(index.lines())
    this.#isWhole = true
  }

  /** Makes the next write replace the file, because some of its entries are outdated. */
  invalidate(): void {
    this.#isWhole = false
  }

  #append(lines: Iterable<string>): Promise<void> {
    return this.#write(lines, { path: this.#path, flags: 'a' })
  }

  /** Not synced: the checksums reveal whatever a power cut leaves. */
  async #replace(lines: Iterable<string>): Promise<void> {
    const folder = dirname(this.#path)
    await this.#fs.mkdir(folder, { recursive: true })
    const draft = join(folder, draftName())
    try {
      await this.#write(this.#withHeader(lines), { path: draft, flags: 'wx' })
      await this.#fs.rename(draft, this.#path)
    } catch (error) {
      // It is tried again at each look: on a full disk, parts of it would take what room there is.
      await this.#fs.rm(draft, { force: true })
      throw error
    }
  }

  *#withHeader(lines: Iterable<string>): Generator<string, void> {
    yield this.#header
    yield* lines
  }

  /** Line by line: all of a long history is more than one text can hold. */
  async #write(
    lines: Iterable<string>,
    { path, flags }: { path: string; flags: string },
  ): Promise<void> {
    const handle = await this.#fs.open(path, flags)
    try {
      for (const line of lines) await handle.writeFile(renderCheckedLine(line))
    } finally {
      await handle.close()
    }
  }
}

const CHECKSUM_LENGTH = 8

/** A line with a correct checksum. */
interface CheckedLine {
  /** The text, without checksum and line feed. */
  readonly body: Buffer
  /** The offset after its line feed. */
  readonly end: number
}

/** Renders a line of a file: a checksum, and the text. */
export function renderCheckedLine(text: string): string {
  return `${checksumOf(text)} ${text}\n`
}

/** The lines of a file up to the first damaged or unfinished one. */
export function* checkedLines(bytes: Buffer): Generator<CheckedLine, void> {
  let start = 0
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
    const body = bytes.subarray(start + CHECKSUM_LENGTH + 1, end)
    if (bytes.toString('latin1', start, start + CHECKSUM_LENGTH) !== checksumOf(body)) return
    start = end + 1
    yield { body, end: start }
  }
}

/** Null where the last line has another form. */
function lastCommitIn(lines: Iterable<CheckedLine>): CommitSha | null {
  let last: Buffer = Buffer.alloc(0)
  for (const { body } of lines) last = body
  const keys = last.toString('latin1', 0, last.indexOf(' '))
  const [first = '', commit = ''] = FIRST_KEY.exec(keys) ?? []
  const start = keys.length - first.length
  const name = keys.slice(start, start + commit.length)
  return isCommitSha(name) ? name : null
}

function checksumOf(text: Uint8Array | string): string {
  return crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0')
}
