import type { MaterialRevision, PipelineInstance } from '../engine/documents.ts'
import { isIgnored } from '../../core/builds/path-patterns.ts'
import {
  isSource,
  type VersionControlMaterial,
  materialFingerprint,
} from '../../document/materials/identity.ts'
import type { Material, Pipeline } from '../../document/model/model.ts'
import { ServiceError } from '../../core/errors.ts'
import type { MaterialPoller } from '../materials/material-poller.ts'
import { SourceFailed } from '../../sources/modification.ts'
import { type UpstreamDeps, upstreamRevisions } from './upstream-revisions.ts'

/** The reason why a pipeline with an unwatched material cannot start. */
export function whyUnwatched({ kind }: Material): string {
  return `it has a material that ${kind === 'unknown' ? 'is of no known kind' : 'needs a plugin'}`
}

/** The revision of a material for the next run of a pipeline. */
export type WantedRevision = Pick<MaterialRevision, 'fingerprint' | 'name' | 'revision' | 'pinned'>

export interface RevisionsDeps extends UpstreamDeps {
  readonly poller: Pick<MaterialPoller, 'latest' | 'poll' | 'pollOnce' | 'changes' | 'find'>
}

/**
 * The revisions for the next run of a pipeline, or null while one is unknown: before a first poll,
 * or before the upstream stages have consistent passed runs.
 */
export async function knownRevisions(
  deps: RevisionsDeps,
  pipeline: Pipeline,
  newest: PipelineInstance | null,
): Promise<readonly WantedRevision[] | null> {
  const upstream = await upstreamRevisions(deps, pipeline)
  if ('obstacle' in upstream) return null
  const revisions: WantedRevision[] = []
  for (const material of pipeline.materials) {
    const fingerprint = materialFingerprint(material)
    // Materials polled only on demand keep the revision of the last run: others may have polled
    // them since.
    const own = isOnDemand(material)
      ? builtRevision(newest, fingerprint)
      : deps.poller.latest(fingerprint)
    const revision = upstream.revisions.get(fingerprint) ?? own
    if (revision === null) return null
    revisions.push({ fingerprint, name: shownMaterialName(material), revision })
  }
  return revisions
}

/**
 * The revisions for a run of a pipeline now; every repository that no upstream run determines is
 * polled. Pinned revisions stay, and do not restrict which upstream runs are consistent.
 *
 * @throws {ServiceError} `not-schedulable` when one cannot be determined.
 */
export async function newestRevisions(
  deps: RevisionsDeps,
  pipeline: Pipeline,
  pinned: ReadonlyMap<string, WantedRevision>,
): Promise<readonly WantedRevision[]> {
  const free = pipeline.materials.filter((each) => !pinned.has(materialFingerprint(each)))
  const upstream = await upstreamRevisions(deps, { materials: free })
  if ('obstacle' in upstream) throw notSchedulable(pipeline, upstream.obstacle)
  const asked = pipeline.materials.map(async (material) => {
    const fingerprint = materialFingerprint(material)
    const pin = pinned.get(fingerprint)
    if (pin) return pin
    const built = upstream.revisions.get(fingerprint) ?? null
    const revision = built ?? (await pollFor(deps, pipeline, material))
    return { fingerprint, name: shownMaterialName(material), revision }
  })
  return Promise.all(asked)
}

/**
 * Whether there is anything new since the last run, apart from changes of files that the filters
 * ignore, and of materials that start nothing.
 *
 * @throws {SourceFailed} when the changed files cannot be read.
 */
export async function hasNews(
  { poller }: { readonly poller: Pick<MaterialPoller, 'changes'> },
  { materials }: Pipeline,
  {
    revisions,
    newest,
  }: {
    readonly revisions: readonly WantedRevision[]
    readonly newest: PipelineInstance | null
  },
): Promise<boolean> {
  for (const { fingerprint, revision: upTo } of revisions) {
    const after = builtRevision(newest, fingerprint)
    if (after === upTo) continue
    const material = materials.find((each) => materialFingerprint(each) === fingerprint)
    if (material?.kind === 'dependency' && material.ignoreForScheduling) continue
    const filter = filterOf(material)
    if (after === null || filter === null) return true
    const changes = await poller.changes(fingerprint, { after, upTo })
    if (changes === null || changes.some(({ files }) => isOfInterest(files, filter))) return true
  }
  return false
}

interface Filter {
  readonly patterns: readonly string[]
  /** Whether the patterns name the files of interest, in place of all others. */
  readonly isInverted: boolean
}

/** Null where every file counts. An inverted filter without patterns is none. */
function filterOf(material: Material | undefined): Filter | null {
  if (!material || !('ignores' in material) || material.ignores.length === 0) return null
  const { ignores, invertFilter: isInverted } = material
  return { patterns: ignores.map(({ pattern }) => pattern), isInverted }
}

/** A change without files, such as an empty commit, was made on purpose. */
function isOfInterest(files: readonly string[], { patterns, isInverted }: Filter): boolean {
  return files.length === 0 || files.some((file) => isIgnored(file, patterns) === isInverted)
}

async function pollFor(
  { poller }: RevisionsDeps,
  pipeline: Pipeline,
  material: Material,
): Promise<string> {
  if (!isSource(material)) throw notSchedulable(pipeline, whyUnwatched(material))
  return reading(pipeline, () => poller.pollOnce(material, pipeline.name))
}

/** @throws {ServiceError} `not-schedulable` when the repository cannot be read. */
export async function reading<Result>(
  pipeline: Pipeline,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof SourceFailed)) throw error
    throw notSchedulable(pipeline, `a material cannot be read: ${error.message}`, error)
  }
}

function isOnDemand(material: Material): material is VersionControlMaterial {
  return isSource(material) && !material.autoUpdate
}

export function revisionIn(run: PipelineInstance | null, fingerprint: string): string | null {
  return run?.revisions.find((each) => each.fingerprint === fingerprint)?.revision ?? null
}

/** The revision in a run that the next automatic start compares with: pinned ones are skipped. */
export function builtRevision(run: PipelineInstance | null, fingerprint: string): string | null {
  const found = run?.revisions.find((each) => each.fingerprint === fingerprint)
  return found?.pinned ? found.pinned.built : (found?.revision ?? null)
}

/** The name of a material for labels, and for users who pin it. */
export function shownMaterialName(material: Material): string | null {
  if (material.kind === 'dependency') return material.name ?? material.pipeline
  return 'name' in material ? material.name : null
}

/** The same error without addresses of materials, for callers who are not administrators. */
export function withoutAddress(error: unknown, pipeline: Pipeline): unknown {
  if (!(error instanceof ServiceError && error.cause instanceof SourceFailed)) return error
  const reason = `a material cannot be read: ${error.cause.unaddressed}`
  return notSchedulable(pipeline, reason, error.cause)
}

function notSchedulable({ name, stages }: Pipeline, reason: string, cause?: unknown): ServiceError {
  const message = `The pipeline ${name} cannot start: ${reason}`
  const facts = { pipeline: name, stage: stages[0]?.name ?? '', reason }
  return new ServiceError('not-schedulable', message, facts, { cause })
}
