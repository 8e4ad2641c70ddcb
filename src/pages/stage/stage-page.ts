import type { PipelineInstance, StageInstance } from '../../builds/engine/documents.ts'
import type { StageSummary } from '../../builds/engine/queries.ts'
import { type Page, type Pagination, PAGE_SIZE } from '../../core/page.ts'
import type { Principal } from '../../core/principal.ts'
import { isSameName } from '../../core/name-key.ts'
import {
  listStages,
  readStage,
  type StageName,
  type StagesDeps,
  viewableStages,
} from '../../builds/runs/stages.ts'
import { bisectAsync } from '../../lib/bisect.ts'
import { configMarkers } from '../runs/config-markers.ts'
import { type PipelinePageDeps, spanOf } from '../pipelines/pipeline-page.ts'
import { readStageDetails, type StageDetails } from './stage-details.ts'
import { type TimelineEntry, timelineOf } from '../runs/timeline.ts'

export type StagePageDeps = PipelinePageDeps & StagesDeps

export interface StagePageQuery extends StageName {
  /** The run shown in full; null for the newest run of the page. */
  readonly run: { readonly pipelineCounter: number; readonly stageCounter: number } | null
  readonly offset: number
}

/** A run of the stage in the list of all. */
export interface StageHistoryRow {
  readonly run: StageSummary
  readonly pipelineRun: PipelineInstance | null
}

export interface StagePage {
  readonly name: StageName
  readonly entries: readonly TimelineEntry<StageHistoryRow>[]
  readonly pagination: Pagination
  /** The run shown in full; null when there is none. */
  readonly details: StageDetails | null
}

/**
 * Reads the runs of a stage, ten per page, with the changes of the pipeline's configuration between
 * them, and one run in full.
 *
 * @throws {ServiceError} `stage-not-found`, `not-permitted`.
 */
export async function readStagePage(
  deps: StagePageDeps,
  principal: Principal,
  { run: asked, offset, ...name }: StagePageQuery,
): Promise<StagePage> {
  const chosen = asked && (await readStage(deps, principal, { ...name, ...asked }))
  const { items, pagination } = chosen
    ? await viewablePart(deps, principal, await pageOfRun(deps, { name, stage: chosen }))
    : await listStages(deps, principal, { ...name, offset })
  const later = await deps.builds.stages(name, pagination.offset + PAGE_SIZE)
  const olderRuns = await viewableStages(deps, principal, later.items)
  const [older = null] = olderRuns
  const span = spanOf(items, older, pagination.offset)
  const markers = await configMarkers(deps, principal, name.pipeline, span)
  const runs = await deps.builds.summaries(items)
  const rows = await Promise.all(runs.map((each) => rowOf(deps, each)))
  const shown = chosen ? await deps.builds.summary(chosen) : (runs[0] ?? null)
  const before = shown && (await runBefore(deps, shown, [...items, ...olderRuns]))
  return {
    name: nameOf(name, shown),
    entries: timelineOf(rows, markers, ({ run: { stage } }) => stage.createdAt),
    pagination,
    details: shown && (await readStageDetails(deps, principal, { run: shown, before })),
  }
}

async function rowOf({ builds }: StagePageDeps, run: StageSummary): Promise<StageHistoryRow> {
  const { pipelineName: pipeline, pipelineCounter: counter } = run.stage
  return { run, pipelineRun: await builds.pipelineInstance({ pipeline, counter }) }
}

/** The page that contains a run. Runs are ordered by id, the newest first. */
async function pageOfRun(
  { builds }: StagePageDeps,
  { name, stage }: { name: StageName; stage: StageInstance },
): Promise<Page<StageInstance>> {
  const first = await builds.stages(name, 0)
  if (first.items.some(({ id }) => id === stage.id)) return first
  const last = Math.ceil(first.pagination.total / PAGE_SIZE) - 1
  const number = await bisectAsync({ low: 1, high: last }, async (page) => {
    const { items } = await builds.stages(name, page * PAGE_SIZE)
    return (items.at(-1)?.id ?? 0) > stage.id
  })
  return builds.stages(name, number * PAGE_SIZE)
}

async function viewablePart(
  deps: StagePageDeps,
  principal: Principal,
  { items, pagination }: Page<StageInstance>,
): Promise<Page<StageInstance>> {
  return { items: await viewableStages(deps, principal, items), pagination }
}

/**
 * The run that a run is compared with: the attempt before a rerun, and for a first attempt the last
 * one of an earlier run of the pipeline. A rerun of an older run is newer than runs that followed it.
 */
async function runBefore(
  { builds }: StagePageDeps,
  { stage: shown }: StageSummary,
  newestFirst: readonly StageInstance[],
): Promise<StageInstance | null> {
  const { pipelineName: pipeline, pipelineCounter, name, counter } = shown
  if (counter > 1) {
    const attempt = { pipeline, stage: name, pipelineCounter, stageCounter: counter - 1 }
    return builds.stage(attempt)
  }
  const earlier = newestFirst.filter(
    (stage) => stage.id < shown.id && stage.pipelineCounter < pipelineCounter,
  )
  const last = Math.max(...earlier.map((stage) => stage.pipelineCounter))
  return earlier.find((stage) => stage.pipelineCounter === last) ?? null
}

/** The names in the case of the run. */
function nameOf(asked: StageName, run: StageSummary | null): StageName {
  if (!run || !isSameName(run.stage.name, asked.stage)) return asked
  return { pipeline: run.stage.pipelineName, stage: run.stage.name }
}
