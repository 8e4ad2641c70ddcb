import { spreadJob } from '../../core/builds/assignment.ts'
import { repeatedJobs } from '../../core/builds/rerun.ts'
import { isSameName } from '../../core/name-key.ts'
import type { BuildChange } from './change.ts'
import type { JobInstance, PipelineInstance } from './documents.ts'
import { scheduled, type JobDraft } from './job-change.ts'
import type { JobPlan, StagePlan } from './plan.ts'

/** The jobs of a future run, given its counter; or the obstacle. */
export type JobsToCome =
  | { readonly jobs: (stageCounter: number) => JobDraft[] }
  | { readonly obstacle: string }

/** Every job of the stage, by the current configuration. */
export function allJobs(
  change: BuildChange,
  pipeline: PipelineInstance,
  stage: StagePlan,
): JobsToCome {
  const environments = change.plans.environmentsOf(pipeline.name)
  const agents = change.plans.agents()
  const spread = stage.jobs.map((plan) => ({
    plan,
    instances: spreadJob({ ...plan, environments }, agents),
  }))
  const stranded = spread.find(({ instances }) => instances.length === 0)
  if (stranded) {
    const { name, resources } = stranded.plan
    const reason = change.plans.whyNoAgent({ resources, environments })
    return { obstacle: strandedText(name, reason) }
  }
  const jobs = (stageCounter: number) =>
    spread.flatMap(({ plan, instances }) =>
      instances.map((instance) =>
        scheduled({
          ...placeOf(change, pipeline, { stageName: stage.name, stageCounter }),
          ...instance,
          planName: plan.name,
          resources: plan.resources,
          rerun: false,
          originalJobId: null,
        }),
      ),
    )
  return { jobs }
}

/** Why a job that runs on all agents keeps its stage from starting. */
export function strandedText(job: string, reason: string): string {
  return `no agent fits the job ${job}, which runs on all: ${reason}`
}

/**
 * The jobs of an earlier run: the named ones are run again, the others copied with their results.
 */
export function someJobs(
  change: BuildChange,
  pipeline: PipelineInstance,
  {
    plan,
    earlier,
    names,
  }: {
    readonly plan: StagePlan
    readonly earlier: readonly JobInstance[]
    readonly names: readonly string[]
  },
): JobsToCome {
  const repeated = repeatedJobs(earlier, names)
  const gone = repeated.find(({ type, job }) => type === 'run' && !planOf(plan, job))
  if (gone) return { obstacle: `the configuration has no job ${gone.job.planName} any more` }
  const jobs = (stageCounter: number) =>
    repeated.map((item): JobDraft => {
      const place = { stageName: plan.name, stageCounter }
      if (item.type === 'copy') return { ...copied(item.job, item.originalJobId), ...place }
      return scheduled({
        ...placeOf(change, pipeline, place),
        name: item.job.name,
        planName: item.job.planName,
        pinnedTo: item.job.pinnedTo,
        resources: planOf(plan, item.job)?.resources ?? [],
        rerun: true,
        originalJobId: null,
      })
    })
  return { jobs }
}

function planOf(stage: StagePlan, job: JobInstance): JobPlan | null {
  return stage.jobs.find(({ name }) => isSameName(name, job.planName)) ?? null
}

function copied(job: JobInstance, originalJobId: number): JobDraft {
  const entered = job.transitions.map(({ state, time }) => ({ state, time }))
  return { ...job, entered, originalJobId, rerun: false }
}

function placeOf(
  change: BuildChange,
  pipeline: PipelineInstance,
  stage: Pick<JobInstance, 'stageName' | 'stageCounter'>,
): Pick<
  JobInstance,
  'pipelineName' | 'pipelineCounter' | 'stageName' | 'stageCounter' | 'scheduledDate'
> {
  return {
    ...stage,
    pipelineName: pipeline.name,
    pipelineCounter: pipeline.counter,
    scheduledDate: change.now,
  }
}
