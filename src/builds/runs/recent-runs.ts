import type { StageResult } from '../../core/builds/stage.ts'
import type { PipelineInstance } from '../engine/documents.ts'
import type { StageSummary } from '../engine/queries.ts'

/** A run of a pipeline beside others: its result and the time that it took. */
export interface RecentRun {
  readonly run: PipelineInstance
  /** `Unknown` while a stage is active. */
  readonly result: StageResult
  readonly isActive: boolean
  /**
   * The milliseconds that its stages took, without the time between them, in which a run may wait
   * for an approval; null while a stage is active.
   */
  readonly took: number | null
}

export function recentRun(run: PipelineInstance, stages: readonly StageSummary[]): RecentRun {
  const isActive = stages.some(({ active }) => active)
  const times = stages.map(
    ({ endedAt, stage: { createdAt } }) => (endedAt ?? createdAt) - createdAt,
  )
  return {
    run,
    result: isActive ? 'Unknown' : resultOf(run, stages),
    isActive,
    took: isActive ? null : times.reduce((sum, time) => sum + Math.max(0, time), 0),
  }
}

/** A run whose next stage could not start counts as failed. */
function resultOf({ blocked }: PipelineInstance, stages: readonly StageSummary[]): StageResult {
  const results = stages.map(({ result }) => result)
  if (blocked !== null || results.includes('Failed')) return 'Failed'
  if (results.includes('Cancelled')) return 'Cancelled'
  return results.includes('Unknown') ? 'Unknown' : 'Passed'
}
