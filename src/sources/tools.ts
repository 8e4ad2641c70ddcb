import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { describeFault, withoutPaths } from '../core/faults.ts'
import { startGuarded } from '../processes/guarded-process.ts'
import { type PipedProcess, ProcessNotStarted, signalGroup } from '../processes/piped-process.ts'
import { fsErrorCode } from '../storage/fs-error.ts'
import { SourceFailed } from './modification.ts'
import { MASK, maskSecrets } from '../document/text/shown-text.ts'

export interface ToolCall {
  readonly command: string
  /** Its name in messages; the command if absent. */
  readonly name?: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment?: Readonly<Record<string, string>>
  /** Its standard input, such as a password. */
  readonly input?: string
  /** Whether it may take long, for instance to clone a repository. */
  readonly isLong?: boolean
  /** The queried address; messages may contain it even if it is a path. */
  readonly address?: string
  /** Texts that must not appear in a message. */
  readonly secrets?: readonly string[]
}

export interface ToolsOptions {
  /** The environment variables of every tool. */
  readonly environment: Readonly<Record<string, string>>
  /** Milliseconds after which a tool is killed; a long one gets ten times as much. */
  readonly timeout: number
}

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Why it could not be started, or was killed. */
  readonly reason: string | null
}

const LONGER = 10
const GRACE_MS = 1_500
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const MAX_COMPLAINT_BYTES = 8 * 1024

/**
 * Runs the clients of version controls, each in its own process group, which is killed as a whole
 * and at the latest with this process.
 */
export class Tools implements AsyncDisposable {
  readonly #options: ToolsOptions
  readonly #running = new Map<PipedProcess, Promise<unknown>>()
  #closed = false

  constructor(options: ToolsOptions) {
    this.#options = options
  }

  /**
   * The output of a tool.
   *
   * @throws {SourceFailed} when it fails.
   */
  async run(call: ToolCall): Promise<string> {
    const { code, stdout, stderr, reason } = await this.#run(call)
    if (code === 0 && reason === null) return stdout
    const complaint = withoutPaths(complaintOf(stderr) ?? '', {
      folder: call.cwd,
      address: call.address ?? null,
    })
    const what = reason ?? (complaint || `it ended with ${code}`)
    throw new SourceFailed(hideSecrets(`${call.name ?? call.command}: ${what}`, call.secrets ?? []))
  }

  /** Whether a tool succeeds. @throws {SourceFailed} when it cannot be run at all. */
  async succeeds(call: ToolCall): Promise<boolean> {
    const { code, reason } = await this.#run(call)
    if (reason !== null) throw new SourceFailed(`${call.name ?? call.command}: ${reason}`)
    return code === 0
  }

  /** Kills all running tools, and starts no more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    const running = [...this.#running]
    await Promise.all([
      ...running.map(([child]) => endGroup(child)),
      ...running.map(([, end]) => end),
    ])
  }

  #run(call: ToolCall): Promise<Ended> {
    if (this.#closed) throw new SourceFailed('The service is stopping')
    const child = this.#start(call)
    const { timeout } = this.#options
    const end = endOf(child, call.isLong === true ? timeout * LONGER : timeout)
    child.stdin.end(call.input ?? '')
    this.#running.set(child, end)
    return end.finally(() => this.#running.delete(child))
  }

  #start({ name, command, args, cwd, environment }: ToolCall): PipedProcess {
    const env = { ...this.#options.environment, ...environment }
    try {
      return startGuarded(command, args, { cwd, env })
    } catch (error) {
      if (!(error instanceof ProcessNotStarted)) throw error
      const reason = `${name ?? command}: ${describeFault(error)}`
      throw new SourceFailed(reason, { cause: error })
    }
  }
}

async function endOf(child: PipedProcess, timeout: number): Promise<Ended> {
  let reason: string | null = null
  const endings: Promise<void>[] = []
  const giveUp = (why: string): void => {
    reason ??= why
    if (endings.length === 0) endings.push(endGroup(child))
  }
  const timer = setTimeout(() => giveUp(`it did not end within ${timeout / 1_000} s`), timeout)
  const stdout = collect(child.stdout, () => giveUp('it prints too much'))
  const complaint = collectEnd(child.stderr)
  child.once('error', (error) => (reason ??= startFailure(error)))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearTimeout(timer)
  await Promise.all(endings)
  return { code, stdout: stdout(), stderr: complaint(), reason }
}

function startFailure(error: Error): string {
  return fsErrorCode(error) === 'ENOENT' ? 'it is not installed' : describeFault(error)
}

function collect(stream: Readable, tooMuch: () => void): () => string {
  const chunks: Buffer[] = []
  let length = 0
  stream.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > MAX_OUTPUT_BYTES) tooMuch()
    else chunks.push(chunk)
  })
  return () => Buffer.concat(chunks).toString('utf8')
}

function collectEnd(stream: Readable): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-MAX_COMPLAINT_BYTES)
  })
  return () => text
}

/** The time that a client waited: it is another one for each try of what stays the same problem. */
const WAITED = / after \d+ ms\b/g

/** The error lines of the output, joined to one. */
function complaintOf(stderr: string): string | null {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.length === 0 ? null : lines.slice(0, 5).join(' ').replaceAll(WAITED, '')
}

async function endGroup(child: PipedProcess): Promise<void> {
  signalGroup(child, 'SIGTERM')
  const closed = new Promise((resolve) => child.once('close', resolve))
  await Promise.race([closed, wait(GRACE_MS, null, { ref: false })])
  signalGroup(child, 'SIGKILL')
  // A process that left the group may still hold the pipes.
  child.stdout.destroy()
  child.stderr.destroy()
}

/** Removes the secrets from a text, in all forms that tools print them in. */
function hideSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), encodeURI(secret)])
  const longestFirst = [...new Set(forms)]
    .filter((form) => form !== '')
    .toSorted((one, other) => other.length - one.length)
  return maskSecrets(longestFirst.reduce((line, form) => line.replaceAll(form, MASK), text))
}
