import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { allOf } from '../lib/all-of.ts'
import { pause } from '../lib/pause.ts'
import { type ServiceError, unavailable } from '../core/errors.ts'
import { fsErrorCode } from '../storage/fs-error.ts'
import { boundaryVariable, GitExecutable } from './git-executable.ts'
import { ended, endGroup, type PipedProcess } from '../processes/piped-process.ts'

/** The error code of a write to a process that has ended. */
const CUT_SHORT = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']

/** The result of a git command: its output, its error output, and how it ended. */
export interface GitEnd {
  readonly output: Buffer
  readonly errors: string
  readonly isDone: boolean
  /** How it ended, in words. */
  readonly end: string
}

/** The input, the extra variables and the time of a command. */
export interface GitInput {
  readonly input?: string | Readable
  readonly env?: Readonly<Record<string, string>>
  /** Milliseconds after which it is ended. Each command that a writer waits for has a limit. */
  readonly timeoutMs?: number
}

/** The limit of a command about a few commits, which takes milliseconds. */
export const SHORT_TIMEOUT_MS = 30_000

/** Runs a git command to its end, however it ends. */
export async function tryGit(
  git: GitExecutable,
  gitDir: string,
  args: readonly string[],
  { input = '', env = {}, timeoutMs }: GitInput = {},
): Promise<GitEnd> {
  const child = git.run([`--git-dir=${gitDir}`, ...args], {
    env: { ...boundaryVariable(gitDir), ...env },
  })
  const end = endOf(child, input)
  return timeoutMs === undefined ? end : endWithin(child, end, timeoutMs)
}

async function endOf(child: PipedProcess, input: string | Readable): Promise<GitEnd> {
  const [output, errors, end] = await allOf([
    buffer(child.stdout),
    text(child.stderr),
    ended(child),
    feed(child, input),
  ])
  return { output, errors, end, isDone: end === 'exit code 0' }
}

/** Ends a command that takes too long, and waits no longer for one that cannot be ended. */
async function endWithin(
  child: PipedProcess,
  end: Promise<GitEnd>,
  timeoutMs: number,
): Promise<GitEnd> {
  const known = new AbortController()
  const late = pause(timeoutMs, known.signal).then(() => null)
  try {
    const inTime = await Promise.race([end, late])
    if (inTime !== null) return inTime
  } finally {
    known.abort()
  }
  await endGroup(child)
  const why = `it did not end within ${timeoutMs / 1_000} s`
  return { output: Buffer.alloc(0), errors: '', end: why, isDone: false }
}

/** A command that ends before it has read everything reports the reason by its exit. */
async function feed({ stdin }: PipedProcess, input: string | Readable): Promise<void> {
  try {
    await pipeline(typeof input === 'string' ? Readable.from([input]) : input, stdin)
  } catch (error) {
    if (!CUT_SHORT.includes(fsErrorCode(error) ?? '')) throw error
  }
}

/**
 * Runs a git command and returns its output.
 *
 * @throws {ServiceError} `unavailable`, with git's error output, when it fails.
 */
export async function runGit(
  git: GitExecutable,
  gitDir: string,
  args: readonly string[],
  given: GitInput = {},
): Promise<Buffer> {
  const { output, errors, end, isDone } = await tryGit(git, gitDir, args, given)
  if (isDone) return output
  throw failed(args, errors.trim() || end)
}

/**
 * Runs a git command and writes its output to a file. Git writes only to a pipe, so it stops when
 * this process ends for any reason.
 *
 * @throws {ServiceError} `unavailable`, with what git says, when it fails.
 */
export async function runGitToFile(
  git: GitExecutable,
  gitDir: string,
  { args, env, file }: Pick<GitInput, 'env'> & { args: readonly string[]; file: string },
): Promise<void> {
  const child = git.run([`--git-dir=${gitDir}`, ...args], {
    env: { ...boundaryVariable(gitDir), ...env },
  })
  child.stdin.end()
  const [errors, end] = await allOf([
    text(child.stderr),
    ended(child),
    pipeline(child.stdout, createWriteStream(file, { flush: true })),
  ])
  if (end !== 'exit code 0') throw failed(args, errors.trim() || end)
}

/**
 * Runs a git command, and streams its output. Ending the iteration ends the command.
 *
 * @throws {ServiceError} `unavailable`, with what git says, when it fails: not all of what was read
 * is then what it would have been.
 */
export async function* streamGit(
  git: GitExecutable,
  gitDir: string,
  args: readonly string[],
  { input = '' }: Pick<GitInput, 'input'> = {},
): AsyncGenerator<Uint8Array> {
  const child = git.run([`--git-dir=${gitDir}`, ...args], { env: boundaryVariable(gitDir) })
  const end = allOf([text(child.stderr), ended(child), feed(child, input)])
  // The error is lost for a caller that stops reading.
  end.catch(() => undefined)
  for await (const chunk of child.stdout) yield Buffer.from(chunk)
  const [errors, how] = await end
  if (how !== 'exit code 0') throw failed(args, errors.trim() || how)
}

function failed(args: readonly string[], why: string): ServiceError<'unavailable'> {
  return unavailable(`git ${commandOf(args)} failed: ${why}`)
}

/** @throws {ServiceError} `unavailable` when there is no git program, or one that is too old. */
export async function requireGit(path: string | undefined | null): Promise<GitExecutable> {
  const git = path === null ? null : await GitExecutable.find({ path })
  if (git !== null) return git
  throw unavailable('This needs the git program, 2.30 or newer, and it was not found')
}

/** The command among its arguments: what is neither an option nor the value of `-c`. */
function commandOf(args: readonly string[]): string {
  return args.find((arg, at) => !arg.startsWith('-') && args[at - 1] !== '-c') ?? ''
}
