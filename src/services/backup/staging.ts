import { mkdir, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { ServiceError } from '../../core/errors.ts'
import { openProcessLock } from '../../storage/process-lock.ts'
import { removeFolder } from '../../storage/remove-folder.ts'

/** A folder in which a file is made, gone when it is disposed of. */
export interface Staging extends AsyncDisposable {
  readonly folder: string
}

/** Makes a folder beside the file, which only its owner can read, and removes those whose makers died. */
export async function openStaging(target: string): Promise<Staging> {
  await removeAbandoned(target)
  const folder = `${target}.draft-${randomBytes(8).toString('hex')}`
  await mkdir(folder, { mode: 0o700 })
  const lock = await openProcessLock(join(folder, 'lock'))
  return {
    folder,
    [Symbol.asyncDispose]: async () => {
      await lock[Symbol.asyncDispose]()
      await removeFolder(folder)
    },
  }
}

async function removeAbandoned(target: string): Promise<void> {
  const prefix = `${basename(target)}.draft-`
  const names = (await readdir(dirname(target))).filter(
    (name) => name.startsWith(prefix) && /^[0-9a-f]{16}$/.test(name.slice(prefix.length)),
  )
  for (const name of names) await removeUnlessHeld(join(dirname(target), name))
}

async function removeUnlessHeld(folder: string): Promise<void> {
  try {
    await using lock = await openProcessLock(join(folder, 'lock'))
    await removeFolder(dirname(lock.file))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
  }
}
