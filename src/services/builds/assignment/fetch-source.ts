import type { PipelineInstance } from '../../../builds/documents.ts'
import type { PipelineRun } from '../../../builds/keys.ts'
import { isSameName } from '../../../builds/plan.ts'
import type { FindFetchSource } from './tasks.ts'

export interface RunReader {
  pipelineInstance(run: PipelineRun): Promise<PipelineInstance | null>
}

/** One run of an upstream stage, as a revision names it: `pipeline/counter/stage/counter`. */
interface UpstreamRun {
  readonly pipeline: string
  readonly counter: number
  readonly stage: string
  readonly stageCounter: number
}

/**
 * Finds the runs that a run of a pipeline may fetch from: itself, or along the dependencies that
 * made it run. `far/near` names the pipeline and the way to it, the nearest last.
 */
export function fetchSourceOf(run: PipelineInstance, reader: RunReader): FindFetchSource {
  return async ({ pipeline, stage, job }) => {
    const way = pipeline === null || isSameName(pipeline, run.name) ? [] : pipeline.split('/')
    const found = await follow(run, way.toReversed(), reader)
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

async function follow(
  run: PipelineInstance,
  way: readonly string[],
  reader: RunReader,
): Promise<{ instance: PipelineInstance; passed: UpstreamRun | null } | null> {
  let instance: PipelineInstance | null = run
  let passed: UpstreamRun | null = null
  for (const pipeline of way) {
    passed = upstreamOf(instance, pipeline)
    instance = passed && (await reader.pipelineInstance(passed))
    if (!instance) return null
  }
  return { instance, passed }
}

function upstreamOf({ revisions }: PipelineInstance, pipeline: string): UpstreamRun | null {
  const runs = revisions.map(({ revision }) => parseUpstream(revision))
  return runs.find((run) => run !== null && isSameName(run.pipeline, pipeline)) ?? null
}

function parseUpstream(revision: string): UpstreamRun | null {
  const [, pipeline, counter, stage, stageCounter] =
    /^([^/]+)\/(\d+)\/([^/]+)\/(\d+)$/.exec(revision) ?? []
  if (pipeline === undefined || stage === undefined) return null
  return { pipeline, counter: Number(counter), stage, stageCounter: Number(stageCounter) }
}
