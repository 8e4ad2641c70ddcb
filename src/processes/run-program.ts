import type { Readable } from 'node:stream'
import { describeFault } from '../core/faults.ts'
import { startGuarded } from './guarded-process.ts'
import { endGroup, type PipedProcess, ProcessNotStarted } from './piped-process.ts'

/** A program that is run to its end. Plain data, since another process may run it. */
export interface ProgramRun {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Its complete environment. */
  readonly env: Readonly<Record<string, string>>
  /** Its standard input, such as a password. */
  readonly input: string
  /** Milliseconds after which it is killed. */
  readonly timeout: number
}

/** Why a program ended that its caller did not want any longer. */
export const STOPPED = 'it was stopped'

/** How a program ended, and what it printed. */
export interface ProgramEnd {
  readonly code: number | null
  readonly stdout: string
  /** The end of its error output. */
  readonly stderr: string
  /** Why it could not be started, or was killed. */
  readonly reason: string | null
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const MAX_COMPLAINT_BYTES = 8 * 1024

/**
 * Runs a program to its end in its own process group, which is killed as a whole: when its time is up,
 * when the signal says so, and at the latest with this process.
 */
export async function runProgram(
  { program, args, cwd, env, input, timeout }: ProgramRun,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  if (signal.aborted) return notRun(STOPPED)
  try {
    const child = startGuarded(program, args, { cwd, env })
    child.stdin.end(input)
    return await endOf(child, timeout, signal)
  } catch (error) {
    if (error instanceof ProcessNotStarted) return notRun(describeFault(error))
    throw error
  }
}

/** The end of a program that was not run. */
export function notRun(reason: string): ProgramEnd {
  return { code: null, stdout: '', stderr: '', reason }
}

async function endOf(
  child: PipedProcess,
  timeout: number,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  let reason: string | null = null
  const endings: Promise<void>[] = []
  const giveUp = (why: string): void => {
    reason ??= why
    if (endings.length === 0) endings.push(endGroup(child))
  }
  const timer = setTimeout(() => giveUp(`it did not end within ${timeout / 1_000} s`), timeout)
  const stop = () => giveUp(STOPPED)
  signal.addEventListener('abort', stop)
  const stdout = collect(child.stdout, () => giveUp('it prints too much'))
  const complaint = collectEnd(child.stderr)
  child.once('error', (error) => (reason ??= startFailure(error)))
  child.once('exit', (_, killer) => (reason ??= killer && `it was ended by ${killer}`))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
  await Promise.all(endings)
  return { code, stdout: stdout(), stderr: complaint(), reason }
}

function startFailure(error: Error): string {
  const isAbsent = 'code' in error && error.code === 'ENOENT'
  return isAbsent ? 'it is not installed' : describeFault(error)
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
