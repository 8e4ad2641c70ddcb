import { planOf } from '../engine/schedule.ts'
import type { Builds } from '../engine/builds.ts'
import type { PipelineInstance, RunVariable, StageInstance } from '../engine/documents.ts'
import type { PipelineRun, StageName } from '../engine/keys.ts'
import { stagePlan } from '../engine/plan.ts'
import { pipelineNotFound, runNotFound, stageNotFound } from '../engine/stage-not-found.ts'
import type { SecretBox } from '../../document/secrets/secret-box.ts'
import type { Principal } from '../../core/principal.ts'
import { isSameName } from '../../core/name-key.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import { type FormerRunsDeps, formerOfRun, formerOfStage } from './former-runs.ts'
import type { ConfiguredPlans } from '../configured/plans.ts'
import { assertMayActOnRun, type RunRightsDeps } from './run-rights.ts'
import { assertVariables } from './run-variables.ts'
import type { Pin } from '../triggers/pinned-revisions.ts'
import type { Triggers } from '../triggers/triggers.ts'
import { withoutAddress } from '../triggers/wanted-revisions.ts'

export interface StartRunsDeps extends RunRightsDeps, FormerRunsDeps {
  readonly plans: ConfiguredPlans
  readonly triggers: Pick<Triggers, 'startPipeline'>
  /** Encrypts the secure variables of a run. */
  readonly box: SecretBox
}

/** The options of a single run. */
export interface ScheduleOptions {
  /** In plain text. */
  readonly variables: readonly RunVariable[]
  readonly pins: readonly Pin[]
  /** The name of the revision that the jobs are to be made from; null for the one in force. */
  readonly configuration: string | null
}

const AS_ALWAYS: ScheduleOptions = { variables: [], pins: [], configuration: null }

/** The jobs of a stage to run: all, those that did not pass, or the named ones. */
export type JobChoice = 'all' | 'failed' | readonly string[]

/**
 * Starts a run of a pipeline with the newest revisions of its materials, apart from the options.
 *
 * @throws {ServiceError} `pipeline-not-found`, `not-permitted`, `variable-not-found`,
 * `malformed-request`, `material-not-found`, `material-revision-not-found`, `revision-not-found`,
 * `pipeline-locked`, `not-schedulable`.
 */
export async function startPipeline(
  deps: StartRunsDeps,
  principal: Principal,
  { pipeline: asked, options = AS_ALWAYS }: { pipeline: string; options?: ScheduleOptions },
): Promise<PipelineInstance> {
  const { access, pipelines, triggers, box } = deps
  assertMay(access, principal, { action: 'trigger-pipeline', pipeline: asked })
  const found = pipelines.find(asked)
  if (!found) throw pipelineNotFound(asked)
  const former = await formerOfRun(deps, principal, { pipeline: asked, ...options })
  const { pipeline } = former ?? found
  const { environments } = former ?? { environments: pipelines.environmentsOf(asked) }
  assertVariables({ pipeline, environments }, options.variables)
  const variables = options.variables.map((variable) =>
    variable.secure ? { ...variable, value: box.seal(variable.value) } : variable,
  )
  const start = { pipeline: pipeline.name, approvedBy: principal.username, variables }
  try {
    return await triggers.startPipeline({ ...start, pins: options.pins, former })
  } catch (error) {
    throw access.may(principal, { action: 'administer' }) ? error : withoutAddress(error, pipeline)
  }
}

/**
 * Takes the lock of a pipeline from the run that holds it, and returns that run's counter; null
 * when there is none.
 *
 * @throws {ServiceError} `pipeline-not-found`, `not-permitted`, `pipeline-locked` while that run is
 * active.
 */
export async function releaseLock(
  deps: StartRunsDeps,
  principal: Principal,
  pipeline: string,
): Promise<number | null> {
  assertMay(deps.access, principal, { action: 'operate-pipeline', pipeline })
  return deps.builds.unlockPipeline(planOf(deps, pipeline).name)
}

/**
 * Runs a stage of a pipeline run: for the first time, again, or again with some of its jobs.
 *
 * @throws {ServiceError} `stage-not-found`, `not-permitted`, `pipeline-locked`, `not-schedulable`.
 */
export async function startStage(
  deps: StartRunsDeps,
  principal: Principal,
  run: PipelineRun &
    StageName & {
      readonly jobs: JobChoice
      /** Whether the jobs are made from the configuration of the last run of the stage. */
      readonly isAsThen?: boolean
    },
): Promise<StageInstance> {
  const { pipeline, stage, counter, isAsThen = false } = run
  const plan = deps.plans.pipelinePlan(pipeline)
  const isKnown = plan !== null && stagePlan(plan, stage) !== null
  // For callers without permission, a missing stage is refused like an existing one: no names are
  // disclosed.
  if (isKnown || !deps.access.may(principal, { action: 'operate-pipeline', pipeline })) {
    assertMay(deps.access, principal, { action: 'operate-stage', pipeline, stage })
  }
  if (!isKnown) throw stageNotFound(run)
  await assertMayActOnRun(deps, principal, { action: 'operate-run', pipeline, stage, counter })
  const former = isAsThen ? await formerOfStage(deps, principal, run) : null
  const by = { approvedBy: principal.username, ...(former && { former: former.plan }) }
  if (run.jobs === 'all') return deps.builds.scheduleStage({ pipeline, stage, counter, ...by })
  const earlier = await newestRun(deps.builds, run)
  const jobs = run.jobs === 'failed' ? namesOfFailed(earlier.jobs) : run.jobs
  return deps.builds.rerunJobs({
    pipeline,
    pipelineCounter: counter,
    stage,
    stageCounter: earlier.counter,
    ...by,
    jobs,
  })
}

async function newestRun(builds: Builds, run: PipelineRun & StageName) {
  const { pipeline, stage, counter: pipelineCounter } = run
  const instance = await builds.pipelineInstance(run)
  const latest = instance?.stages.find(({ name }) => isSameName(name, stage))
  const stageCounter = latest?.counter ?? 0
  const found = await builds.stageInstance({ pipeline, pipelineCounter, stage, stageCounter })
  if (!found) throw runNotFound(run)
  return { counter: stageCounter, jobs: found.jobs }
}

function namesOfFailed(jobs: readonly { readonly name: string; readonly result: string }[]) {
  return jobs.filter(({ result }) => result !== 'Passed').map(({ name }) => name)
}
