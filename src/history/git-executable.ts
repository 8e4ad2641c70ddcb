import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { ServiceError } from '../core/errors.ts'
import { withoutPaths } from '../core/faults.ts'
import { fsErrorCode } from '../storage/fs-error.ts'

const run = promisify(execFile)

export interface GitProcess extends ChildProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
}

export interface GitExecutableOptions {
  /** Where programs are looked for: the `PATH` of the service. */
  readonly path: string | undefined
  /** Variables by which git names the objects of a push that is not accepted yet. */
  readonly quarantine?: Readonly<Record<string, string>>
}

/**
 * Ends a program with the process that has started it, however that ends; from util-linux. Where
 * there is none, git ends at the end of its pipes.
 */
const WITH_PARENT = ['setpriv', '--pdeathsig', 'TERM', 'git'] as const
const ALONE = ['git'] as const

/** Major and minor version. */
export type Version = readonly [number, number]

const OLDEST: Version = [2, 30]

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly hasChannel?: boolean
  /** Whether the process leads a group of its own, with which it can be ended. */
  readonly isGroup?: boolean
}

/**
 * The git program, run on one repository at a time and away from the settings of whoever
 * started the service: no variables, no personal or system configuration, no replaced or grafted objects.
 */
export class GitExecutable {
  readonly #env: Readonly<Record<string, string>>
  #version: Version = OLDEST
  #command: readonly [string, ...string[]] = ALONE

  private constructor({ path, quarantine }: GitExecutableOptions) {
    this.#env = {
      ...quarantine,
      ...(path === undefined ? {} : { PATH: path }),
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_GRAFT_FILE: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
    }
  }

  /** Null when there is no git, or only one that is too old. */
  static async find(options: GitExecutableOptions): Promise<GitExecutable | null> {
    const git = new GitExecutable(options)
    const version = (await git.#findVersion(WITH_PARENT)) ?? (await git.#findVersion(ALONE))
    git.#version = version ?? OLDEST
    return version !== null && git.isAtLeast(OLDEST) ? git : null
  }

  isAtLeast([major, minor]: Version): boolean {
    const [ours, detail] = this.#version
    return ours > major || (ours === major && detail >= minor)
  }

  /** Starts git on a repository. Naming it outright keeps git from refusing one of another owner. */
  start(gitDir: string, args: readonly string[]): GitProcess {
    return this.run([`--git-dir=${gitDir}`, ...args], {})
  }

  /** Starts git with variables of its own, and where wanted with a channel that its hooks find at descriptor 3. */
  run(args: readonly string[], options: RunOptions): GitProcess {
    const { env = {}, cwd, hasChannel = false, isGroup = false } = options
    const [program, ...before] = this.#command
    const child = spawn(program, [...before, ...args], {
      env: { ...this.#env, ...env },
      ...(cwd === undefined ? {} : { cwd }),
      stdio: ['pipe', 'pipe', 'pipe', hasChannel ? 'pipe' : 'ignore'],
      detached: isGroup,
      windowsHide: true,
    })
    return withPipes(child)
  }

  /**
   * Runs a command to its end, behind whatever else the machine has to do. When the signal is
   * given, the command is ended with all the processes that it has started.
   *
   * @throws {ServiceError} `unavailable`, whose cause has what git complains about, unless the signal was given.
   */
  async runAside(gitDir: string, args: readonly string[], signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const [program, ...before] = this.#command
    const child = spawn(program, [...before, `--git-dir=${gitDir}`, ...args], {
      env: this.#env,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
      windowsHide: true,
    })
    const end = () => endGroup(child)
    signal.addEventListener('abort', end)
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
    const [how, complaint] = await Promise.all([ended(child), text(child.stderr)])
    signal.removeEventListener('abort', end)
    if (signal.aborted || child.exitCode === 0) return
    const what = withoutPaths(complaint.trim(), { folder: gitDir }) || how
    const reason = `git ${args.join(' ')}: ${what}`
    const cause = new Error(complaint.trim() || how)
    throw new ServiceError('unavailable', reason, { reason }, { cause })
  }

  async #findVersion(command: readonly [string, ...string[]]): Promise<Version | null> {
    const [program, ...before] = command
    const { stdout, isDone } = await tryRun(program, [...before, '--version'], this.#env)
    if (!isDone) return null
    const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(stdout) ?? []).slice(1).map(Number)
    this.#command = command
    return [major, minor]
  }
}

/** Not done when there is no such program, or it is one of another kind. */
async function tryRun(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ stdout: string; isDone: boolean }> {
  try {
    const { stdout } = await run(program, [...args], { env })
    return { stdout, isDone: true }
  } catch (error) {
    const isAbsent = ['ENOENT', 'EACCES', 'ENOTDIR'].includes(fsErrorCode(error) ?? '')
    const hasEnded = error instanceof Error && 'code' in error && typeof error.code === 'number'
    if (isAbsent || hasEnded) return { stdout: '', isDone: false }
    throw error
  }
}

function withPipes(child: ChildProcess): GitProcess {
  const { stdin, stdout, stderr } = child
  if (stdin === null || stdout === null || stderr === null) throw new TypeError('git has no pipes')
  return Object.assign(child, { stdin, stdout, stderr })
}

/** How a process ended, in words. */
export function ended(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}

/** Ends a process that leads a group, and all that it has started. */
export function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM')
  } catch (error) {
    if (fsErrorCode(error) !== 'ESRCH') throw error
  }
}
