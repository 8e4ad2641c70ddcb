import { join } from 'node:path'
import { replaceFile } from '../../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { addConfigValues, findConfigValue } from '../../git/git-config.ts'
import type { GitStore } from '../../git/git-store.ts'
import { DELTA_DEPTH } from '../../git/empty-repository.ts'

/**
 * The settings that this service needs: a push updates the live file too, bytes stay unchanged, and
 * `git gc` writes packs from which old revisions are read as quickly as new ones.
 */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ['receive.denyCurrentBranch', 'updateInstead'],
  // Reviews are there: a push past the service, as over SSH, would make some up.
  ['receive.hideRefs', 'refs/proposals'],
  ['core.autocrlf', 'false'],
  ['pack.depth', String(DELTA_DEPTH)],
])

/** Adds the required settings that a repository lacks. Existing values stay. */
export async function completeSettings(store: GitStore): Promise<void> {
  const text = await readConfig(store)
  const missing = [...NEEDED].filter(([path]) => findConfigValue(text, path) === null)
  if (missing.length === 0) return
  await replaceFile(configFile(store), addConfigValues(text, missing), { fs: store.fs })
}

/** A setting of the repository itself as text, or null. */
export async function findSetting(store: GitStore, path: string): Promise<string | null> {
  return findConfigValue(await readConfig(store), path)
}

async function readConfig(store: GitStore): Promise<string> {
  const bytes = await orNullWhenAbsent(store.fs.readFile(configFile(store)))
  return Buffer.from(bytes ?? []).toString('utf8')
}

function configFile({ gitDir }: GitStore): string {
  return join(gitDir, 'config')
}
