import { z } from 'zod'
import { type AgentOffer, JobSpread } from '../../core/builds/assignment.ts'
import type { ApprovalType } from '../../core/builds/stage.ts'
import type { RunConfiguration } from './documents.ts'
import { isSameName } from '../../core/name-key.ts'

/** The configuration of a pipeline, as far as scheduling needs it. */
export interface PipelinePlan {
  readonly name: string
  readonly group: string
  /** The template that its stages are of, or null. */
  readonly template: string | null
  readonly labelTemplate: string
  /** The plain variables of the pipeline, for its labels. */
  readonly labelVariables: ReadonlyMap<string, string>
  /** Whether it allows a single active run. */
  readonly locking: boolean
  /** Whether a run gives the lock back as soon as it does not go on by itself. */
  readonly unlocksWhenFinished: boolean
  readonly stages: readonly StagePlan[]
}

/** Where the job of a pipeline may run. */
export interface JobPlacement {
  readonly resources: readonly string[]
  readonly environments: readonly string[]
}

export interface StagePlan {
  readonly name: string
  readonly approvalType: ApprovalType
  /** Whether a manual run requires that the previous stage has passed. */
  readonly allowOnlyOnSuccess: boolean
  readonly jobs: readonly JobPlan[]
}

export const JobPlan = z.object({
  name: z.string(),
  resources: z.array(z.string()).readonly(),
  spread: JobSpread,
})
export type JobPlan = Readonly<z.infer<typeof JobPlan>>

/** A pipeline by an earlier revision of the configuration, for a run as it was configured then. */
export interface FormerPlan {
  readonly configuration: RunConfiguration
  readonly plan: PipelinePlan
  /** The environments that contained the pipeline then. */
  readonly environments: readonly string[]
}

/** The source of plans. Every answer is about the configuration in force now. */
export interface Plans {
  /** The revision of the configuration that the answers are about. */
  configuration(): RunConfiguration
  /** Names compare without case. */
  pipelinePlan(pipeline: string): PipelinePlan | null
  environmentsOf(pipeline: string): readonly string[]
  /** The agents that may get work, live or not. */
  agents(): readonly AgentOffer[]
  /** The reason why none of them fits a job, as a clause. */
  whyNoAgent(need: JobPlacement): string
}

/** The parts of the configuration, beside the pipeline itself, that its jobs are made from. */
export function entitiesOfPlan(
  { template }: PipelinePlan,
  environments: readonly string[],
): readonly string[] {
  const ofTemplate = template === null ? [] : [`template/${template}`]
  return [...ofTemplate, ...environments.map((name) => `environment/${name}`)]
}

export function stagePlan(plan: PipelinePlan, stage: string): StagePlan | null {
  return plan.stages.find(({ name }) => isSameName(name, stage)) ?? null
}
