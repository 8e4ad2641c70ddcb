/** One run of a pipeline. */
export interface PipelineRun {
  readonly pipeline: string
  readonly counter: number
}

/** One run of a stage. */
export interface StageRunName {
  readonly pipeline: string
  readonly pipelineCounter: number
  readonly stage: string
  readonly stageCounter: number
}

interface StageOfPipeline {
  readonly pipeline: string
  readonly stage: string
}

const ID_DIGITS = 16

// Names compare without case and hold no slash.

export function pipelineKey({ pipeline, counter }: PipelineRun): string {
  return `${pipeline.toLowerCase()}/${counter}`
}

export function stageKey({ pipeline, pipelineCounter, stage, stageCounter }: StageRunName): string {
  return `${pipeline.toLowerCase()}/${pipelineCounter}/${stage.toLowerCase()}/${stageCounter}`
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

/** The newest run of a stage comes last. */
export function activeStageKey(name: StageOfPipeline, id: number): string {
  return `${activeStagePrefix(name)}${String(id).padStart(ID_DIGITS, '0')}`
}

export function activeStagePrefix({ pipeline, stage }: StageOfPipeline): string {
  return `${pipeline.toLowerCase()}/${stage.toLowerCase()}/`
}

export function pipelineCounterName(pipeline: string): string {
  return `pipeline/${pipeline.toLowerCase()}`
}

/** The list of all runs of a pipeline. */
export function pipelineList(pipeline: string): string {
  return `pipeline/${pipeline.toLowerCase()}`
}

/** The list of all runs of a stage. */
export function stageList({ pipeline, stage }: StageOfPipeline): string {
  return `stage/${pipeline.toLowerCase()}/${stage.toLowerCase()}`
}

/** The list of the jobs that an agent ran, in the order of their ends. */
export function agentList(agentUuid: string): string {
  return `agent/${agentUuid}`
}
