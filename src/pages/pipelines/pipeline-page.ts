import type { PipelineInstance, PipelinePause } from '../../builds/engine/documents.ts'
import type { StageSummary } from '../../builds/engine/queries.ts'
import type { Pipeline } from '../../document/model/model.ts'
import { type Pagination, PAGE_SIZE } from '../../core/page.ts'
import type { Principal } from '../../core/principal.ts'
import { isSameName } from '../../core/name-key.ts'
import { recentRuns } from '../../builds/runs/list-pipelines.ts'
import type { RecentRun } from '../../builds/runs/recent-runs.ts'
import { summariesOf } from '../../builds/runs/pipeline-runs.ts'
import { viewableRuns } from '../../builds/runs/run-rights.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import type { Unsupported } from '../../builds/configured/unsupported.ts'
import { configMarkers } from '../runs/config-markers.ts'
import { type RunMaterial, runMaterials } from './material-names.ts'
import { type PipelinesPageDeps, problemsByPipeline } from './pipelines-page.ts'
import { readValueStream, type ValueStream } from './value-stream.ts'
import { type TimelineEntry, timelineOf } from '../runs/timeline.ts'
import { pipelineNotFound } from '../../builds/engine/stage-not-found.ts'

export interface PipelinePageDeps extends PipelinesPageDeps {
  readonly unsupported: Unsupported
}

/** One run of a pipeline. */
export interface ShownRun {
  readonly run: PipelineInstance
  readonly stages: readonly StageSummary[]
  readonly materials: readonly RunMaterial[]
  /** The next stage that needs a manual approval, if the caller may give it. */
  readonly next: string | null
  /** The last stage, where it did not pass and the caller may run it again. */
  readonly again: StageSummary | null
}

export interface PipelinePage {
  readonly name: string
  /** Null when it is no longer configured. */
  readonly group: string | null
  readonly stages: readonly string[]
  readonly entries: readonly TimelineEntry<ShownRun>[]
  readonly pagination: Pagination
  readonly lockedBy: number | null
  readonly pause: PipelinePause | null
  readonly mayOperate: boolean
  readonly mayTrigger: boolean
  /** Whether the caller administers its group; who does not, and views it, may propose. */
  readonly mayEdit: boolean
  readonly problems: readonly string[]
  /** Why stages cannot start, and why those of its runs wait for somebody to intervene. */
  readonly stuck: readonly string[]
  /** Its parts that nobody here acts on. */
  readonly unsupported: readonly string[]
  /** Its last ten runs, newest first. */
  readonly recent: readonly RecentRun[]
  /** The pipelines that it is built from, and those built from it; null for none. */
  readonly stream: ValueStream | null
}

/**
 * Reads the runs of a pipeline, ten per page, with the changes of its configuration between them.
 *
 * @throws {ServiceError} `pipeline-not-found`, `not-permitted`.
 */
export async function readPipelinePage(
  deps: PipelinePageDeps,
  principal: Principal,
  { name: asked, offset }: { readonly name: string; readonly offset: number },
): Promise<PipelinePage> {
  const { access, builds, pipelines } = deps
  assertMay(access, principal, { action: 'view-pipeline', pipeline: asked })
  const effective = pipelines.find(asked)
  const page = await builds.pipelineHistory(asked, offset)
  const name = effective?.pipeline.name ?? page.items[0]?.name ?? asked
  if (!effective && page.pagination.total === 0) throw pipelineNotFound(asked)
  const items = await viewableRuns(deps, principal, page.items)
  const [older = null] = await olderRun(deps, principal, { name, offset })
  const pause = effective && (await builds.pauseOf(name))
  const runs = await shownRuns(deps, principal, {
    pipeline: effective?.pipeline ?? null,
    isPaused: pause !== null,
    runs: items,
    older,
    isNewest: offset === 0,
  })
  const group = effective?.group ?? null
  const may = (action: 'operate-pipeline' | 'trigger-pipeline') =>
    effective !== null && access.may(principal, { action, pipeline: name })
  const span = spanOf(items, older, offset)
  const markers = await configMarkers(deps, principal, name, span)
  return {
    name,
    group,
    stages: effective?.pipeline.stages.map((stage) => stage.name) ?? [],
    entries: timelineOf(runs, markers, ({ run }) => run.createdAt),
    pagination: page.pagination,
    pause,
    lockedBy: effective?.pipeline.isLocked === true ? await builds.lockedBy(name) : null,
    mayOperate: may('operate-pipeline'),
    mayTrigger: may('trigger-pipeline'),
    problems: problemsByPipeline(deps.poller.problems()).get(name) ?? [],
    stuck: [
      ...(deps.stranded.byPipeline().get(name) ?? []),
      ...deps.waiting.stuckStages(runs.flatMap(({ stages }) => stages)),
    ],
    unsupported: deps.unsupported.ofPipeline(name),
    recent: await recentRuns(deps, principal, name),
    stream: await readValueStream(deps, principal, name),
    mayEdit: group !== null && access.may(principal, { action: 'administer-group', group }),
  }
}

