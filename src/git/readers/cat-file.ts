import { Socket } from 'node:net'
import type { GitExecutable } from '../git-executable.ts'
import { ended, type PipedProcess } from '../../processes/piped-process.ts'
import { TooLargeError, MAX_OBJECT_BYTES } from '../objects/damage.ts'
import type { RawObject } from '../objects/raw-object.ts'
import { OBJECT_NAME } from '../../core/object-name.ts'

/** The process ended before it answered a request. */
export class CatFileEnded extends Error {
  override readonly name = 'CatFileEnded'
  /** Whether it ended at this request. The others only waited behind that one. */
  readonly isUponThis: boolean
  /** Whether it was killed because it answered nobody, which says nothing about a request. */
  readonly isSilent: boolean

  constructor(complaint: string, { isUponThis = false, isSilent = false } = {}) {
    super(complaint)
    this.isUponThis = isUponThis
    this.isSilent = isSilent
  }
}

export interface CatFileOptions {
  readonly git: GitExecutable
  readonly gitDir: string
  /** Milliseconds without a byte after which a process that has a request is killed. */
  readonly silenceMs: number
  readonly onEnd: () => void
}

interface Request {
  readonly text: string
  readonly resolve: (object: RawObject | null) => void
  readonly reject: (error: Error) => void
}

/**
 * Git caches the bases of deltas, by default up to 96 MB. For a cold read, allocating those pages
 * costs more than resolving the deltas.
 */
const ARGUMENTS = ['-c', 'core.deltaBaseCacheLimit=8m', 'cat-file', '--batch']

const MAX_COMPLAINT_LENGTH = 4_096

/**
 * One `git cat-file --batch` process with pipelined requests. It keeps this process alive only
 * while a request is open. It is killed rather than asked to end: it only reads, and one that is
 * stopped hears nothing else.
 */
export class CatFile implements AsyncDisposable {
  readonly #child: PipedProcess
  readonly #ended: Promise<string>
  readonly #open: Request[] = []
  readonly #parser: BatchParser
  /** Git's error output when it ended; null while it runs. */
  #failure: string | null = null
  #complaint = ''
  /** Begins anew with each byte, and with a request that finds none before it. */
  #silence: NodeJS.Timeout

  constructor({ git, gitDir, silenceMs, onEnd }: CatFileOptions) {
    this.#parser = new BatchParser((object) => this.#answer(object))
    this.#child = git.start(gitDir, ARGUMENTS)
    this.#ended = ended(this.#child).then((how) => {
      this.#fail(this.#complaint.trim() || how)
      onEnd()
      return how
    })
    this.#child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk))
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#complaint = `${this.#complaint}${chunk.toString('utf8')}`.slice(-MAX_COMPLAINT_LENGTH)
    })
    this.#silence = this.#timerOf(silenceMs)
    this.#keepAlive(false)
  }

  get isOver(): boolean {
    return this.#failure !== null
  }

  /** The object of that name, in any form that git understands, or null. The name is one line. */
  find(name: string): Promise<RawObject | null> {
    if (this.#failure !== null) return Promise.reject(new CatFileEnded(this.#failure))
    return new Promise((resolve, reject) => {
      this.#open.push({ text: name, resolve, reject })
      if (this.#open.length === 1) this.#expect()
      this.#child.stdin.write(`${name}\n`)
    })
  }

  /** Kills it after so long without a byte, counted from now. */
  endAfter(silenceMs: number): void {
    clearTimeout(this.#silence)
    this.#silence = this.#timerOf(silenceMs)
  }

  /** Closes the input. The process ends after its last answer. */
  finish(): void {
    this.#child.stdin.end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#keepAlive(true)
    this.#child.stdin.end()
    this.#child.kill('SIGKILL')
    await this.#ended
  }

  #receive(chunk: Buffer): void {
    if (this.isOver) return
    this.#silence.refresh()
    try {
      this.#parser.push(chunk)
    } catch (error) {
      if (error instanceof TooLargeError) this.#refuse(error)
      else if (error instanceof RangeError) this.#fail(error.message)
      else throw error
      this.#child.kill('SIGKILL')
    }
  }

  #expect(): void {
    this.#silence.refresh()
    this.#keepAlive(true)
  }

  #timerOf(silenceMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#endSilence(), silenceMs).unref()
  }

  #endSilence(): void {
    if (this.#open.length === 0) return
    this.#fail('git does not answer', { isSilent: true })
    this.#child.kill('SIGKILL')
  }

  /**
   * Git prints the size of an object before its content. Ending the process is the only way to skip
   * a large one.
   */
  #refuse(error: TooLargeError): void {
    this.#open.shift()?.reject(error)
    this.#fail(error.message, { isUponFirst: false })
  }

  #answer(object: RawObject | null): void {
    this.#open.shift()?.resolve(object)
    if (this.#open.length === 0) this.#keepAlive(false)
  }

  /** Git answers in order, so it ended at the first request without an answer. */
  #fail(complaint: string, { isUponFirst = true, isSilent = false } = {}): void {
    this.#failure ??= complaint
    for (const [place, { reject }] of this.#open.splice(0).entries()) {
      const isUponThis = isUponFirst && !isSilent && place === 0
      reject(new CatFileEnded(this.#failure, { isUponThis, isSilent }))
    }
    clearTimeout(this.#silence)
    this.#keepAlive(false)
  }

  #keepAlive(alive: boolean): void {
    const { stdin, stdout, stderr } = this.#child
    const handles = [
      this.#child,
      ...[stdin, stdout, stderr].filter((pipe) => pipe instanceof Socket),
    ]
    for (const handle of handles) {
      if (alive) handle.ref()
      else handle.unref()
    }
  }
}

