import { readdirSync, readFileSync } from 'node:fs'

/** One process, as `/proc` shows it. */
export interface ProcessEntry {
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
export function listProcesses(): ProcessEntry[] {
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
