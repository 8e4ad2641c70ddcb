import type { PipelineInstance, StageInstance } from '../../builds/engine/documents.ts'
import type { StageRun } from '../../builds/engine/queries.ts'
import { type Page, type Pagination, PAGE_SIZE } from '../../core/page.ts'
import type { Principal } from '../../core/principal.ts'
import { isSameName } from '../../core/name-key.ts'
import {
  listStageRuns,
  readStageRun,
  type StageName,
  type StagesDeps,
  viewableStageRuns,
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
  readonly run: StageRun
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
  const run = asked && (await readStageRun(deps, principal, { ...name, ...asked }))
  const page = run
    ? await viewablePart(deps, principal, await pageOfRun(deps, { name, run }))
    : await listStageRuns(deps, principal, { ...name, offset })
  const later = await deps.builds.stages(name, page.pagination.offset + PAGE_SIZE)
  const olderRuns = await viewableStages(deps, principal, later.items)
  const [older = null] = olderRuns
  const span = spanOf(page.items.map(startOf), older, page.pagination.offset)
  const markers = await configMarkers(deps, principal, name.pipeline, span)
  const rows = await Promise.all(page.items.map((each) => rowOf(deps, each)))
  const shown = run ?? page.items[0] ?? null
  const before =
    shown && (await runBefore(deps, shown, [...page.items.map(({ stage }) => stage), ...olderRuns]))
  return {
    name: nameOf(name, shown),
    entries: timelineOf(rows, markers, ({ run: { stage } }) => stage.createdAt),
    pagination: page.pagination,
    details: shown && (await readStageDetails(deps, principal, { run: shown, before })),
  }
}

async function rowOf({ builds }: StagePageDeps, run: StageRun): Promise<StageHistoryRow> {
  const { pipelineName: pipeline, pipelineCounter: counter } = run.stage
  return { run, pipelineRun: await builds.pipelineInstance({ pipeline, counter }) }
}

/** The page that contains a run. Runs are ordered by id, the newest first. */
async function pageOfRun(
  { builds }: StagePageDeps,
  { name, run }: { name: StageName; run: StageRun },
): Promise<Page<StageRun>> {
  const first = await builds.stages(name, 0)
  if (first.items.some(({ id }) => id === run.stage.id)) return builds.stageHistory(name, 0)
  const last = Math.ceil(first.pagination.total / PAGE_SIZE) - 1
  const number = await bisectAsync({ low: 1, high: last }, async (page) => {
    const { items } = await builds.stages(name, page * PAGE_SIZE)
    return (items.at(-1)?.id ?? 0) > run.stage.id
  })
  return builds.stageHistory(name, number * PAGE_SIZE)
}

async function viewablePart(
  deps: StagePageDeps,
  principal: Principal,
  { items, pagination }: Page<StageRun>,
): Promise<Page<StageRun>> {
  return { items: await viewableStageRuns(deps, principal, items), pagination }
}

/**
 * The run that a run is compared with: the attempt before a rerun, and for a first attempt the last
 * one of an earlier run of the pipeline. A rerun of an older run is newer than runs that followed it.
 */
async function runBefore(
  { builds }: StagePageDeps,
  { stage: shown }: StageRun,
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

function startOf({ stage: { createdAt } }: StageRun): { readonly createdAt: number } {
  return { createdAt }
}

/** The names in the case of the run. */
function nameOf(asked: StageName, run: StageRun | null): StageName {
  if (!run || !isSameName(run.stage.name, asked.stage)) return asked
  return { pipeline: run.stage.pipelineName, stage: run.stage.name }
}