/** An answer of `git cat-file --batch`: an object, or null for one that is not there. */
type OnAnswer = (object: RawObject | null) => void

interface Body {
  readonly type: RawObject['type']
  /** The content and the line feed that ends it. */
  readonly bytes: Buffer<ArrayBuffer>
  filled: number
}

const HEADER = new RegExp(`^(${OBJECT_NAME}) (blob|tree|commit|tag) (\\d+)$`)
const MAX_HEADER_LENGTH = 1 << 16
const LINE_FEED = 10
const NOTHING = Buffer.alloc(0)

/**
 * Parses the output of `git cat-file --batch` in chunks of any size. The content of an object is
 * copied once, into the returned buffer.
 */
class BatchParser {
  readonly #onAnswer: OnAnswer
  #header: Buffer = Buffer.alloc(0)
  #body: Body | null = null

  constructor(onAnswer: OnAnswer) {
    this.#onAnswer = onAnswer
  }

  /**
   * @throws {RangeError} when the bytes are not such output.
   * @throws {TooLargeError} at the header of an object above the size limit.
   */
  push(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0)
      rest = this.#body ? this.#fill(this.#body, rest) : this.#readHeader(rest)
  }

  #readHeader(chunk: Buffer): Buffer {
    const end = chunk.indexOf(LINE_FEED)
    const piece = end < 0 ? chunk : chunk.subarray(0, end)
    const header = this.#header.length === 0 ? piece : Buffer.concat([this.#header, piece])
    if (header.length > MAX_HEADER_LENGTH) throw new RangeError('git answers with no objects')
    this.#header = end < 0 ? header : NOTHING
    if (end < 0) return NOTHING
    this.#begin(header.toString('utf8'))
    return chunk.subarray(end + 1)
  }

  #begin(header: string): void {
    const [, oid = '', type, digits] = HEADER.exec(header) ?? []
    if (digits === undefined || !isType(type)) {
      if (!/ (missing|ambiguous)$/.test(header)) throw new RangeError(`git answers ${header}`)
      this.#onAnswer(null)
      return
    }
    const size = Number(digits)
    if (size > MAX_OBJECT_BYTES) throw new TooLargeError(oid, size)
    this.#body = { type, bytes: Buffer.allocUnsafeSlow(size + 1), filled: 0 }
  }

  #fill(body: Body, chunk: Buffer): Buffer {
    const copied = chunk.copy(body.bytes, body.filled)
    body.filled += copied
    if (body.filled === body.bytes.length) {
      this.#body = null
      this.#onAnswer({ type: body.type, content: body.bytes.subarray(0, -1) })
    }
    return chunk.subarray(copied)
  }
}

function isType(type: string | undefined): type is RawObject['type'] {
  return type === 'blob' || type === 'tree' || type === 'commit' || type === 'tag'
}
