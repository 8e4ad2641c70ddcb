import { ServiceError } from '../../core/errors.ts'
import { isSameName } from '../../core/name-key.ts'
import type { BuildChange } from './change.ts'
import type { FormerStages, PipelineInstance, StageInstance } from './documents.ts'
import { entitiesOfPlan, type FormerPlan, type StagePlan } from './plan.ts'

/** The plan of a stage with the jobs that it gets, and the configuration that they are made from. */
export interface JobSource extends Pick<StageInstance, 'configuration' | 'entities' | 'isAsThen'> {
  readonly plan: StagePlan
}

interface StageToRun {
  /** By the configuration in force, which decides about order and approval. */
  readonly plan: StagePlan
  readonly former?: FormerPlan | undefined
}

/**
 * The configuration that the jobs of a stage are made from: the requested one, or that of a run that
 * was asked to be as it was configured then, or the one in force.
 *
 * @throws {ServiceError} `not-schedulable` when an earlier configuration has no such stage.
 */
export function jobSourceOf(
  { plans }: BuildChange,
  run: PipelineInstance,
  { plan, former }: StageToRun,
): JobSource {
  const { name: pipeline } = run
  const then = former
    ? { ...formerStagesOf(former), configuration: former.configuration }
    : run.former && { ...run.former, configuration: run.configuration }
  if (then) {
    const { configuration, entities, stages } = then
    const found = stages.find(({ name }) => isSameName(name, plan.name))
    if (!found) throw noSuchStage(run, plan)
    return { plan: { ...plan, jobs: found.jobs }, configuration, entities, isAsThen: true }
  }
  const current = plans.pipelinePlan(pipeline)
  return {
    plan,
    configuration: plans.configuration(),
    entities: current ? entitiesOfPlan(current, plans.environmentsOf(pipeline)) : [],
    isAsThen: false,
  }
}

/** The jobs of the stages of a run that is as it was configured then: later stages are made from them. */
export function formerStagesOf({ plan, environments }: FormerPlan): FormerStages {
  return {
    entities: entitiesOfPlan(plan, environments),
    stages: plan.stages.map(({ name, jobs }) => ({ name, jobs })),
  }
}

function noSuchStage({ name: pipeline }: PipelineInstance, { name: stage }: StagePlan) {
  const reason = 'the configuration that it is to be made from has no such stage'
  const message = `The stage ${stage} of the pipeline ${pipeline} cannot start: ${reason}`
  return new ServiceError('not-schedulable', message, { pipeline, stage, reason })
}
