import type { MaterialRevision, PipelineInstance } from '../../../builds/documents.ts'
import { materialFingerprint } from '../../../config/material-fingerprint.ts'
import { isIgnored } from '../../../config/materials/ignore-patterns.ts'
import { isSource, type SourceMaterial } from '../../../config/materials/identity.ts'
import type { Material, Pipeline } from '../../../config/model.ts'
import { ServiceError } from '../../../core/errors.ts'
import type { MaterialPoller } from '../../materials/material-poller.ts'
import { SourceFailed } from '../../materials/modification.ts'
import type { PassedStages } from './passed-stages.ts'

export interface RevisionsDeps {
  readonly poller: Pick<MaterialPoller, 'latest' | 'poll' | 'changes'>
  readonly passed: PassedStages
}

/**
 * The revisions that a pipeline would be made from as far as they are known, or null while one is
 * not: before a first poll, or the first passing of a stage that it depends on.
 */
export async function knownRevisions(
  deps: RevisionsDeps,
  { materials }: Pipeline,
  newest: PipelineInstance | null,
): Promise<readonly MaterialRevision[] | null> {
  const revisions: MaterialRevision[] = []
  for (const material of materials) {
    const fingerprint = materialFingerprint(material)
    const revision = await knownRevision(deps, material, fingerprint)
    // What is polled on demand alone stays as it was in the last run.
    const known = revision ?? (isOnDemand(material) ? revisionIn(newest, fingerprint) : null)
    if (known === null) return null
    revisions.push({ fingerprint, name: nameOf(material), revision: known })
  }
  return revisions
}

/**
 * The revisions that a pipeline is to be made from now, asked of every repository.
 *
 * @throws {ServiceError} `not-schedulable` when one cannot be told.
 */
export function newestRevisions(
  deps: RevisionsDeps,
  pipeline: Pipeline,
): Promise<readonly MaterialRevision[]> {
  const asked = pipeline.materials.map(async (material) => {
    const fingerprint = materialFingerprint(material)
    const revision = isSource(material)
      ? await pollFor(deps, pipeline, fingerprint)
      : await knownRevision(deps, material, fingerprint)
    if (revision === null) throw notSchedulable(pipeline, obstacleOf(material))
    return { fingerprint, name: nameOf(material), revision }
  })
  return Promise.all(asked)
}

/**
 * Whether something is there that the last run was not made from, besides changes of files that
 * the filters ignore.
 *
 * @throws {SourceFailed} when the changed files cannot be asked for.
 */
export async function hasNews(
  { poller }: RevisionsDeps,
  { materials }: Pipeline,
  {
    revisions,
    newest,
  }: {
    readonly revisions: readonly MaterialRevision[]
    readonly newest: PipelineInstance | null
  },
): Promise<boolean> {
  for (const { fingerprint, revision: upTo } of revisions) {
    const after = revisionIn(newest, fingerprint)
    if (after === upTo) continue
    const material = materials.find((each) => materialFingerprint(each) === fingerprint)
    const patterns = material && 'ignores' in material ? material.ignores : []
    if (after === null || patterns.length === 0) return true
    const changes = await poller.changes(fingerprint, { after, upTo })
    const ignores = patterns.map(({ pattern }) => pattern)
    if (changes === null || changes.some(({ files }) => isOfInterest(files, ignores))) return true
  }
  return false
}

/** A change of no file at all, such as an empty commit, was made for a reason. */
function isOfInterest(files: readonly string[], ignores: readonly string[]): boolean {
  return files.length === 0 || files.some((file) => !isIgnored(file, ignores))
}

async function knownRevision(
  { poller, passed }: RevisionsDeps,
  material: Material,
  fingerprint: string,
): Promise<string | null> {
  if (isSource(material)) return poller.latest(fingerprint)
  return material.kind === 'dependency' ? passed.revisionOf(material) : null
}

async function pollFor(
  { poller }: RevisionsDeps,
  pipeline: Pipeline,
  fingerprint: string,
): Promise<string> {
  try {
    return await poller.poll(fingerprint)
  } catch (error) {
    if (!(error instanceof SourceFailed)) throw error
    throw notSchedulable(pipeline, `a material cannot be read: ${error.message}`, error)
  }
}

function isOnDemand(material: Material): material is SourceMaterial {
  return isSource(material) && !material.autoUpdate
}

function revisionIn(run: PipelineInstance | null, fingerprint: string): string | null {
  return run?.revisions.find((each) => each.fingerprint === fingerprint)?.revision ?? null
}

/** Labels may speak of a material by this name. */
function nameOf(material: Material): string | null {
  if (material.kind === 'dependency') return material.name ?? material.pipeline
  return 'name' in material ? material.name : null
}

function obstacleOf(material: Material): string {
  if (material.kind !== 'dependency') return 'it has a material that needs a plugin'
  return `the stage ${material.stage} of the pipeline ${material.pipeline} has not passed yet`
}

function notSchedulable({ name, stages }: Pipeline, reason: string, cause?: unknown): ServiceError {
  const message = `The pipeline ${name} cannot start: ${reason}`
  const facts = { pipeline: name, stage: stages[0]?.name ?? '', reason }
  return new ServiceError('not-schedulable', message, facts, { cause })
}
