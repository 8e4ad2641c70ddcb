import { getConfig, setConfig } from 'isomorphic-git'
import { durableFs } from '../storage/durable-fs.ts'
import type { GitStore } from './git-store.ts'
import { DELTA_DEPTH } from './pack-repository.ts'

/**
 * What this service needs of git: a push that moves the live file too, bytes left as they are, and
 * packs of any `git gc` that old revisions are read from as quickly as new ones.
 */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ['receive.denyCurrentBranch', 'updateInstead'],
  ['core.autocrlf', 'false'],
  ['pack.depth', String(DELTA_DEPTH)],
])

/** Gives a repository the settings that it needs and does not have. What somebody has set stays. */
export async function completeSettings({ fs, gitDir: gitdir }: GitStore): Promise<void> {
  const store = { fs: durableFs(fs), gitdir }
  for (const [path, value] of NEEDED) {
    if ((await findSetting({ fs, gitDir: gitdir }, path)) === null)
      await setConfig({ ...store, path, value })
  }
}

/** A setting of the repository itself as text, or null. */
export async function findSetting({ fs, gitDir }: GitStore, path: string): Promise<string | null> {
  const value: unknown = await getConfig({ fs: { promises: fs }, gitdir: gitDir, path })
  if (value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
