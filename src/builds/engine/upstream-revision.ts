import type { StageInstance } from './documents.ts'
import type { StageRunName } from './keys.ts'

/** The revision of a dependency: `pipeline/counter/stage/counter` of the run that passed. */
export function renderUpstream({
  pipelineName,
  pipelineCounter,
  name,
  counter,
}: Pick<StageInstance, 'pipelineName' | 'pipelineCounter' | 'name' | 'counter'>): string {
  return `${pipelineName}/${pipelineCounter}/${name}/${counter}`
}

/** Null for the revision of a repository, which has no slash. */
export function parseUpstream(revision: string): StageRunName | null {
  const [, pipeline, pipelineCounter, stage, stageCounter] =
    /^([^/]+)\/(\d+)\/([^/]+)\/(\d+)$/.exec(revision) ?? []
  if (pipeline === undefined || stage === undefined) return null
  return {
    pipeline,
    pipelineCounter: Number(pipelineCounter),
    stage,
    stageCounter: Number(stageCounter),
  }
}
