import { setTimeout as delay } from 'node:timers/promises'
import type { ControlGroup } from './control-group.ts'
import { type JobUser, killAllOf } from './job-user.ts'
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Identifies processes of a job: by a variable in their environment, by process group, by user, and
 * by control group.
 */
export interface Belonging {
  isMarked(environment: string): boolean
  readonly groups: ReadonlySet<number>
  /** Every process of this user counts as one of them. */
  readonly user?: JobUser | null
  readonly controlGroups?: readonly ControlGroup[]
}

const LOOK_AGAIN_MS = 25
/**
 * The number of empty scans in a row: on a loaded machine a single scan can be too slow to see a
 * process that keeps forking.
 */
const EMPTY_SCANS = 3
/** Rounds of SIGKILL before giving up on processes that do not end. */
const MAX_ROUNDS = 120

/**
 * Ends all marked processes and their descendants, also those that left their group: SIGTERM, and
 * SIGKILL for the rest after the grace time. Returns the number that could not be ended.
 */
export async function endProcesses(belonging: Belonging, graceMs: number): Promise<number> {
  let left = findProcesses(belonging)
  if (left.pids.length > 0) {
    signalAll(left.pids, 'SIGTERM')
    await untilEnded(left.pids, graceMs)
  }
  let quiet = left.pids.length === 0 ? 1 : 0
  for (let round = 0; round < MAX_ROUNDS && quiet < EMPTY_SCANS; round += 1) {
    await delay(round === 0 ? 0 : LOOK_AGAIN_MS)
    const { groups } = left
    left = findProcesses(belonging)
    quiet = left.pids.length === 0 ? quiet + 1 : 0
    signalAll([...left.pids, ...wholeGroups([...groups, ...left.groups])], 'SIGKILL')
    if (left.pids.length === 0) continue
    if (belonging.user) killAllOf(belonging.user)
    for (const group of belonging.controlGroups ?? []) group.kill()
  }
  return left.pids.length
}

/**
 * Group numbers as `kill` takes them. The kernel ends a group at once, even one that forks faster
 * than a scan reads.
 */
function wholeGroups(groups: readonly number[]): number[] {
  return groups.filter((group) => group > 1).map((group) => -group)
}

async function untilEnded(pids: readonly number[], graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs
  while (pids.some(isProcessAlive) && performance.now() < deadline) await delay(LOOK_AGAIN_MS)
}

/**
 * The live processes that belong and all their descendants, with their process groups, without the
 * group that this process is in.
 */
export function findProcesses(belonging: Belonging): {
  readonly pids: number[]
  readonly groups: number[]
} {
  const all = listProcesses()
  const own = all.find(({ pid }) => pid === process.pid)?.group
  const table = all.filter(({ zombie, pid }) => !zombie && pid !== process.pid)
  const members = (belonging.controlGroups ?? []).flatMap((group) => group.listMembers())
  const found = new Set(members.filter((pid) => pid !== process.pid))
  for (const entry of table) if (isOurs(entry, belonging)) found.add(entry.pid)
  for (let before = -1; before !== found.size;) {
    before = found.size
    for (const { pid, parent } of table) if (found.has(parent)) found.add(pid)
  }
  const groups = table.filter(({ pid }) => found.has(pid)).map(({ group }) => group)
  return { pids: [...found], groups: [...new Set(groups)].filter((group) => group !== own) }
}

function isOurs(entry: ProcessEntry, belonging: Belonging): boolean {
  const isUsers = belonging.user ? entry.user === belonging.user.uid : false
  return isUsers || belonging.groups.has(entry.group) || belonging.isMarked(entry.environment)
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (!isGoneOrForeign(error)) throw error
    }
  }
}

function isGoneOrForeign(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['ESRCH', 'EPERM'].includes(String(error.code))
  )
}

/** One process, as `/proc` shows it. */
interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** Ended, but not yet reaped by its parent. */
  readonly zombie: boolean
  /** The initial environment, separated by NUL; empty when it is not readable. */
  readonly environment: string
  /** The id of its user; null when it is not readable. */
  readonly user: number | null
}

/** Processes that end or belong to another user. */
const UNREADABLE: ReadonlySet<string> = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'])

/** Every process of this machine; none where there is no `/proc`. */
function listProcesses(): ProcessEntry[] {
  return readNames().flatMap((name) => {
    const entry = /^\d+$/.test(name) ? readProcess(name) : null
    return entry ? [entry] : []
  })
}

function readNames(): string[] {
  try {
    return readdirSync('/proc')
  } catch (error) {
    if (isUnreadable(error)) return []
    throw error
  }
}

/** Whether a process exists and has not ended. */
export function isProcessAlive(pid: number): boolean {
  const condition = readCondition(String(pid))
  return condition !== null && !condition.zombie
}

function readProcess(name: string): ProcessEntry | null {
  const condition = readCondition(name)
  if (condition === null) return null
  const environment = condition.zombie ? '' : (readWhole(`/proc/${name}/environ`) ?? '')
  const [, uid] = /^Uid:\s+(\d+)/m.exec(readWhole(`/proc/${name}/status`) ?? '') ?? []
  return { ...condition, environment, user: uid === undefined ? null : Number(uid) }
}

function readCondition(name: string): Omit<ProcessEntry, 'environment' | 'user'> | null {
  const stat = readWhole(`/proc/${name}/stat`)
  if (stat === null) return null
  // The command's name is in parentheses and may itself contain spaces and parentheses.
  const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const zombie = state === 'Z' || state === 'X'
  return { pid: Number(name), parent: Number(parent), group: Number(group), zombie }
}

function readWhole(file: string): string | null {
  try {
    return readFileSync(file, 'latin1')
  } catch (error) {
    if (isUnreadable(error)) return null
    throw error
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && UNREADABLE.has(String(error.code))
}
