import { join } from 'node:path'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import type { GitExecutable, Version } from './git-executable.ts'
import type { GitStore } from './git-store.ts'

/** Short chains of deltas cost little space and make reading an old revision as quick as a new one. */
export const DELTA_DEPTH = 20

/** One processor is enough, and packs are on disk before what they replace is removed. */
const SETTINGS = ['-c', 'pack.threads=1', '-c', 'core.fsync=committed']
const REPACK = [...SETTINGS, 'repack', '-d', '-q', `--depth=${DELTA_DEPTH}`]
const GEOMETRIC_SINCE: Version = [2, 32]

/** What git leaves in its folder of packs when it is killed, and how old it is then at least, in milliseconds. */
const ABANDONED = /^\.?tmp[-_]/
const ABANDONED_AFTER = 3_600_000

/**
 * Puts loose objects into a pack, and packs of like size into larger ones, so that their number
 * grows with the logarithm of the history and every object is written again only as often.
 * The first step reads the history in its order, which makes the deltas small.
 *
 * Nothing is ever dropped, reachable or not: a writer may be about to refer to it.
 */
export async function packRepository(
  git: GitExecutable,
  gitDir: string,
  signal: AbortSignal,
): Promise<void> {
  const together = git.isAtLeast(GEOMETRIC_SINCE) ? ['--geometric=2'] : ['-a', '--keep-unreachable']
  const graph = ['commit-graph', 'write', '--reachable', '--split', '--no-progress']
  for (const args of [REPACK, [...REPACK, ...together], [...SETTINGS, ...graph]]) {
    await git.runAside(gitDir, args, signal)
  }
}

/** Removes packs that were never finished. Whoever still writes one has touched it lately. */
export async function removeAbandonedPacks({ fs, gitDir }: GitStore, now: number): Promise<void> {
  const folder = join(gitDir, 'objects', 'pack')
  const names = ((await orNullWhenAbsent(fs.readdir(folder))) ?? []).filter((name) =>
    ABANDONED.test(name),
  )
  for (const name of names) {
    const stats = await orNullWhenAbsent(fs.stat(join(folder, name)))
    if (stats !== null && now - stats.mtimeMs > ABANDONED_AFTER) {
      await fs.rm(join(folder, name), { force: true })
    }
  }
}
