import type { PipelineInstance } from '../../builds/engine/documents.ts'
import { parseUpstream } from '../../builds/engine/upstream-revision.ts'
import type { StageSummary } from '../../builds/runs/stages.ts'
import { APPROVED_BY_CHANGES } from '../../core/builds/stage.ts'
import { isSameName } from '../../core/name-key.ts'

/**
 * The start of a run of a pipeline, as `triggered by alice` or `triggered by a commit`, given a run
 * of its first stage.
 */
export function pipelineStart(run: PipelineInstance, first: StageSummary | null): string {
  const starter = pipelineStarter(run, first)
  return starter === null ? 'started automatically' : `triggered by ${starter}`
}

/**
 * The starter of a run of a pipeline: `alice`, `a commit`, `the pipeline lib`, `its timer`. Null
 * when it was not recorded.
 */
export function pipelineStarter(run: PipelineInstance, first: StageSummary | null): string | null {
  if (run.approvedBy !== APPROVED_BY_CHANGES) return run.approvedBy
  // Changes do not start a first stage that waits for approval.
  if (first?.stage.approvalType === 'manual') return 'its timer'
  const changed = run.revisions.filter((each) => each.changed)
  if (changed.length === 0) return null
  const upstream = changed.flatMap(({ revision }) => parseUpstream(revision)?.pipeline ?? [])
  return upstream.length < changed.length ? 'a commit' : pipelinesText(upstream)
}

/** The start of a run of a stage, as `started after build` or `approved by alice`. */
export function stageStart(stageRun: StageSummary, run: PipelineInstance | null): string {
  const { approvedBy, approvalType, counter, name } = stageRun.stage
  const before = run && stageBefore(run, name)
  if (approvedBy === APPROVED_BY_CHANGES) {
    if (before !== null) return `started after ${before}`
    return run === null ? 'started automatically' : pipelineStart(run, stageRun)
  }
  if (counter > 1) return `rerun by ${approvedBy}`
  const isApproval = before !== null && approvalType === 'manual'
  return `${isApproval ? 'approved' : 'triggered'} by ${approvedBy}`
}

/** The stage that a run of a pipeline went through before another one; null for its first stage. */
export function stageBefore({ stages }: PipelineInstance, name: string): string | null {
  const place = stages.findIndex((stage) => isSameName(stage.name, name))
  return stages[place - 1]?.name ?? null
}

function pipelinesText(names: readonly string[]): string {
  const [first = '', ...others] = new Set(names)
  return others.length === 0
    ? `the pipeline ${first}`
    : `the pipelines ${[first, ...others].join(' and ')}`
}
