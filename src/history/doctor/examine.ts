import nodeFs, { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { ServiceError, unavailable } from '../../core/errors.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { openProcessLock } from '../../storage/process-lock.ts'
import { requireGit } from '../../git/run-git.ts'
import { verifyRepository, type VerifyOptions } from '../upkeep/verify.ts'
import { Quarantine } from './quarantine.ts'
import { findBrokenObjects } from './broken-objects.ts'
import { findBrokenPacks } from './broken-packs.ts'
import { findDamagedGraphs, findDamagedIndex, findDamagedStage } from './derived-files.ts'
import { findLeftovers } from './leftovers.ts'
import { findMissingObjects } from './missing-objects.ts'
import { type RepairFinding, lost, type RepairContext } from './repair-context.ts'
import { findStaleLocks } from './stale-locks.ts'
import { findTornRefs } from './torn-refs.ts'

export type { RepairFinding } from './repair-context.ts'

export interface ExamineOptions extends VerifyOptions {
  readonly repair: boolean
  /** Other repositories that may have what is missing here. */
  readonly donors: readonly string[]
  readonly clock: Clock
}

export interface Examination {
  readonly findings: readonly RepairFinding[]
  /** Where things were moved, when anything may have been. */
  readonly asideFolder: string | null
}

type Look = (patient: RepairContext) => Promise<RepairFinding[]>

/** In the order in which one can be mended after the other. */
const GROUND: readonly Look[] = [
  findStaleLocks,
  findLeftovers,
  findDamagedGraphs,
  findBrokenPacks,
  findDamagedGraphs,
  findBrokenObjects,
  findTornRefs,
]
/** What can be judged on whole ground only. */
const ABOVE: readonly Look[] = [findMissingObjects, findDamagedStage, findDamagedIndex, verified]

/**
 * Looks for everything that can be wrong with a repository, and mends what can be: nothing is
 * deleted, and no branch is taken back.
 *
 * @throws {ServiceError} `unavailable` when there is no repository, or a service runs on one that is to be mended.
 */
export async function examineRepository(options: ExamineOptions): Promise<Examination> {
  const gitDir = join(options.repository, '.git')
  if ((await orNullWhenAbsent(stat(gitDir))) === null) {
    throw unavailable(`${options.repository} is not a git repository`)
  }
  const own = join(gitDir, 'cairn')
  if (!options.repair) {
    return { findings: await look(options, { gitDir, aside: null }), asideFolder: null }
  }
  await nodeFs.mkdir(own, { recursive: true })
  const lock = await openProcessLock(join(own, 'lock'))
  try {
    const aside = new Quarantine(options.repository, { gitDir, time: options.clock() })
    return { findings: await look(options, { gitDir, aside }), asideFolder: aside.folder }
  } finally {
    await lock[Symbol.asyncDispose]()
  }
}

async function look(
  options: ExamineOptions,
  { gitDir, aside }: { gitDir: string; aside: Quarantine | null },
): Promise<RepairFinding[]> {
  const git = await requireGit(options.programPath)
  const donors = await Promise.all(options.donors.map(gitDirOf))
  const patient: RepairContext = { ...options, gitDir, git, quarantine: aside, sources: donors }
  const ground = await lookThrough(GROUND, patient)
  if (ground.some(({ state }) => state !== 'mended')) return ground
  return [...ground, ...(await lookThrough(ABOVE, patient))]
}

/** Ends at what cannot be mended: what comes after it cannot be judged. */
async function lookThrough(
  looks: readonly Look[],
  patient: RepairContext,
): Promise<RepairFinding[]> {
  const findings: RepairFinding[] = []
  for (const each of looks) {
    findings.push(...(await each(patient)))
    if (findings.some(({ state }) => state === 'lost')) return findings
  }
  return findings
}

async function verified(patient: RepairContext): Promise<RepairFinding[]> {
  const advice = 'restore a backup, or take the branch back to a commit before it with git'
  try {
    const { problems } = await verifyRepository(patient)
    return problems.map((problem) => lost(problem, advice))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return [lost(error.message, advice)]
  }
}

async function gitDirOf(repository: string): Promise<string> {
  const inner = join(repository, '.git')
  return (await orNullWhenAbsent(stat(inner))) === null ? repository : inner
}
