import nodeFs, { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { ServiceError } from '../../core/errors.ts'
import { isThere, orNullWhenAbsent } from '../../storage/fs-error.ts'
import { openProcessLock } from '../../storage/process-lock.ts'
import { assertGitFolder } from '../../git/git-folder.ts'
import { requireGit } from '../../git/run-git.ts'
import type { RevisionLog } from '../log/revision-log.ts'
import { noConfigurationIn, verifyRepository, type VerifyOptions } from '../upkeep/verify.ts'
import { Quarantine } from './quarantine.ts'
import { findBrokenPacks } from './broken-packs.ts'
import { findDamagedGraphs, findDamagedIndex, findDamagedStage } from './derived-files.ts'
import { findLeftovers, findStaleLocks } from './leftovers.ts'
import { findMissingObjects } from './missing-objects.ts'
import { type RepairFinding, lost, type RepairContext, repairable } from './repair-context.ts'
import { findTornRefs } from './torn-refs.ts'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { isObjectName } from '../../core/object-name.ts'
import { formatOfName } from '../../git/object-format.ts'

const inflated = promisify(inflate)

export type { RepairFinding } from './repair-context.ts'

export interface ExamineOptions extends VerifyOptions {
  readonly repair: boolean
  /** Other repositories, which may have the objects that are missing here. */
  readonly sources: readonly string[]
  /** The log that the repository follows; null for a single server. */
  readonly log: RevisionLog | null
  readonly clock: Clock
}

export interface Examination {
  readonly findings: readonly RepairFinding[]
  /** Harmless oddities, which no repair changes, a sentence each. */
  readonly notes: readonly string[]
  /** The folder of quarantined files; null when nothing was moved. */
  readonly quarantineFolder: string | null
}

type Check = (context: RepairContext) => Promise<RepairFinding[]>

/** Checks of objects, refs and locks. Each relies on the repairs of those before it. */
const OBJECT_CHECKS: readonly Check[] = [
  findStaleLocks,
  findLeftovers,
  findDamagedGraphs,
  findBrokenPacks,
  findDamagedGraphs,
  findBrokenObjects,
  findTornRefs,
]
/** Checks of the history, which rely on whole objects. */
const HISTORY_CHECKS: readonly Check[] = [findDamagedStage, findDamagedIndex]

/**
 * Runs every check on a repository, and repairs what can be repaired. It deletes nothing and takes
 * no branch back.
 *
 * @throws {ServiceError} `unavailable` when there is no repository, or a service runs on one that
 * is to be repaired.
 */
export async function examineRepository(options: ExamineOptions): Promise<Examination> {
  const gitDir = join(options.repository, '.git')
  await assertGitFolder(gitDir, options.repository)
  const own = join(gitDir, 'cairn')
  if (!options.repair) {
    return {
      ...(await runAllChecks(options, { gitDir, quarantine: null })),
      quarantineFolder: null,
    }
  }
  await nodeFs.mkdir(own, { recursive: true })
  const lock = await openProcessLock(join(own, 'lock'))
  try {
    const quarantine = new Quarantine(options.repository, { gitDir, time: options.clock() })
    return {
      ...(await runAllChecks(options, { gitDir, quarantine })),
      quarantineFolder: quarantine.isEmpty ? null : quarantine.folder,
    }
  } finally {
    await lock[Symbol.asyncDispose]()
  }
}

async function runAllChecks(
  options: ExamineOptions,
  { gitDir, quarantine }: { gitDir: string; quarantine: Quarantine | null },
): Promise<Pick<Examination, 'findings' | 'notes'>> {
  const git = await requireGit(options.programPath)
  const sources = await Promise.all(options.sources.map(gitDirOf))
  const context: RepairContext = { ...options, gitDir, git, quarantine, sources }
  const objects = await runChecks(OBJECT_CHECKS, context)
  if (objects.some(isLeft)) return { findings: objects, notes: [] }
  objects.push(...(await findMissingObjects(context)))
  if (objects.some(isLeft)) return { findings: objects, notes: [] }
  const history = await runChecks(HISTORY_CHECKS, context)
  if (history.some(({ state }) => state === 'lost')) {
    return { findings: [...objects, ...history], notes: [] }
  }
  const { findings, notes } = await verified(context)
  return { findings: [...objects, ...history, ...findings], notes }
}

function isLeft({ state }: RepairFinding): boolean {
  return state !== 'repaired'
}

/** Stops at damage that cannot be repaired, because later checks rely on the repair. */
async function runChecks(
  looks: readonly Check[],
  context: RepairContext,
): Promise<RepairFinding[]> {
  const findings: RepairFinding[] = []
  for (const each of looks) {
    findings.push(...(await each(context)))
    if (findings.some(({ state }) => state === 'lost')) return findings
  }
  return findings
}

async function verified(context: RepairContext): Promise<Pick<Examination, 'findings' | 'notes'>> {
  const advice = 'restore a backup, or take the branch back to a commit before it with git'
  const none = noConfigurationIn(context.fileName)
  try {
    const { problems, notes } = await verifyRepository(context)
    const findings = problems.map((problem) =>
      lost(problem, problem === none ? 'name it with --config-file, or restore a backup' : advice),
    )
    return { findings, notes }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { findings: [lost(error.message, advice)], notes: [] }
  }
}

async function gitDirOf(repository: string): Promise<string> {
  const inner = join(repository, '.git')
  return (await isThere(inner)) ? inner : repository
}

/** Finds loose objects whose content does not match their name: truncated by a power cut, or changed. */
async function findBrokenObjects(context: RepairContext): Promise<RepairFinding[]> {
  const objects = join(context.gitDir, 'objects')
  const folders = (await readdir(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name))
  const findings: RepairFinding[] = []
  for (const folder of folders) {
    const names = (await orNullWhenAbsent(readdir(join(objects, folder)))) ?? []
    for (const name of names.filter((each) => isObjectName(folder + each))) {
      const path = join(objects, folder, name)
      if (await isWhole(path, folder + name)) continue
      const what = `The object ${folder}${name} is damaged`
      const remedy = 'moved aside'
      findings.push(
        await repairable(context, { what, remedy }, (quarantine) => quarantine.move(path)),
      )
    }
  }
  return findings
}

/** An object may vanish meanwhile, because a git command has packed it. */
async function isWhole(path: string, oid: string): Promise<boolean> {
  const bytes = await orNullWhenAbsent(readFile(path))
  if (bytes === null) return true
  try {
    const content = await inflated(bytes)
    return createHash(formatOfName(oid).name).update(content).digest('hex') === oid
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      return false
    throw error
  }
}