async function olderRun(
  deps: PipelinePageDeps,
  principal: Principal,
  { name, offset }: { readonly name: string; readonly offset: number },
): Promise<PipelineInstance[]> {
  const { items } = await deps.builds.pipelineHistory(name, offset + PAGE_SIZE)
  return viewableRuns(deps, principal, items.slice(0, 1))
}

/**
 * The time span of a page of runs: the first page ends now, the last one starts with the pipeline.
 */
export function spanOf(
  items: readonly { readonly createdAt: number }[],
  older: { readonly createdAt: number } | null,
  offset: number,
): { until: number; after: number } {
  const newest = offset === 0 ? Number.POSITIVE_INFINITY : (items[0]?.createdAt ?? 0)
  return { until: newest, after: older?.createdAt ?? Number.NEGATIVE_INFINITY }
}

function shownRuns(
  { builds, access, poller }: PipelinePageDeps,
  principal: Principal,
  of: {
    readonly pipeline: Pipeline | null
    readonly isPaused: boolean
    readonly runs: readonly PipelineInstance[]
    readonly older: PipelineInstance | null
    /** Whether the newest run is among them. */
    readonly isNewest: boolean
  },
): Promise<ShownRun[]> {
  const { pipeline, isPaused, runs, older, isNewest } = of
  return Promise.all(
    runs.map(async (run, index) => {
      const stages = await summariesOf(builds, run)
      const before = runs[index + 1] ?? older
      const changes = await builds.runChanges({ pipeline: run.name, counter: run.counter })
      const problems = isNewest && index === 0 ? poller.problems() : []
      const materials = runMaterials(pipeline, { run, before, changes, problems })
      const may = (stage: string) =>
        access.may(principal, { action: 'operate-stage', pipeline: run.name, stage })
      const next = pipeline === null || isPaused ? null : nextStage(pipeline, stages)
      const again = pipeline === null || isPaused ? null : stageToRepeat(pipeline, stages)
      return {
        run,
        stages,
        materials,
        next: next !== null && may(next) ? next : null,
        again: again !== null && may(again.stage.name) ? again : null,
      }
    }),
  )
}

/** The last stage of a run that is over and did not pass; null when it is no longer configured. */
function stageToRepeat(
  { stages: planned }: Pipeline,
  stages: readonly StageSummary[],
): StageSummary | null {
  const last = stages.at(-1)
  if (!last || last.result === 'Passed' || stages.some(({ active }) => active)) return null
  return planned.some(({ name }) => isSameName(name, last.stage.name)) ? last : null
}

/** The first stage that has not run, if none is in progress. */
function nextStage({ stages: planned }: Pipeline, stages: readonly StageSummary[]): string | null {
  if (stages.length === 0 || stages.some(({ active }) => active)) return null
  const next = planned.find(({ name }) => !stages.some(({ stage }) => isSameName(stage.name, name)))
  return next?.name ?? null
}
