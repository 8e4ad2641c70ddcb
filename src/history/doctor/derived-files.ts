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

/** What git makes of the objects for speed. */
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

/** Damaged files that can be made anew by git or by the service. */
export async function findDamagedGraphs(patient: RepairContext): Promise<RepairFinding[]> {
  const findings: RepairFinding[] = []
  for (const { paths, check } of OF_GIT) {
    const there = await present(paths.map((path) => join(patient.gitDir, path)))
    if (there.length === 0 || (await gitOn(patient, ...check)).isDone) continue
    for (const path of there) {
      const what = `${relative(patient.repository, path)} is damaged`
      const facts = { what, remedy: 'moved aside; it is made anew when it is needed' }
      findings.push(await repairable(patient, facts, (aside) => aside.move(path)))
    }
  }
  return findings
}

/** Git's list of what is staged. Without it git believes that every file was removed. */
export async function findDamagedStage(patient: RepairContext): Promise<RepairFinding[]> {
  const path = join(patient.gitDir, 'index')
  const isThere = (await present([path])).length > 0
  if (isThere && (await gitOn(patient, 'ls-files', '--stage')).isDone) return []
  const what = isThere ? '.git/index is damaged' : '.git/index is missing'
  const facts = { what, remedy: 'made anew from the newest commit' }
  const finding = await repairable(patient, facts, async (aside) => {
    if (isThere) await aside.move(path)
    await gitOn(patient, 'read-tree', 'HEAD')
    await gitOn(patient, `--work-tree=${patient.repository}`, 'update-index', '-q', '--refresh')
  })
  return [finding]
}

/** The service's own index of revisions. */
export async function findDamagedIndex(patient: RepairContext): Promise<RepairFinding[]> {
  const path = join(patient.gitDir, 'cairn', 'revisions')
  const problems = await findIndexProblems(patient)
  if (problems.length === 0) return []
  const facts = { what: problems.join('; '), remedy: 'moved aside; a start reads git anew' }
  return [await repairable(patient, facts, (aside) => aside.move(path))]
}

async function present(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => orNullWhenAbsent(stat(path))))
  return paths.filter((_, n) => found[n] !== null)
}
