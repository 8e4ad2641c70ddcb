import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

/** A program that runs, with its input and outputs. */
export interface PipedProcess extends ChildProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
}

export interface ProcessOptions {
  /** All the variables that it gets. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Whether it gets a channel to this process as descriptor 3. */
  readonly hasChannel?: boolean
  /** Whether it leads a group of its own, with which it can be ended. */
  readonly isGroup?: boolean
  /** Whom it runs as, without other groups than that one. */
  readonly user?: { readonly uid: number; readonly gid: number }
}

/** The system has no descriptors, processes or memory left to start a program. */
export class ProcessNotStarted extends Error {
  override readonly name = 'ProcessNotStarted'
  /** Of the system's error, such as `EMFILE`. */
  readonly code: string

  constructor(program: string, code: string, options?: ErrorOptions) {
    super(`${program} cannot be started: ${code}`, options)
    this.code = code
  }
}

/**
 * Starts a program. One that is not there fails later: `ended` says so, and nobody else has to
 * listen for errors.
 *
 * @throws {ProcessNotStarted} when it has no pipes, so that nobody touches what is not there.
 */
export function startProcess(
  program: string,
  args: readonly string[],
  { env, cwd, hasChannel = false, isGroup = false, user }: ProcessOptions,
): PipedProcess {
  const child = trySpawn(program, () =>
    spawn(program, [...args], {
      env,
      ...(cwd === undefined ? {} : { cwd }),
      ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
      stdio: ['pipe', 'pipe', 'pipe', hasChannel ? 'pipe' : 'ignore'],
      detached: isGroup,
      windowsHide: true,
    }),
  )
  child.on('error', () => undefined)
  const { stdin, stdout, stderr } = child
  // Node makes no pipes at all when there are no descriptors for them, and reports that later.
  if (!stdin || !stdout || !stderr) throw new ProcessNotStarted(program, 'EMFILE')
  // A program may end without reading everything; how it ends says more.
  stdin.on('error', () => stdin.destroy())
  return Object.assign(child, { stdin, stdout, stderr })
}

/** How a process ended, in words. */
export function ended(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}

/** Sends a signal to a process that leads a group, and to all that it has started. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch (error) {
    // It has ended, or is a program with the rights of somebody else.
    if (!['ESRCH', 'EPERM'].includes(codeOf(error))) throw error
  }
}

function trySpawn(program: string, spawned: () => ChildProcess): ChildProcess {
  try {
    return spawned()
  } catch (error) {
    const isOfSystem = error instanceof Error && 'syscall' in error
    if (!isOfSystem) throw error
    throw new ProcessNotStarted(program, codeOf(error), { cause: error })
  }
}

function codeOf(error: unknown): string {
  const hasCode = error instanceof Error && 'code' in error && typeof error.code === 'string'
  return hasCode ? String(error.code) : ''
}
