import type { ListPipelinesDeps } from '../../builds/runs/list-pipelines.ts'
import type { PipelineInstance, StageInstance } from '../../builds/engine/documents.ts'
import type { StageSummary } from '../../builds/engine/queries.ts'
import { isActive } from '../../core/builds/stage.ts'
import type { Principal } from '../../core/principal.ts'
import { isSameName } from '../../core/name-key.ts'

export interface StartOptions {
  readonly mayRerun: boolean
  /** The next stage that needs a manual approval, if the caller may give it. */
  readonly next: string | null
}

/**
 * The runs that can be started now: only the newest run of a stage can be repeated, and one stage
 * at a time.
 */
export async function startOptions(
  { access, builds, pipelines }: Pick<ListPipelinesDeps, 'access' | 'builds' | 'pipelines'>,
  principal: Principal,
  {
    run,
    pipelineRun,
    stages,
  }: { run: StageSummary; pipelineRun: PipelineInstance | null; stages: readonly StageInstance[] },
): Promise<StartOptions> {
  const { pipelineName: pipeline, name, counter } = run.stage
  const planned = pipelines.find(pipeline)?.pipeline.stages ?? []
  const may = (stage: string) => access.may(principal, { action: 'operate-stage', pipeline, stage })
  const isPaused = (await builds.pauseOf(pipeline)) !== null
  if (isPaused || stages.some(({ tally }) => isActive(tally)))
    return { mayRerun: false, next: null }
  const place = planned.findIndex((stage) => isSameName(stage.name, name))
  const next = place < 0 ? null : (planned[place + 1]?.name ?? null)
  const hasRun = stages.some(({ name: each }) => next !== null && isSameName(each, next))
  const newest = pipelineRun?.stages.find((stage) => isSameName(stage.name, name))
  return {
    mayRerun: place >= 0 && newest?.counter === counter && may(name),
    next: next !== null && !hasRun && may(next) ? next : null,
  }
}
