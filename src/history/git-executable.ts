import { execFile } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { ServiceError } from '../core/errors.ts'
import { describeFault, withoutPaths } from '../core/faults.ts'
import { NO_PROGRAMS } from '../core/git-settings.ts'
import {
  ended,
  type PipedProcess,
  type ProcessOptions,
  ProcessNotStarted,
  signalGroup,
  startProcess,
} from '../processes/piped-process.ts'
import { fsErrorCode } from '../storage/fs-error.ts'

const run = promisify(execFile)

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

/** As arguments, because git 2.30 does not take settings from variables. */
const SETTINGS = NO_PROGRAMS.flatMap(([key, value]) => ['-c', `${key}=${value}`])

export type RunOptions = Partial<ProcessOptions>

/**
 * The git program, run on one repository at a time and away from the settings of whoever
 * started the service: no variables, no personal or system configuration, no replaced or grafted
 * objects, no history that is cut off. It runs no program that the repository names, and fetches nothing from anywhere.
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
      // A file that cannot be there: git has a word of advice for each one that it can open.
      GIT_GRAFT_FILE: '/dev/null/grafts',
      // None at all, so that no file of the repository hides commits that are there.
      GIT_SHALLOW_FILE: '',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: '',
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

  /**
   * Starts git on a repository. Naming it outright keeps git from refusing one of another owner.
   *
   * @throws {ServiceError} `unavailable` when the system has nothing left to start it with.
   */
  start(gitDir: string, args: readonly string[]): PipedProcess {
    return this.run([`--git-dir=${gitDir}`, ...args], {})
  }

  /**
   * Starts git with variables of its own, and where wanted with a channel that its hooks find at descriptor 3.
   *
   * @throws {ServiceError} `unavailable` when the system has nothing left to start it with.
   */
  run(args: readonly string[], options: RunOptions): PipedProcess {
    const [program, ...before] = this.#command
    const env = { ...this.#env, ...options.env }
    try {
      return startProcess(program, [...before, ...SETTINGS, ...args], { ...options, env })
    } catch (error) {
      if (!(error instanceof ProcessNotStarted)) throw error
      const reason = `git cannot be started: ${describeFault(error)}`
      throw new ServiceError('unavailable', reason, { reason }, { cause: error })
    }
  }

  /**
   * Runs a command to its end, behind whatever else the machine has to do. When the signal is
   * given, the command is ended with all the processes that it has started.
   *
   * @throws {ServiceError} `unavailable`, whose cause has what git complains about, unless the signal was given.
   */
  async runAside(gitDir: string, args: readonly string[], signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const child = this.run([`--git-dir=${gitDir}`, ...args], { isGroup: true })
    const end = () => signalGroup(child, 'SIGTERM')
    signal.addEventListener('abort', end)
    child.stdin.end()
    child.stdout.resume()
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
