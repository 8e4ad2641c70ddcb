import { stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { findIndexProblems } from '../upkeep/verify.ts'
import { type RepairFinding, gitOn, repairable, type RepairContext } from './repair-context.ts'

interface Derived {
  readonly paths: readonly string[]
  /** A git command that fails when it is damaged. */
  readonly check: readonly string[]
}

/** Files that git derives from the objects for speed. */
const OF_GIT: readonly Derived[] = [
  {
    paths: ['objects/info/commit-graph', 'objects/info/commit-graphs'],
    check: ['commit-graph', 'verify', '--no-progress'],
  },
  {
    paths: ['objects/pack/multi-pack-index'],
    check: ['multi-pack-index', 'verify', '--no-progress'],
  },
]

/** Finds damaged files that git or the service can generate again. */
export async function findDamagedGraphs(context: RepairContext): Promise<RepairFinding[]> {
  const findings: RepairFinding[] = []
  for (const { paths, check } of OF_GIT) {
    const there = await present(paths.map((path) => join(context.gitDir, path)))
    if (there.length === 0 || (await gitOn(context, ...check)).isDone) continue
    for (const path of there) {
      const what = `${relative(context.repository, path)} is damaged`
      const facts = { what, remedy: 'moved aside; it is rebuilt when it is needed' }
      findings.push(await repairable(context, facts, (quarantine) => quarantine.move(path)))
    }
  }
  return findings
}

/** Checks git's staging index. Without it git believes that every file was removed. */
export async function findDamagedStage(context: RepairContext): Promise<RepairFinding[]> {
  const path = join(context.gitDir, 'index')
  const isThere = (await present([path])).length > 0
  if (isThere && (await gitOn(context, 'ls-files', '--stage')).isDone) return []
  const what = isThere ? '.git/index is damaged' : '.git/index is missing'
  const facts = { what, remedy: 'rebuilt from the newest commit' }
  const finding = await repairable(context, facts, async (quarantine) => {
    if (isThere) await quarantine.move(path)
    await gitOn(context, 'read-tree', 'HEAD')
    await gitOn(context, `--work-tree=${context.repository}`, 'update-index', '-q', '--refresh')
  })
  return [finding]
}

/** Checks the service's own index of revisions. */
export async function findDamagedIndex(context: RepairContext): Promise<RepairFinding[]> {
  const path = join(context.gitDir, 'cairn', 'revisions')
  const problems = await findIndexProblems(context)
  if (problems.length === 0) return []
  const facts = { what: problems.join('; '), remedy: 'moved aside; a start reads git again' }
  return [await repairable(context, facts, (quarantine) => quarantine.move(path))]
}

async function present(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => orNullWhenAbsent(stat(path))))
  return paths.filter((_, n) => found[n] !== null)
}
