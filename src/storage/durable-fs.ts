import nodeFs from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FsPromises } from './fs-promises.ts'
import { FileDraft, isDraftName } from './file-draft.ts'
import { orNullWhenAbsent } from './fs-error.ts'
import { syncFolder } from './sync-folder.ts'

export interface ReplaceOptions {
  /** Permission bits; by default those of the replaced file. */
  readonly mode?: number
  /** Permission bits of a file that is not there yet; by default those of any new file. */
  readonly newMode?: number
  readonly fs?: FsPromises
  /**
   * Called right before the replacement, when the new bytes are ready: false keeps the old file.
   */
  readonly mayReplace?: () => Promise<boolean>
}

/** Time without a change, in milliseconds. */
const ABANDONED_AFTER_MS = 3_600_000
const DRAFT_OF_ANY = /^(?:\.draft-[0-9a-f]{16}|.+\.sqlite\.draft-[\w-]+)$/

/**
 * Replaces a whole file or leaves it unchanged, even if the process or the power fails half way.
 * It keeps its owner, its group and, unless others are named, its permission bits.
 * The new bytes are durable when it returns. The folder has to exist.
 */
export async function replaceFile(
  file: string,
  bytes: string | Uint8Array,
  { mode, newMode, fs = nodeFs, mayReplace = async () => true }: ReplaceOptions = {},
): Promise<void> {
  await using draft = await FileDraft.write(file, bytes, {
    fs,
    mode: mode ?? (await modeOf(fs, file)) ?? newMode ?? null,
  })
  if (!(await mayReplace())) return
  await draft.place()
  await draft.syncName()
}

/**
 * A file system whose `writeFile` either replaces the whole file or leaves it unchanged, and whose
 * files and folders are durable when a call returns. A partly written file would be read as damage,
 * or as data, after a crash.
 */
export function durableFs(base: FsPromises = nodeFs): { readonly promises: FsPromises } {
  const promises: FsPromises = Object.assign(Object.create(base), {
    writeFile: durableWriteFile(base),
    mkdir: durableMkdir(base),
    async rename(from: string, to: string) {
      await base.rename(from, to)
      await syncFolder(base, dirname(to))
    },
  })
  return { promises }
}

/**
 * Removes the drafts of crashed writers from a folder. Only the folder's single writer may call it.
 */
export async function removeDrafts(folder: string, fs: FsPromises = nodeFs): Promise<void> {
  const names = (await orNullWhenAbsent(fs.readdir(folder))) ?? []
  const drafts = names.filter(isDraftName)
  await Promise.all(drafts.map((name) => fs.rm(join(folder, name), { force: true })))
}

/**
 * Removes from a folder of several writers the drafts that none of them still writes, also those of a
 * whole database.
 */
export async function removeAbandonedDrafts(folder: string): Promise<void> {
  const names = (await orNullWhenAbsent(nodeFs.readdir(folder))) ?? []
  for (const name of names.filter((each) => DRAFT_OF_ANY.test(each))) {
    const path = join(folder, name)
    const stats = await orNullWhenAbsent(nodeFs.lstat(path))
    if (stats === null || Date.now() - stats.mtimeMs < ABANDONED_AFTER_MS) continue
    await nodeFs.rm(path, { recursive: true, force: true })
  }
}

function durableWriteFile(base: FsPromises): FsPromises['writeFile'] {
  return async (file, data, options) => {
    if (typeof file !== 'string') throw new TypeError('durableFs writes to paths only')
    const { mode, encoding } =
      typeof options === 'string' ? { encoding: options } : { ...options, mode: options?.mode }
    const bytes = typeof data === 'string' ? Buffer.from(data, encoding ?? 'utf8') : data
    await replaceFile(file, bytes, { fs: base, ...(mode === undefined ? {} : { mode }) })
  }
}

function durableMkdir(base: FsPromises): FsPromises['mkdir'] {
  return async (folder, options) => {
    const first = await base.mkdir(folder, options)
    const recursive = typeof options === 'object' && options.recursive === true
    if (recursive && first === undefined) return first
    await syncChain(base, { from: dirname(folder), upTo: dirname(first ?? folder) })
    return first
  }
}

async function syncChain(
  fs: FsPromises,
  { from, upTo }: { from: string; upTo: string },
): Promise<void> {
  await syncFolder(fs, from)
  if (from === upTo || dirname(from) === from) return
  await syncChain(fs, { from: dirname(from), upTo })
}

async function modeOf(fs: FsPromises, file: string): Promise<number | null> {
  const stats = await orNullWhenAbsent(fs.stat(file))
  return stats === null ? null : stats.mode & 0o7777
}
