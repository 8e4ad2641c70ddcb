import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fsErrorCode, orNullWhenAbsent } from '../../storage/fs-error.ts'

/** Where processes cannot be inspected, a lock counts as stale after this time, in milliseconds. */
const STALE_AFTER_MS = 3_600_000

/** Describes the process that may hold a lock of the repository; null when there is none. */
export async function findHolder(lock: string, repository: string): Promise<string | null> {
  const names = await orNullWhenAbsent(readdir('/proc'))
  const processes = names?.filter((name) => /^\d+$/.test(name)) ?? []
  if (processes.length === 0) return byAge(lock)
  for (const pid of processes) {
    if (await mayHold(join('/proc', pid), { lock, repository })) return `process ${pid}`
  }
  return null
}

async function byAge(lock: string): Promise<string | null> {
  const { mtimeMs } = await stat(lock)
  return Date.now() - mtimeMs > STALE_AFTER_MS ? null : 'somebody, for it is less than an hour old'
}

/** Git closes its lock file while an editor is open. So any git process in this repository counts as a holder too. */
async function mayHold(
  folder: string,
  { lock, repository }: { lock: string; repository: string },
): Promise<boolean> {
  const name = await unlessGone(readFile(join(folder, 'comm'), 'utf8'))
  if (name === null) return false
  if (name.startsWith('git') && (await isAtWork(folder, repository))) return true
  const open = (await unlessGone(readdir(join(folder, 'fd')))) ?? []
  const files = await Promise.all(open.map((fd) => unlessGone(readlink(join(folder, 'fd', fd)))))
  return files.includes(lock)
}

/** The folder of a git process that may not be inspected is unknown. */
async function isAtWork(folder: string, repository: string): Promise<boolean> {
  try {
    const [place, line] = [await readlink(join(folder, 'cwd')), await readCommand(folder)]
    return `${place}/`.startsWith(`${repository}/`) || line.includes(repository)
  } catch (error) {
    if (isGone(error)) return false
    if (fsErrorCode(error) === 'EACCES') return true
    throw error
  }
}

function readCommand(folder: string): Promise<string> {
  return readFile(join(folder, 'cmdline'), 'utf8')
}

/** Null for a process that has ended, or whose files we cannot read. */
async function unlessGone<Value>(pending: Promise<Value>): Promise<Value | null> {
  try {
    return await pending
  } catch (error) {
    if (isGone(error) || ['EACCES', 'EPERM'].includes(fsErrorCode(error) ?? '')) return null
    throw error
  }
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ESRCH'].includes(fsErrorCode(error) ?? '')
}
