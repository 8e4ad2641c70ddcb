import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'

/** A running program, with its input and outputs. */
export interface PipedProcess extends ChildProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
}

export interface ProcessOptions {
  /** Its complete environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** A channel to this process as descriptor 3: of bytes, or of messages for a program of Node. */
  readonly channel?: 'bytes' | 'messages'
  /** Whether it leads its own process group, so that it can be killed as a whole. */
  readonly isGroup?: boolean
  /** The user that runs it, with no other groups. */
  readonly user?: { readonly uid: number; readonly gid: number }
}

const GRACE_MS = 1_500

const CHANNELS = { none: 'ignore', bytes: 'pipe', messages: 'ipc' } as const

/** The system has no descriptors, processes or memory left to start a program. */
export class ProcessNotStarted extends Error {
  override readonly name = 'ProcessNotStarted'
  /** The code of the system's error, such as `EMFILE`. */
  readonly code: string

  constructor(program: string, code: string, options?: ErrorOptions) {
    super(`${program} cannot be started: ${code}`, options)
    this.code = code
  }
}

/**
 * Starts a program. A missing program fails later: `ended` reports it, so callers need not listen
 * for errors.
 *
 * @throws {ProcessNotStarted} when it has no pipes, so that nobody uses missing ones.
 */
export function startProcess(
  program: string,
  args: readonly string[],
  { env, cwd, channel, isGroup = false, user }: ProcessOptions,
): PipedProcess {
  const child = trySpawn(program, () =>
    spawn(program, [...args], {
      env,
      ...(cwd === undefined ? {} : { cwd }),
      ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
      stdio: ['pipe', 'pipe', 'pipe', CHANNELS[channel ?? 'none']],
      detached: isGroup,
      windowsHide: true,
    }),
  )
  child.on('error', () => undefined)
  const { stdin, stdout, stderr } = child
  // Node creates no pipes at all when there are no descriptors for them, and reports that later.
  if (!stdin || !stdout || !stderr) throw new ProcessNotStarted(program, 'EMFILE')
  // A program may end without reading all of its input; its exit status is more informative.
  stdin.on('error', () => stdin.destroy())
  return Object.assign(child, { stdin, stdout, stderr })
}

/** Lets this process end before a child that waits for that. What the child prints is lost. */
export function detach(child: PipedProcess): void {
  child.stdout.destroy()
  child.stderr.destroy()
  child.unref()
  if (child.stdin instanceof Socket) child.stdin.unref()
}

/** Describes how a process ended. */
export function ended(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}

/** Sends a signal to the leader of a process group, and to all its members. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch (error) {
    // It has ended, or runs with the rights of another user.
    if (!['ESRCH', 'EPERM'].includes(codeOf(error))) throw error
  }
}

/** Ends a process group: asks it to, and kills it when it does not. */
export async function endGroup(child: PipedProcess): Promise<void> {
  signalGroup(child, 'SIGTERM')
  const closed = new Promise((resolve) => child.once('close', resolve))
  await Promise.race([closed, wait(GRACE_MS, null, { ref: false })])
  signalGroup(child, 'SIGKILL')
  // A process that left the group may still hold the pipes.
  child.stdout.destroy()
  child.stderr.destroy()
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
