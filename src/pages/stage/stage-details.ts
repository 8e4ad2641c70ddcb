import type { History } from '../../history/history.ts'
import type { JobInstance, PipelineInstance, StageInstance } from '../../builds/engine/documents.ts'
import type { StageSummary } from '../../builds/engine/queries.ts'
import type { Principal } from '../../core/principal.ts'
import type { Wait } from '../../core/builds/waiting.ts'
import type { MaterialProblem } from '../../builds/materials/material-poller.ts'
import { summariesOf } from '../../builds/runs/pipeline-runs.ts'
import { findInEffectAt } from '../../configuration/read/named-revision.ts'
import { type ConfigMarker, configMarkers } from '../runs/config-markers.ts'
import { startOptions, type StartOptions } from '../runs/start-options.ts'
import { type RunMaterial, runMaterials } from '../pipelines/material-names.ts'
import type { PipelinePageDeps } from '../pipelines/pipeline-page.ts'

/** The revision by which a stage was scheduled. */
export interface StageConfiguration {
  /** Such as `r12`, or the digest of a revision that a rewrite has taken from the branch. */
  readonly name: string
  /** False for a run of a version that did not record it: then it is the revision of that time. */
  readonly isRecorded: boolean
  /** Whether the run was asked to be made from it. */
  readonly isRequested: boolean
}

/** One run of a stage in full. */
export interface StageDetails extends StartOptions {
  readonly run: StageSummary
  /** The first of its jobs. */
  readonly jobs: readonly JobInstance[]
  /** The number of jobs that ran again, of a run in which others were copied; 0 for any other. */
  readonly reruns: number
  readonly pipelineRun: PipelineInstance | null
  /** The run of the same stage before this one. */
  readonly before: StageInstance | null
  /** The configuration of the run, and that of the previous run; null before the first revision. */
  readonly configuration: StageConfiguration | null
  readonly formerConfiguration: StageConfiguration | null
  /** The configuration changes of the pipeline since the previous run. */
  readonly markers: readonly ConfigMarker[]
  readonly materials: readonly RunMaterial[]
  /** Why jobs wait for an agent, by their ids. */
  readonly waits: ReadonlyMap<number, Wait>
  /** The newest run of each stage of the pipeline run, and the stages that are planned. */
  readonly stages: readonly StageSummary[]
  readonly planned: readonly string[]
  readonly mayCancel: boolean
}

/** A stage can have thousands of jobs; this is the limit of a page. */
const MAX_JOBS = 300

export async function readStageDetails(
  deps: PipelinePageDeps,
  principal: Principal,
  { run, before }: { readonly run: StageSummary; readonly before: StageInstance | null },
): Promise<StageDetails> {
  const { access, builds, history } = deps
  const { pipelineName: pipeline, pipelineCounter: counter, createdAt, name: stage } = run.stage
  const jobs = await builds.firstJobs(run.stage, MAX_JOBS)
  const effective = deps.pipelines.find(pipeline)
  const pipelineRun = await builds.pipelineInstance({ pipeline, counter })
  const stages = pipelineRun ? await summariesOf(builds, pipelineRun) : []
  const formerRun = before && (await pipelineOf(deps, before))
  const span = { until: createdAt, after: before?.createdAt ?? createdAt }
  return {
    run,
    jobs,
    reruns: run.stage.rerunOfCounter === null ? 0 : await countReruns(deps, run.stage),
    pipelineRun,
    before,
    configuration: configurationOf(history, run.stage),
    formerConfiguration: before && configurationOf(history, before),
    markers: await configMarkers(deps, principal, pipeline, span),
    materials: pipelineRun
      ? runMaterials(effective?.pipeline ?? null, {
          run: pipelineRun,
          before: formerRun,
          changes: await builds.runChanges({ pipeline, counter }),
          problems: await problemsOf(deps, pipelineRun),
        })
      : [],
    waits: run.active ? deps.waiting.explain(jobs) : new Map(),
    mayCancel: run.active && access.may(principal, { action: 'cancel-stage', pipeline, stage }),
    stages,
    planned: effective?.pipeline.stages.map((each) => each.name) ?? [],
    ...(await startOptions(deps, principal, {
      run,
      pipelineRun,
      stages: stages.map((each) => each.stage),
    })),
  }
}

async function countReruns({ builds }: PipelinePageDeps, stage: StageInstance): Promise<number> {
  const [run] = await builds.withJobs([stage])
  return run?.jobs.filter(({ rerun }) => rerun).length ?? 0
}

function configurationOf(
  history: History,
  { configuration, createdAt, isAsThen: isRequested }: StageInstance,
): StageConfiguration | null {
  if (configuration === null) {
    const then = findInEffectAt(history, createdAt)
    return then && { name: `r${history.numberOf(then)}`, isRecorded: false, isRequested }
  }
  const number = history.numberOf(configuration)
  return {
    name: number === null ? configuration.digest : `r${number}`,
    isRecorded: true,
    isRequested,
  }
}

/**
 * A material that cannot be read affects the next run, so the problem is shown with the newest one.
 */
async function problemsOf(
  { builds, poller }: PipelinePageDeps,
  { name, counter }: PipelineInstance,
): Promise<readonly MaterialProblem[]> {
  const [newest] = (await builds.pipelineHistory(name, 0)).items
  return newest?.counter === counter ? poller.problems() : []
}

function pipelineOf({ builds }: PipelinePageDeps, stage: StageInstance) {
  return builds.pipelineInstance({ pipeline: stage.pipelineName, counter: stage.pipelineCounter })
}
