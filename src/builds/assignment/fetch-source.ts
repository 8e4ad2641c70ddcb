import { isSameName } from '../../core/name-key.ts'
import type { PipelineInstance } from '../engine/documents.ts'
import type { PipelineRun, StageRunName } from '../engine/keys.ts'
import { parseUpstream } from '../engine/upstream-revision.ts'
import type { FindFetchSource } from './tasks.ts'

export interface RunReader {
  pipelineInstance(run: PipelineRun): Promise<PipelineInstance | null>
}

/**
 * Finds the runs that a run of a pipeline may fetch from: itself, which an empty name means as well,
 * or those along its dependencies.
 * `far/near` names a pipeline and the path to it, the nearest last.
 */
export function fetchSourceOf(run: PipelineInstance, reader: RunReader): FindFetchSource {
  return async ({ pipeline, stage, job }) => {
    const steps = (pipeline ?? '').split('/').map((step) => step.trim())
    const isOwn = steps.length === 1 && (steps[0] === '' || isSameName(steps[0] ?? '', run.name))
    const way = isOwn ? [] : steps
    const found = await walkUpstream(run, way.toReversed(), reader)
    if (!found) return null
    const { instance, passed } = found
    const latest = instance.stages.find(({ name }) => isSameName(name, stage))
    if (!latest) return null
    const isPassed = passed !== null && isSameName(passed.stage, stage)
    return {
      pipelineName: instance.name,
      pipelineCounter: instance.counter,
      stageName: latest.name,
      stageCounter: String(isPassed ? passed.stageCounter : latest.counter),
      jobName: job,
    }
  }
}

async function walkUpstream(
  run: PipelineInstance,
  way: readonly string[],
  reader: RunReader,
): Promise<{ instance: PipelineInstance; passed: StageRunName | null } | null> {
  let instance: PipelineInstance | null = run
  let passed: StageRunName | null = null
  for (const pipeline of way) {
    passed = upstreamOf(instance, pipeline)
    instance =
      passed && (await reader.pipelineInstance({ ...passed, counter: passed.pipelineCounter }))
    if (!instance) return null
  }
  return { instance, passed }
}

function upstreamOf({ revisions }: PipelineInstance, pipeline: string): StageRunName | null {
  const runs = revisions.map(({ revision }) => parseUpstream(revision))
  return runs.find((run) => run !== null && isSameName(run.pipeline, pipeline)) ?? null
}
