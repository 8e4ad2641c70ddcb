import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
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

const OLDEST = [2, 30] as const

/**
 * The git program, run on one repository at a time and away from the settings of whoever
 * started the service: no variables, no personal or system configuration, no replaced objects.
 */
export class GitExecutable {
  readonly #env: Readonly<Record<string, string>>

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
    const version = await git.#version()
    return version !== null && isRecent(version) ? git : null
  }

  /** Starts git on a repository. Naming it outright keeps git from refusing one of another owner. */
  start(gitDir: string, args: readonly string[]): GitProcess {
    return spawn('git', [`--git-dir=${gitDir}`, ...args], {
      env: this.#env,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
  }

  async #version(): Promise<string | null> {
    try {
      const { stdout } = await run('git', ['--version'], { env: this.#env })
      return stdout
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

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}
