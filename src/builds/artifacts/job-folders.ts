import { join } from 'node:path'
import { isSameName } from '../../core/name-key.ts'
import type { JobInstance } from '../engine/documents.ts'
import { folderName } from './artifact-path.ts'

/** Identifies a run of a job. Counters count from 1. */
export interface JobPlace {
  readonly pipelineName: string
  readonly pipelineCounter: number
  readonly stageName: string
  readonly stageCounter: number
  readonly jobName: string
}

/** `pipeline/counter/stage/counter/job`. */
export function renderPlace(place: JobPlace): string {
  return partsOf(place).join('/')
}

export function placeOfJob(
  job: Pick<
    JobInstance,
    'pipelineName' | 'pipelineCounter' | 'stageName' | 'stageCounter' | 'name'
  >,
): JobPlace {
  const { pipelineName, pipelineCounter, stageName, stageCounter, name: jobName } = job
  return { pipelineName, pipelineCounter, stageName, stageCounter, jobName }
}

/** The folder of a job's console and artifacts. */
export function jobFolder(root: string, place: JobPlace): string {
  return join(root, ...partsOf(place).map(folderName))
}

/** Whether two places are the same; names compare without case. */
export function isSamePlace(one: JobPlace, other: JobPlace): boolean {
  return isSameName(renderPlace(one), renderPlace(other))
}

function partsOf(place: JobPlace): string[] {
  const { pipelineName, pipelineCounter, stageName, stageCounter, jobName } = place
  return [pipelineName, `${pipelineCounter}`, stageName, `${stageCounter}`, jobName]
}
