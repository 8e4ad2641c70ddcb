import type { FileHandle } from 'node:fs/promises'
import { ServiceError } from '../../core/errors.ts'
import type { JobPlace } from '../../builds/artifacts/job-folders.ts'
import { type FileCaller, type FilesDeps, openConsole } from '../../builds/runs/files.ts'

/** Some lines of a console. */
export interface ConsolePart {
  readonly lines: readonly string[]
  /** The number of the first line, from 0. */
  readonly first: number
  /** The number of the line after the last one. */
  readonly next: number
}

/** The end of a console. */
export interface ConsoleEnd extends ConsolePart {
  /** Whether the job has a console. */
  readonly isThere: boolean
}

/** Where a failed job failed. */
export interface ConsoleFailure {
  /** The number of the line, from 0. */
  readonly line: number
  /** The words of the agent about it, such as `exit code 1`. */
  readonly words: string
}

/** The texts of the agent that divide a console. */
const FIRST_TASK = /^[\d:.]+ \[cairn\] Start to execute task: /
const FAILURE = /^[\d:.]+ \[cairn\] (?:The task ended with (.+)|The job failed: .+)$/
/** Fewer lines are not worth folding. */
const FEW = 4

/** How many lines at the start of a console only prepare the first task. */
export function setUpLines({ lines, first }: ConsolePart): number {
  const count = first === 0 ? lines.findIndex((line) => FIRST_TASK.test(line)) : 0
  return count < FEW ? 0 : count
}

/** The first failure that the lines tell of, or null. */
export function findFailure({ lines, first }: ConsolePart): ConsoleFailure | null {
  for (const [n, line] of lines.entries()) {
    const found = FAILURE.exec(line)
    if (found) return { line: first + n, words: found[1] ?? 'before its tasks ended' }
  }
  return null
}

export interface ConsoleCall {
  readonly caller: FileCaller
  readonly job: JobPlace
}

/** The limits of lines and bytes in one answer. */
const MAX_LINES = 500
const MAX_BYTES = 131_072
const BEYOND = Number.MAX_SAFE_INTEGER
const LINE_FEED = 0x0a

/**
 * The last lines of a console; none while there is no console.
 *
 * @throws {ServiceError} as `openConsole`, except for a console that does not exist yet.
 */
export async function readConsoleTail(deps: FilesDeps, call: ConsoleCall): Promise<ConsoleEnd> {
  const part = await orNull(openConsole(deps, call, BEYOND))
  if (part === null) return { lines: [], first: 0, next: 0, isThere: false }
  return closing(part.handle, async (handle) => {
    const from = Math.max(0, part.to - MAX_BYTES)
    const bytes = await readBytes(handle, from, part.to)
    const whole = from === 0 ? bytes : bytes.subarray(bytes.indexOf(LINE_FEED) + 1)
    const lines = linesOf(whole).slice(-MAX_LINES)
    const first = part.nextLine - lines.length
    return { lines, first, next: part.nextLine, isThere: true }
  })
}

/** The lines of a console from one on, up to the limit of an answer. */
export async function readConsoleLines(
  deps: FilesDeps,
  call: ConsoleCall,
  line: number,
): Promise<ConsolePart> {
  const part = await orNull(openConsole(deps, call, line))
  if (part === null) return { lines: [], first: line, next: line }
  return closing(part.handle, async (handle) => {
    const to = Math.min(part.to, part.from + MAX_BYTES)
    const bytes = await readBytes(handle, part.from, to)
    const isCut = to < part.to
    const end = isCut ? bytes.lastIndexOf(LINE_FEED) + 1 : bytes.length
    // A line that is longer than the limit of an answer is sent in part.
    const lines = linesOf(bytes.subarray(0, end === 0 ? bytes.length : end)).slice(0, MAX_LINES)
    return { lines, first: line, next: line + lines.length }
  })
}

function linesOf(bytes: Buffer): string[] {
  if (bytes.length === 0) return []
  const text = bytes.toString('utf8')
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

async function readBytes(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const length = Math.max(0, to - from)
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, from)
  return buffer.subarray(0, bytesRead)
}

async function closing<Result>(
  handle: FileHandle,
  read: (handle: FileHandle) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(handle)
  } finally {
    await handle.close()
  }
}

async function orNull<Value>(pending: Promise<Value>): Promise<Value | null> {
  try {
    return await pending
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'file-not-found') return null
    throw error
  }
}
