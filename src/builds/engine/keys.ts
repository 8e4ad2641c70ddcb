import { nameKey, stageNameKey } from '../../core/name-key.ts'
import type { CommitSha } from '../../core/revision.ts'

export interface PipelineRun {
  readonly pipeline: string
  readonly counter: number
}

export interface StageRunName extends StageName {
  readonly pipelineCounter: number
  readonly stageCounter: number
}

/** A stage of a pipeline. Names compare without case. */
export interface StageName {
  readonly pipeline: string
  readonly stage: string
}

const ID_DIGITS = 16

export function pipelineKey({ pipeline, counter }: PipelineRun): string {
  return `${nameKey(pipeline)}/${counter}`
}

export function stageKey({ pipeline, pipelineCounter, stage, stageCounter }: StageRunName): string {
  return `${nameKey(pipeline)}/${pipelineCounter}/${nameKey(stage)}/${stageCounter}`
}

export function jobKey(id: number): string {
  return `${id}`
}

export function agentJobKey({
  agentUuid,
  jobId,
}: {
  readonly agentUuid: string
  readonly jobId: number
}): string {
  return `${agentJobPrefix(agentUuid)}${jobId}`
}

export function agentJobPrefix(agentUuid: string): string {
  return `${agentUuid}/`
}

/** Keys sort the newest run of a stage last. */
export function activeStageKey(name: StageName, id: number): string {
  return `${activeStagePrefix(name)}${String(id).padStart(ID_DIGITS, '0')}`
}

export function activeStagePrefix({ pipeline, stage }: StageName): string {
  return `${stageNameKey({ pipeline, stage })}/`
}

/** The name of the list of all runs, and of the counter of the next one. */
export function pipelineList(pipeline: string): string {
  return `pipeline/${nameKey(pipeline)}`
}

/** The list of the runs of all pipelines that a revision of the configuration scheduled. */
export function revisionList(commit: CommitSha): string {
  return `revision/${commit}`
}

export function stageList({ pipeline, stage }: StageName): string {
  return `stage/${stageNameKey({ pipeline, stage })}`
}

/** The list of the jobs that an agent ran, in the order in which they ended. */
export function agentList(agentUuid: string): string {
  return `agent/${agentUuid}`
}
