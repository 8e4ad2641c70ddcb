import type { PipelineInstance } from '../engine/documents.ts'
import type { BuildQueries } from '../engine/queries.ts'
import { parseUpstream, renderUpstream } from '../engine/upstream-revision.ts'
import { isSource, materialFingerprint } from '../../document/materials/identity.ts'
import type { DependencyMaterial, Material, Pipeline } from '../../document/model/model.ts'
import { malformedRequest, ServiceError } from '../../core/errors.ts'
import { reportedResult } from '../../core/builds/stage.ts'
import { isSameName } from '../../core/name-key.ts'
import {
  builtRevision,
  shownMaterialName,
  reading,
  type RevisionsDeps,
  type WantedRevision,
} from './wanted-revisions.ts'

/** A revision requested for a run in place of the newest one. */
export interface Pin {
  /** The name or the fingerprint of the material. */
  readonly material: string
  /**
   * As people write it: a commit may be shortened, an upstream run is
   * `pipeline/counter/stage/counter`.
   */
  readonly revision: string
}

export interface PinDeps {
  readonly revisions: RevisionsDeps
  readonly builds: Pick<BuildQueries, 'stage'>
}

interface Found {
  /** In the notation of the material. */
  readonly revision: string
  /** The newest revision, which the pipeline would use without the pin. */
  readonly newest: string | null
}

/**
 * Resolves the requested revisions, by the fingerprints of their materials.
 *
 * @throws {ServiceError} `malformed-request` for a material that is named twice,
 * `material-not-found`, `material-revision-not-found`, `not-schedulable` when a material cannot be
 * read.
 */
export async function pinnedRevisions(
  deps: PinDeps,
  pipeline: Pipeline,
  {
    pins,
    newest: last,
  }: { readonly pins: readonly Pin[]; readonly newest: PipelineInstance | null },
): Promise<ReadonlyMap<string, WantedRevision>> {
  const pinned = new Map<string, WantedRevision>()
  for (const pin of pins) {
    const material = findMaterial(pipeline, pin)
    const fingerprint = materialFingerprint(material)
    if (pinned.has(fingerprint)) throw namedTwice(pin)
    const { revision, newest } = await findRevision(deps, { pipeline, material, pin })
    const built = revision === newest ? revision : builtRevision(last, fingerprint)
    pinned.set(fingerprint, {
      fingerprint,
      name: shownMaterialName(material),
      revision,
      pinned: { built },
    })
  }
  return pinned
}

/** Names compare without case, like those of pipelines. */
function findMaterial({ name: pipeline, materials }: Pipeline, { material: key }: Pin): Material {
  const found =
    materials.find((each) => isSameName(shownMaterialName(each) ?? '', key)) ??
    materials.find((each) => isSameName(materialFingerprint(each), key))
  if (found) return found
  const message = `The pipeline ${pipeline} has no material ${key}`
  throw new ServiceError('material-not-found', message, { pipeline, material: key })
}

async function findRevision(
  deps: PinDeps,
  of: { readonly pipeline: Pipeline; readonly material: Material; readonly pin: Pin },
): Promise<Found> {
  const { pipeline, material, pin } = of
  if (material.kind === 'dependency') return findRun(deps, material, pin)
  if (!isSource(material)) throw notFound(pin, 'it needs a plugin, and there are none')
  const { poller } = deps.revisions
  const fingerprint = materialFingerprint(material)
  const revision = await reading(pipeline, () => poller.find(fingerprint, pin.revision))
  if (revision === null) throw notFound(pin, 'its repository has no such revision')
  return { revision, newest: await reading(pipeline, () => poller.poll(fingerprint)) }
}

async function findRun(
  { builds, revisions }: PinDeps,
  material: DependencyMaterial,
  pin: Pin,
): Promise<Found> {
  const { pipeline, stage } = material
  const name = parseUpstream(pin.revision)
  if (!name || !isSameName(name.pipeline, pipeline) || !isSameName(name.stage, stage)) {
    throw notFound(pin, `a run of it is written ${pipeline}/COUNTER/${stage}/COUNTER`)
  }
  const run = await builds.stage(name)
  if (run === null || reportedResult(run.tally) !== 'Passed') {
    throw notFound(pin, run ? 'that run has not passed' : 'there is no such run')
  }
  const newest = await revisions.passed.newest(material)
  return { revision: renderUpstream(run), newest: newest && renderUpstream(newest) }
}

function notFound({ material, revision }: Pin, reason: string): ServiceError {
  const message = `The material ${material} has no revision ${revision}: ${reason}`
  return new ServiceError('material-revision-not-found', message, { material, revision })
}

function namedTwice({ material }: Pin): ServiceError {
  const message = `The material ${material} is given more than one revision`
  return malformedRequest(message, `materials[${material}]`)
}
