import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { fsErrorCode } from '../storage/fs-error.ts'

const run = promisify(execFile)

export type GitProcess = ChildProcessByStdio<Writable, Readable, Readable>

export interface GitExecutableOptions {
  /** Where programs are looked for: the `PATH` of the service. */
  readonly path: string | undefined
  /** Variables by which git names the objects of a push that is not accepted yet. */
  readonly quarantine?: Readonly<Record<string, string>>
}

/** Major and minor version. */
export type Version = readonly [number, number]

const OLDEST: Version = [2, 30]

/**
 * The git program, run on one repository at a time and away from the settings of whoever
 * started the service: no variables, no personal or system configuration, no replaced objects.
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
      GIT_TERMINAL_PROMPT: '0',
    }
  }

  /** Null when there is no git, or only one that is too old. */
  static async find(options: GitExecutableOptions): Promise<GitExecutable | null> {
    const git = new GitExecutable(options)
    const version = await git.#findVersion()
    git.#version = version ?? OLDEST
    return version !== null && git.isAtLeast(OLDEST) ? git : null
  }

  isAtLeast([major, minor]: Version): boolean {
    const [ours, detail] = this.#version
    return ours > major || (ours === major && detail >= minor)
  }

  /** Starts git on a repository. Naming it outright keeps git from refusing one of another owner. */
  start(gitDir: string, args: readonly string[]): GitProcess {
    return spawn('git', [`--git-dir=${gitDir}`, ...args], {
      env: this.#env,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
  }

  /**
   * Runs a command to its end, behind whatever else the machine has to do. When the signal is
   * given, the command is ended with all the processes that it has started.
   *
   * @throws with what git complains about, unless the signal was given.
   */
  async runAside(gitDir: string, args: readonly string[], signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const child = spawn('git', [`--git-dir=${gitDir}`, ...args], {
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
    throw new Error(`git ${args.join(' ')}: ${complaint.trim() || how}`)
  }

  async #findVersion(): Promise<Version | null> {
    try {
      const { stdout } = await run('git', ['--version'], { env: this.#env })
      const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(stdout) ?? []).slice(1).map(Number)
      return [major, minor]
    } catch (error) {
      if (['ENOENT', 'EACCES', 'ENOTDIR'].includes(fsErrorCode(error) ?? '')) return null
      throw error
    }
  }
}

/** How a process ended, in words. */
export function ended(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM')
  } catch (error) {
    if (fsErrorCode(error) !== 'ESRCH') throw error
  }
}
