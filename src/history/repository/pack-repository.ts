import { DELTA_DEPTH } from '../../git/empty-repository.ts'
import type { GitExecutable, Version } from '../../git/git-executable.ts'

/** One processor is enough, and packs are on disk before what they replace is removed. */
const SETTINGS = ['-c', 'pack.threads=1', '-c', 'core.fsync=committed']
const REPACK = [...SETTINGS, 'repack', '-d', '-q', `--depth=${DELTA_DEPTH}`]
const GEOMETRIC_SINCE: Version = [2, 32]

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
