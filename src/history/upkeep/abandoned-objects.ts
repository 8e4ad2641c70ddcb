import { join } from 'node:path'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import type { GitStore } from '../../git/git-store.ts'

/** What git leaves in its folder of packs when it is killed, and how old it is then at least, in milliseconds. */
const ABANDONED = /^\.?tmp[-_]/
const ABANDONED_AFTER = 3_600_000
/** Where git keeps the objects of a push until it is accepted; a git before 2.35 left out the beginning. */
const INCOMING = /^(?:tmp_objdir-)?incoming-\w+$/

/** The folders with the objects of pushes that are not accepted yet, or never will be. */
export async function listIncoming({ fs, gitDir }: GitStore): Promise<string[]> {
  const objects = join(gitDir, 'objects')
  const names = (await orNullWhenAbsent(fs.readdir(objects))) ?? []
  return names.filter((name) => INCOMING.test(name)).map((name) => join(objects, name))
}

/** Removes packs and pushes that were never finished. Whoever still writes one has touched it lately. */
export async function removeAbandoned(store: GitStore, now: number): Promise<void> {
  const packs = join(store.gitDir, 'objects', 'pack')
  const names = (await orNullWhenAbsent(store.fs.readdir(packs))) ?? []
  const unfinished = names.filter((name) => ABANDONED.test(name)).map((name) => join(packs, name))
  for (const path of [...unfinished, ...(await listIncoming(store))]) {
    const touched = await lastTouched(store, path)
    if (now - touched <= ABANDONED_AFTER) continue
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
