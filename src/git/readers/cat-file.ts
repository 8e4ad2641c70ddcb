import { Socket } from 'node:net'
import { BatchParser } from './batch-parser.ts'
import type { GitExecutable } from '../git-executable.ts'
import { ended, type PipedProcess } from '../../processes/piped-process.ts'
import { TooLargeError } from '../objects/damage.ts'
import type { RawObject } from '../objects/raw-object.ts'

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
