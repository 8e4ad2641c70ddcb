import { pipelineNotFound } from '../engine/stage-not-found.ts'
import type { Builds } from '../engine/builds.ts'
import type {
  PipelineInstance,
  RunChanges,
  RunConfiguration,
  StageInstance,
} from '../engine/documents.ts'
import type { PipelineRun } from '../engine/keys.ts'
import type { StageRun, StageSummary } from '../engine/queries.ts'
import { materialFingerprint } from '../../document/materials/identity.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Page } from '../../core/page.ts'
import type { Principal } from '../../core/principal.ts'
import type { CommitSha } from '../../core/revision.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import { revisionUnknown } from '../../configuration/read/named-revision.ts'
import type { History } from '../../history/history.ts'
import type { EffectivePipelines } from '../configured/effective-pipelines.ts'
import { readViewableRun, type RunRightsDeps, viewableRuns } from './run-rights.ts'

export type { RunChanges } from '../engine/documents.ts'

export interface PipelineRunsDeps extends RunRightsDeps {
  readonly pipelines: EffectivePipelines
  readonly history: History
}

/** The configuration of a run, with its number now; null when a rewrite has taken it from the branch. */
export interface NumberedConfiguration extends RunConfiguration {
  readonly number: number | null
  /** Set where the run was asked to be made from that configuration, whatever was in force. */
  readonly requested?: true
}

/** One run of a pipeline with the newest run of each of its stages, and its changes. */
export interface PipelineRunFacts {
  readonly run: PipelineInstance
  readonly stages: readonly StageRun[]
  readonly changes: RunChanges
  /** The kind of each material that is still configured, by fingerprint. */
  readonly kinds: ReadonlyMap<string, string>
  /** The configuration of the run, and of its stages by name. */
  readonly configuration: NumberedConfiguration | null
  readonly configurations: ReadonlyMap<string, NumberedConfiguration | null>
}

/**
 * Reads one run of a pipeline.
 *
 * @throws {ServiceError} `pipeline-not-found`, `not-permitted`.
 */
export async function readPipelineRun(
  deps: PipelineRunsDeps,
  principal: Principal,
  { pipeline, counter }: PipelineRun,
): Promise<PipelineRunFacts> {
  const run = await readViewableRun(deps, principal, { pipeline, counter })
  if (run) return factsOf(deps, run)
  const message = `There is no run ${counter} of a pipeline ${pipeline}`
  throw new ServiceError('pipeline-not-found', message, { pipeline })
}

/**
 * The runs of a pipeline, newest first. Runs that the caller may not view are missing from their
 * page.
 *
 * @throws {ServiceError} `pipeline-not-found`, `not-permitted`.
 */
export async function listPipelineRuns(
  deps: PipelineRunsDeps,
  principal: Principal,
  { pipeline, offset }: { readonly pipeline: string; readonly offset: number },
): Promise<Page<PipelineRunFacts>> {
  assertMay(deps.access, principal, { action: 'view-pipeline', pipeline })
  const { items, pagination } = await deps.builds.pipelineHistory(pipeline, offset)
  if (pagination.total === 0 && !deps.pipelines.find(pipeline)) throw pipelineNotFound(pipeline)
  const viewable = await viewableRuns(deps, principal, items)
  return { items: await Promise.all(viewable.map((run) => factsOf(deps, run))), pagination }
}

/**
 * The runs of all pipelines that a revision of the configuration scheduled, newest first.
 *
 * @throws {ServiceError} `revision-not-found`, `not-permitted`.
 */
export async function listRunsByRevision(
  deps: PipelineRunsDeps,
  principal: Principal,
  { commit, offset }: { readonly commit: CommitSha; readonly offset: number },
): Promise<Page<PipelineRunFacts>> {
  assertMay(deps.access, principal, { action: 'administer' })
  if ((await deps.history.findCommitEver(commit)) === null) {
    throw revisionUnknown(deps.history, commit)
  }
  const { items, pagination } = await deps.builds.runsByRevision(commit, offset)
  return { items: await Promise.all(items.map((run) => factsOf(deps, run))), pagination }
}

/** The newest run of each stage, with its jobs. */
export async function stagesOf(
  builds: Builds,
  run: PipelineInstance,
): Promise<readonly StageRun[]> {
  return builds.withJobs(await newestStages(builds, run))
}

/** The newest run of each stage, without its jobs. */
export async function summariesOf(
  builds: Builds,
  run: PipelineInstance,
): Promise<readonly StageSummary[]> {
  return builds.summaries(await newestStages(builds, run))
}

/** The newest run of each stage, as it is stored. */
export async function newestStages(
  builds: Builds,
  { name: pipeline, counter: pipelineCounter, stages }: PipelineInstance,
): Promise<readonly StageInstance[]> {
  const runs = await Promise.all(
    stages.map(({ name: stage, counter: stageCounter }) =>
      builds.stage({ pipeline, pipelineCounter, stage, stageCounter }),
    ),
  )
  return runs.flatMap((run) => run ?? [])
}

async function factsOf(
  { builds, pipelines, history }: PipelineRunsDeps,
  run: PipelineInstance,
): Promise<PipelineRunFacts> {
  const materials = pipelines.find(run.name)?.pipeline.materials ?? []
  const [stages, changes] = await Promise.all([
    stagesOf(builds, run),
    builds.runChanges({ pipeline: run.name, counter: run.counter }),
  ])
  const kinds = new Map(
    materials.map((material) => [materialFingerprint(material), kindOf(material.kind)]),
  )
  const numbered = (configuration: RunConfiguration | null, isRequested: boolean) =>
    configuration && {
      ...configuration,
      number: history.numberOf(configuration),
      ...(isRequested && { requested: true as const }),
    }
  return {
    run,
    stages,
    changes,
    kinds,
    configuration: numbered(run.configuration, run.former !== null),
    configurations: new Map(
      stages.map(({ stage }) => [stage.name, numbered(stage.configuration, stage.isAsThen)]),
    ),
  }
}

/** The kind as the configuration spells it. */
function kindOf(kind: string): string {
  return kind === 'dependency' ? 'pipeline' : kind
}
