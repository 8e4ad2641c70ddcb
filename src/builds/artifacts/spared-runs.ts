import type { Builds } from '../engine/builds.ts'
import { pipelineKey, type PipelineRun, type StageRunName } from '../engine/keys.ts'
import { parseUpstream } from '../engine/upstream-revision.ts'

/**
 * Whether the files of a run of a stage must be kept: it is the newest run of its stage, or the
 * newest run has copies of its jobs.
 */
export async function isOfNewest(builds: Builds, run: StageRunName): Promise<boolean> {
  const newest = await builds.newestRun(run)
  if (!newest || newest.stage.pipelineCounter !== run.pipelineCounter) return false
  if (newest.stage.counter === run.stageCounter) return true
  for (const { originalJobId } of newest.jobs) {
    const original = originalJobId === null ? null : await builds.job(originalJobId)
    if (original?.stageCounter === run.stageCounter) return true
  }
  return false
}

/**
 * The keys of the pipeline runs in progress, and of the upstream runs that they are based on: their
 * jobs may still fetch artifacts of those.
 */
export async function runsInUse(builds: Builds): Promise<ReadonlySet<string>> {
  const active = await builds.activeStages()
  const open: PipelineRun[] = active.map(({ stage }) => ({
    pipeline: stage.pipelineName,
    counter: stage.pipelineCounter,
  }))
  const inUse = new Set<string>()
  for (let run = open.pop(); run; run = open.pop()) {
    const key = pipelineKey(run)
    if (inUse.has(key)) continue
    inUse.add(key)
    const { revisions = [] } = (await builds.pipelineInstance(run)) ?? {}
    for (const { revision } of revisions) {
      const upstream = parseUpstream(revision)
      if (upstream) open.push({ ...upstream, counter: upstream.pipelineCounter })
    }
  }
  return inUse
}

/** Whether a finished stage run is one of a run in use. */
export function isInUse(inUse: ReadonlySet<string>, run: StageRunName): boolean {
  return inUse.has(pipelineKey({ pipeline: run.pipeline, counter: run.pipelineCounter }))
}
