import { lstat, mkdir, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { ServiceError } from '../../core/errors.ts'
import { isDraftName } from '../../storage/file-draft.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { openProcessLock, type ProcessLock, systemFileOf } from '../../storage/process-lock.ts'
import { removeFolder } from '../../storage/folders.ts'

/** A temporary folder in which a file is made, removed on disposal. */
export interface Staging extends AsyncDisposable {
  readonly folder: string
}

const DRAFT = /\.(?:begun|draft)-[0-9a-f]{16}$/
const LOCK = 'lock'
/** Milliseconds within which a new draft has its lock. */
const BEGINNING_MS = 60_000

/** Creates a folder beside the file, readable by its owner only, and removes abandoned ones of any file. */
export async function openStaging(target: string): Promise<Staging> {
  await removeAbandoned(dirname(target))
  const id = randomBytes(8).toString('hex')
  const [begun, folder] = [`${target}.begun-${id}`, `${target}.draft-${id}`]
  await mkdir(begun, { mode: 0o700 })
  try {
    const lock = await openProcessLock(join(begun, LOCK))
    // A draft never appears without its lock, so one without a holder can be removed at once.
    await rename(begun, folder)
    return {
      folder,
      [Symbol.asyncDispose]: async () => {
        await removeHeld(folder, lock)
        await lock[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await removeFolder(begun)
    throw error
  }
}

/** The lock goes last: what a crash leaves of the folder is still known as a draft. */
async function removeHeld(folder: string, { names }: ProcessLock): Promise<void> {
  const all = (await orNullWhenAbsent(readdir(folder))) ?? []
  const content = all.filter((name) => !names.includes(name))
  for (const name of content) await removeFolder(join(folder, name))
  await removeFolder(folder)
}

async function removeAbandoned(parent: string): Promise<void> {
  const names = (await readdir(parent)).filter((name) => DRAFT.test(name))
  for (const name of names) await removeUnlessHeld(join(parent, name))
}

/**
 * A folder with the name of a draft is one when it is ours and holds a lock, or is recent and holds
 * only the start of one.
 */
async function removeUnlessHeld(folder: string): Promise<void> {
  const stats = await orNullWhenAbsent(lstat(folder))
  if (!stats?.isDirectory() || stats.uid !== process.getuid?.()) return
  const names = (await orNullWhenAbsent(readdir(folder))) ?? []
  const isForgotten = names.every(isDraftName) && Date.now() - stats.mtimeMs > BEGINNING_MS
  const hasLock = names.includes(LOCK) || names.includes(systemFileOf(LOCK))
  if (!hasLock && !isForgotten) return
  try {
    await using lock = await openProcessLock(join(folder, LOCK))
    await removeHeld(folder, lock)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
  }
}
