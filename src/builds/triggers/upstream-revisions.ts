import type { StageInstance } from '../engine/documents.ts'
import { renderUpstream } from '../engine/upstream-revision.ts'
import { materialFingerprint } from '../../document/materials/identity.ts'
import type { DependencyMaterial, Pipeline } from '../../document/model/model.ts'
import { fanIn, joinOrigins, type Origins } from '../../core/builds/fan-in.ts'
import type { PassedStages } from './passed-stages.ts'
import type { RunOrigins } from './run-origins.ts'

export interface UpstreamDeps {
  readonly passed: PassedStages
  readonly origins: RunOrigins
}

/**
 * By fingerprint: the revisions of the dependencies, and of the other materials of the upstream
 * runs.
 */
export type UpstreamRevisions =
  | { readonly revisions: ReadonlyMap<string, string> }
  /** The reason why there are none yet, as text. */
  | { readonly obstacle: string }

/** The number of upstream runs considered when the newest ones are inconsistent. */
const LOOK_BACK = 100

interface Candidate {
  readonly id: number
  readonly stage: StageInstance
  readonly origins: Origins
}

/**
 * The newest consistent runs of the upstream stages: a material that they share, be it a repository
 * or a run of another pipeline, has the same revision in all of them.
 */
export async function upstreamRevisions(
  deps: UpstreamDeps,
  { materials }: Pick<Pipeline, 'materials'>,
): Promise<UpstreamRevisions> {
  const dependencies = materials.filter((material) => material.kind === 'dependency')
  const newest: Candidate[] = []
  for (const dependency of dependencies) {
    const stage = await deps.passed.newest(dependency)
    if (!stage) return { obstacle: notPassed(dependency) }
    newest.push(await candidateOf(deps, stage))
  }
  const chosen =
    fanIn(newest.map((candidate) => [candidate])) ??
    fanIn(await Promise.all(dependencies.map((dependency) => listCandidates(deps, dependency))))
  if (!chosen)
    return { obstacle: 'the stages it depends on have not passed with the same revisions' }
  return { revisions: revisionsOf(dependencies, chosen) }
}

async function listCandidates(
  deps: UpstreamDeps,
  dependency: DependencyMaterial,
): Promise<readonly Candidate[]> {
  const stages = await deps.passed.list(dependency, LOOK_BACK)
  return Promise.all(stages.map((stage) => candidateOf(deps, stage)))
}

async function candidateOf({ origins }: UpstreamDeps, stage: StageInstance): Promise<Candidate> {
  return { id: stage.id, stage, origins: await origins.of(stage) }
}

function revisionsOf(
  dependencies: readonly DependencyMaterial[],
  chosen: readonly Candidate[],
): ReadonlyMap<string, string> {
  const shared = chosen.reduce<Origins>(
    (joined, { origins }) => joinOrigins(joined, origins) ?? joined,
    new Map(),
  )
  const revisions = new Map<string, string>()
  for (const [origin, [revision]] of shared) if (revision) revisions.set(origin, revision)
  for (const [index, { stage }] of chosen.entries()) {
    const dependency = dependencies[index]
    if (dependency) revisions.set(materialFingerprint(dependency), renderUpstream(stage))
  }
  return revisions
}

function notPassed({ pipeline, stage }: DependencyMaterial): string {
  return `the stage ${stage} of the pipeline ${pipeline} has not passed yet`
}
