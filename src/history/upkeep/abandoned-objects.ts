import { join } from 'node:path'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import type { GitStore } from '../../git/git-store.ts'

/** Temporary packs of git processes that were killed, and their minimum age in milliseconds. */
const ABANDONED = /^\.?tmp[-_]/
const ABANDONED_AFTER_MS = 3_600_000
/**
 * The folders in which git keeps the objects of a push until it is accepted; before git 2.35
 * without the prefix.
 */
const INCOMING = /^(?:tmp_objdir-)?incoming-\w+$/

/** The folders with the objects of pending or abandoned pushes. */
export async function listIncoming({ fs, gitDir }: GitStore): Promise<string[]> {
  const objects = join(gitDir, 'objects')
  const names = (await orNullWhenAbsent(fs.readdir(objects))) ?? []
  return names.filter((name) => INCOMING.test(name)).map((name) => join(objects, name))
}

/** Removes packs and pushes that were never finished. Active writers touch theirs, so recent ones stay. */
export async function removeAbandoned(store: GitStore, now: number): Promise<void> {
  const packs = join(store.gitDir, 'objects', 'pack')
  const names = (await orNullWhenAbsent(store.fs.readdir(packs))) ?? []
  const unfinished = names.filter((name) => ABANDONED.test(name)).map((name) => join(packs, name))
  for (const path of [...unfinished, ...(await listIncoming(store))]) {
    const touched = await lastTouched(store, path)
    if (now - touched <= ABANDONED_AFTER_MS) continue
    await store.fs.rm(path, { force: true, recursive: true })
  }
}

/** When a file, or anything in a folder, was last changed. */
async function lastTouched(store: GitStore, path: string): Promise<number> {
  const stats = await orNullWhenAbsent(store.fs.stat(path))
  const names = stats?.isDirectory() ? ((await orNullWhenAbsent(store.fs.readdir(path))) ?? []) : []
  const inside = await Promise.all(names.map((name) => lastTouched(store, join(path, name))))
  return Math.max(stats?.mtimeMs ?? 0, ...inside)
}
