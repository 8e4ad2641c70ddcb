import type { PipelinePause } from '../engine/documents.ts'
import type { Principal } from '../../core/principal.ts'
import { filterInTurns, mapInTurns } from '../../lib/cooperative.ts'
import type { EffectivePipeline, EffectivePipelines } from '../configured/effective-pipelines.ts'
import type { NewestRun, NewestRuns } from './newest-runs.ts'
import type { RecentRun } from './recent-runs.ts'
import { type RunRightsDeps, viewableRuns } from './run-rights.ts'

export interface ListPipelinesDeps extends RunRightsDeps {
  readonly pipelines: EffectivePipelines
  readonly newestRuns: NewestRuns
}

/** A pipeline of the configuration, with its newest run. */
export interface ListedPipeline {
  readonly name: string
  readonly group: string
  readonly stages: readonly string[]
  readonly lockedBy: number | null
  readonly pause: PipelinePause | null
  readonly latest: NewestRun | null
}

/** The pipelines that the caller may view, in the order of the document. */
export async function listPipelines(
  deps: ListPipelinesDeps,
  principal: Principal,
): Promise<readonly ListedPipeline[]> {
  const { builds } = deps
  const visible = await viewablePipelines(deps, principal)
  return mapInTurns(visible, async ({ group, pipeline: { name, isLocked, stages } }) => ({
    name,
    group,
    stages: stages.map((stage) => stage.name),
    lockedBy: isLocked ? await builds.lockedBy(name) : null,
    pause: await builds.pauseOf(name),
    latest: await latestRun(deps, principal, name),
  }))
}

/** The pipelines of the configuration that the caller may view, in the order of the document. */
export function viewablePipelines(
  { access, pipelines }: Pick<ListPipelinesDeps, 'access' | 'pipelines'>,
  principal: Principal,
  isWanted: (pipeline: EffectivePipeline) => boolean = () => true,
): Promise<readonly EffectivePipeline[]> {
  return filterInTurns(
    pipelines.list(),
    (each) =>
      isWanted(each) &&
      access.may(principal, { action: 'view-pipeline', pipeline: each.pipeline.name }),
  )
}

/** The newest run, if the caller may view it. */
export async function latestRun(
  deps: RunRightsDeps & Pick<ListPipelinesDeps, 'newestRuns'>,
  principal: Principal,
  pipeline: string,
): Promise<ListedPipeline['latest']> {
  const newest = await deps.newestRuns.of(pipeline)
  if (newest === null) return null
  const viewable = await viewableRuns(deps, principal, [newest.run])
  return viewable.length === 0 ? null : newest
}

/** The last ten runs, newest first: those that the caller may view. */
export async function recentRuns(
  deps: RunRightsDeps & Pick<ListPipelinesDeps, 'newestRuns'>,
  principal: Principal,
  pipeline: string,
): Promise<readonly RecentRun[]> {
  const recent = await deps.newestRuns.recent(pipeline)
  const runs = recent.map(({ run }) => run)
  const viewable = new Set(await viewableRuns(deps, principal, runs))
  return recent.filter(({ run }) => viewable.has(run))
}
