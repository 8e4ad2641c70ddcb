import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { allOf } from '../lib/all-of.ts'
import { unavailable } from '../core/errors.ts'
import { describeFault, withoutPaths } from '../core/faults.ts'
import { NO_PROGRAMS } from '../core/git-settings.ts'
import { startGuarded } from '../processes/guarded-process.ts'
import {
  ended,
  endGroup,
  type PipedProcess,
  type ProcessOptions,
  ProcessNotStarted,
  startProcess,
} from '../processes/piped-process.ts'
import { fsErrorCode } from '../storage/fs-error.ts'
import { boundaryFile, shallowFile } from './boundary.ts'

export interface GitExecutableOptions {
  /** The `PATH` on which programs are looked up. */
  readonly path: string | undefined
  /** Environment variables that name the objects of a push in progress. */
  readonly quarantine?: Readonly<Record<string, string>>
}

/** Major and minor version. */
export type Version = readonly [number, number]

const OLDEST: Version = [2, 30]
const VERSION_TIMEOUT_MS = 20_000

/** The error codes for a missing program. */
const ABSENT = ['ENOENT', 'EACCES', 'ENOTDIR']

/** The version of git on a search path, read once in a process. */
const versions = new Map<string | undefined, Version>()

/** As arguments, because git 2.30 does not take settings from variables. */
const SETTINGS = NO_PROGRAMS.flatMap(([key, value]) => ['-c', `${key}=${value}`])

export type RunOptions = Partial<Omit<ProcessOptions, 'isGroup'>>

/**
 * The git program, isolated from the environment of the service: no variables, no personal or
 * system configuration, no replaced or grafted objects, no history that ends elsewhere than at the
 * boundary of the repository. It runs no program that the repository names, and fetches nothing.
 */
export class GitExecutable {
  readonly #env: Readonly<Record<string, string>>
  #version: Version = OLDEST

  private constructor({ path, quarantine }: GitExecutableOptions) {
    this.#env = {
      ...quarantine,
      ...(path === undefined ? {} : { PATH: path }),
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_REPLACE_OBJECTS: '1',
      // A path that cannot exist, because git prints advice for a graft file that it can open.
      GIT_GRAFT_FILE: '/dev/null/grafts',
      // No file, so that `.git/shallow` hides no commits.
      GIT_SHALLOW_FILE: '',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: '',
      // A log is written in blocks, not commit by commit.
      GIT_FLUSH: '0',
    }
  }

  /** Null when git is missing or too old. */
  static async find(options: GitExecutableOptions): Promise<GitExecutable | null> {
    const git = new GitExecutable(options)
    const version = await git.#findVersionOnce(options.path)
    git.#version = version ?? OLDEST
    return version !== null && git.isAtLeast(OLDEST) ? git : null
  }

  isAtLeast([major, minor]: Version): boolean {
    const [ours, detail] = this.#version
    return ours > major || (ours === major && detail >= minor)
  }

  /**
   * Starts git on a repository, for commands that end when the pipes to this process close. Naming
   * the repository explicitly keeps git from refusing one of another owner.
   *
   * @throws {ServiceError} `unavailable` when the system lacks the resources to start it.
   */
  start(gitDir: string, args: readonly string[]): PipedProcess {
    return orUnavailable(() =>
      startProcess('git', [...SETTINGS, `--git-dir=${gitDir}`, ...args], {
        env: { ...this.#env, ...boundaryVariable(gitDir) },
      }),
    )
  }

  /**
   * Starts git with extra variables and, if wanted, a channel for its hooks at descriptor 3. It
   * leads its own process group, and none of its processes outlives this one.
   *
   * @throws {ServiceError} `unavailable` when the system has nothing left to start it with.
   */
  run(args: readonly string[], options: RunOptions): PipedProcess {
    const env = { ...this.#env, ...options.env }
    return orUnavailable(() => startGuarded('git', [...SETTINGS, ...args], { ...options, env }))
  }

  /**
   * Starts git as `run` does, and waits until it runs: some failures of the system are known a moment
   * later.
   *
   * @throws {ServiceError} `unavailable` when it cannot be started.
   */
  async runStarted(args: readonly string[], options: RunOptions): Promise<PipedProcess> {
    const child = this.run(args, options)
    try {
      await once(child, 'spawn')
    } catch (error) {
      throw unavailable(`git cannot be started: ${describeFault(error)}`, error)
    }
    return child
  }

  /**
   * Runs a command to its end with low priority. The signal ends the command with all processes
   * that it has started.
   *
   * @throws {ServiceError} `unavailable`, with git's error output as cause, unless the signal ended
   * it.
   */
  async runAtLowPriority(
    gitDir: string,
    args: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    if (signal.aborted) return
    const child = this.run([`--git-dir=${gitDir}`, ...args], { env: packingVariable(gitDir) })
    const endings: Promise<void>[] = []
    const end = () => endings.push(endGroup(child))
    signal.addEventListener('abort', end)
    child.stdin.end()
    child.stdout.resume()
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
    // What a command says that has to be killed is lost with it.
    const said = text(child.stderr).catch(() => '')
    const [how, complaint] = await Promise.all([ended(child), said])
    signal.removeEventListener('abort', end)
    await Promise.all(endings)
    if (signal.aborted || child.exitCode === 0) return
    const what = withoutPaths(complaint.trim(), { folder: gitDir }) || how
    throw unavailable(`git ${args.join(' ')}: ${what}`, new Error(complaint.trim() || how))
  }

  async #findVersionOnce(path: string | undefined): Promise<Version | null> {
    const known = versions.get(path)
    if (known) return known
    const version = await this.#findVersion()
    if (version !== null) versions.set(path, version)
    return version
  }

  /**
   * The version; null when there is no such program, or it is not git.
   *
   * @throws {ServiceError} `unavailable` for a program that gives no answer: it may well be git.
   */
  async #findVersion(): Promise<Version | null> {
    const child = startProcess('git', ['--version'], { env: this.#env })
    const timer = setTimeout(() => child.kill('SIGKILL'), VERSION_TIMEOUT_MS)
    child.stderr.resume()
    const [code, output] = await allOf([exitCodeOf(child), text(child.stdout)])
    clearTimeout(timer)
    if (child.signalCode !== null) throw unavailable(`git --version ended by ${child.signalCode}`)
    if (code !== 0) return null
    const found = /^git version (\d+)\.(\d+)/m.exec(output) ?? []
    const [major = 0, minor = 0] = found.slice(1).map(Number)
    return [major, minor]
  }
}

/** The variable that names the boundary of a repository to git; there need not be that file. */
export function boundaryVariable(gitDir: string): Readonly<Record<string, string>> {
  return { GIT_SHALLOW_FILE: boundaryFile(gitDir) }
}

/**
 * The same for commands that pack: git looks through `.git/shallow` then, and takes another file for
 * a change of it.
 */
export function packingVariable(gitDir: string): Readonly<Record<string, string>> {
  return { GIT_SHALLOW_FILE: existsSync(boundaryFile(gitDir)) ? shallowFile(gitDir) : '' }
}

/** Null for a missing program. */
async function exitCodeOf(child: PipedProcess): Promise<unknown> {
  try {
    const [code]: unknown[] = await once(child, 'close')
    return code
  } catch (error) {
    if (ABSENT.includes(fsErrorCode(error) ?? '')) return null
    throw error
  }
}

function orUnavailable(started: () => PipedProcess): PipedProcess {
  try {
    return started()
  } catch (error) {
    if (!(error instanceof ProcessNotStarted)) throw error
    throw unavailable(`git cannot be started: ${describeFault(error)}`, error)
  }
}
