import { filterInTurns, mapInTurns } from '../../lib/cooperative.ts'
import { nameKey } from '../../core/name-key.ts'
import { itemsAt } from '../../core/page.ts'
import type { Principal } from '../../core/principal.ts'
import {
  latestRun,
  type ListedPipeline,
  type ListPipelinesDeps,
  recentRuns,
  viewablePipelines,
} from '../../builds/runs/list-pipelines.ts'
import type { RecentRun } from '../../builds/runs/recent-runs.ts'
import type { EffectivePipeline } from '../../builds/configured/effective-pipelines.ts'
import type { StrandedStages } from '../../builds/dispatch/stranded-stages.ts'
import type { WaitingJobs } from '../../builds/dispatch/waiting-jobs.ts'
import type { MaterialPoller, MaterialProblem } from '../../builds/materials/material-poller.ts'
import type { ConfigMarkersDeps } from '../runs/config-markers.ts'
import { visibleSteps } from '../entity/entity-steps.ts'
import { entityAddress } from '../revisions/entity-address.ts'
import { lastChanges } from '../revisions/last-change.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import { type RunMaterial, runMaterials } from './material-names.ts'
import { ListFilter } from '../kit/list-filter.ts'
import {
  PIPELINE_STATES,
  type PipelineState,
  pipelineState,
  type RunState,
  STATE_ORDER,
} from './pipeline-state.ts'
import { countEach, groupBy } from '../../lib/grouping.ts'

export interface PipelinesPageDeps extends ListPipelinesDeps, ConfigMarkersDeps {
  readonly poller: Pick<MaterialPoller, 'problems'>
  readonly waiting: WaitingJobs
  readonly stranded: StrandedStages
}

export interface PipelinesQuery {
  /** Such as `group:shop status:failed web`. */
  readonly filter: string
  readonly status: PipelineState | null
  readonly offset: number
}

/** A pipeline with its newest run, and the caller's permissions on it. */
export interface PipelineCard {
  readonly name: string
  readonly group: string
  readonly stages: readonly string[]
  readonly status: RunState
  readonly lockedBy: number | null
  readonly pause: ListedPipeline['pause']
  readonly latest: ListedPipeline['latest']
  /** Its last runs, newest first. */
  readonly recent: readonly RecentRun[]
  /** The materials of its newest run, those with new changes first. */
  readonly materials: readonly RunMaterial[]
  /** The newest change of its configuration that the caller may see. */
  readonly lastChange: NumberedRevision | null
  readonly mayOperate: boolean
  readonly mayTrigger: boolean
  /** Whether the caller administers its group. */
  readonly mayEdit: boolean
  /** The number of its materials that cannot be read. */
  readonly unreadable: number
  /** Why stages cannot start, and why those of its newest run wait for somebody to intervene. */
  readonly stuck: readonly string[]
}

/** The number of pipelines in each state that some are in. */
export type StateCounts = readonly { readonly status: PipelineState; readonly count: number }[]

/** The matching pipelines of a group, on every page. */
export interface GroupCounts {
  readonly total: number
  readonly counts: StateCounts
}

export interface PipelinesPage {
  /** In the order of the document, so pipelines of a group are adjacent. */
  readonly cards: readonly PipelineCard[]
  readonly offset: number
  readonly matching: number
  readonly total: number
  /** The number of pipelines in each state, whatever the filter. */
  readonly counts: StateCounts
  /** By the names of the groups. */
  readonly groups: ReadonlyMap<string, GroupCounts>
  /** The jobs of these pipelines that wait for an agent. */
  readonly queue: { readonly jobs: number; readonly since: number | null }
  /** Whether the caller may operate one that is shown. */
  readonly mayOperate: boolean
}

export const PIPELINE_ROWS = 50
/** A card asks the history too, which takes longer than a look at a run. */
const CARDS_AT_ONCE = 5

/** A pipeline with its newest run, and what keeps it from running. */
interface Standing {
  readonly listed: EffectivePipeline
  readonly latest: ListedPipeline['latest']
  readonly status: RunState
  readonly lockedBy: number | null
  readonly pause: ListedPipeline['pause']
}

const FILTER = new ListFilter<Standing>(
  {
    name: ({ listed }) => [listed.pipeline.name],
    group: ({ listed }) => [listed.group],
    label: ({ latest }) => (latest === null ? [] : [latest.run.label]),
    status: (standing) => statesOf(standing).map((state) => PIPELINE_STATES[state]),
  },
  { pipeline: 'name' },
  ['name', 'group'],
)

/** Reads one page of the pipelines that the caller may view. */
export async function readPipelinesPage(
  deps: PipelinesPageDeps,
  principal: Principal,
  query: PipelinesQuery,
): Promise<PipelinesPage> {
  const standings = await standingsOf(deps, principal)
  const matching = await matchingOf(standings, query)
  const at = { offset: query.offset, pageSize: PIPELINE_ROWS }
  const { items: shown, offset } = itemsAt(matching, at)
  const problems = problemsByPipeline(deps.poller.problems())
  const stranded = deps.stranded.byPipeline()
  const card = (each: Standing) => cardOf(deps, principal, each, { problems, stranded })
  const cards = await mapInTurns(shown, card, CARDS_AT_ONCE)
  return {
    cards,
    offset,
    matching: matching.length,
    total: standings.length,
    counts: countsOf(standings),
    groups: groupCounts(matching),
    queue: queueOf(deps, standings),
    mayOperate: cards.some(({ mayOperate }) => mayOperate),
  }
}

/** The names of all pipelines that the caller may view and that a filter leaves. */
export async function matchingPipelines(
  deps: PipelinesPageDeps,
  principal: Principal,
  query: PipelinesQuery,
): Promise<readonly string[]> {
  const matching = await matchingOf(await standingsOf(deps, principal), query)
  return matching.map(({ listed }) => listed.pipeline.name)
}

async function standingsOf(
  deps: PipelinesPageDeps,
  principal: Principal,
): Promise<readonly Standing[]> {
  const visible = await viewablePipelines(deps, principal)
  const [pauses, locks] = await Promise.all([deps.builds.pauses(), deps.builds.locks()])
  return mapInTurns(visible, async (listed) => {
    const { name, isLocked } = listed.pipeline
    const latest = await latestRun(deps, principal, name)
    return {
      listed,
      latest,
      status: pipelineState(listed.pipeline, latest),
      lockedBy: isLocked ? (locks.get(nameKey(name)) ?? null) : null,
      pause: pauses.get(nameKey(name)) ?? null,
    }
  })
}

function matchingOf(
  standings: readonly Standing[],
  { filter, status }: PipelinesQuery,
): Promise<readonly Standing[]> {
  const isWanted = FILTER.parse(filter)
  return filterInTurns(
    standings,
    (each) => (status === null || statesOf(each).includes(status)) && isWanted(each),
  )
}

function statesOf({ status, lockedBy, pause }: Standing): readonly PipelineState[] {
  const paused = pause === null ? [] : (['paused'] as const)
  return lockedBy === null ? [status, ...paused] : [status, ...paused, 'locked']
}

function countsOf(standings: readonly Standing[]): StateCounts {
  const counts = countEach(standings.flatMap(statesOf))
  return STATE_ORDER.map((status) => ({ status, count: counts.get(status) ?? 0 })).filter(
    ({ count }) => count > 0,
  )
}

function groupCounts(matching: readonly Standing[]): PipelinesPage['groups'] {
  return new Map(
    Array.from(
      groupBy(matching, ({ listed }) => listed.group),
      ([group, members]) => [group, { total: members.length, counts: countsOf(members) }],
    ),
  )
}

function queueOf(
  { builds }: PipelinesPageDeps,
  standings: readonly Standing[],
): PipelinesPage['queue'] {
  const names = new Set(standings.map(({ listed }) => nameKey(listed.pipeline.name)))
  const waiting = builds.queue().filter(({ pipelineName }) => names.has(nameKey(pipelineName)))
  const times = waiting.map(({ scheduledDate }) => scheduledDate)
  const since = times.reduce<number | null>(
    (first, time) => (first === null || time < first ? time : first),
    null,
  )
  return { jobs: waiting.length, since }
}

async function cardOf(
  deps: PipelinesPageDeps,
  principal: Principal,
  { listed: { group, pipeline }, latest, ...state }: Standing,
  { problems, stranded }: Record<'problems' | 'stranded', ReadonlyMap<string, readonly string[]>>,
): Promise<PipelineCard> {
  const { access, waiting } = deps
  const { name, stages } = pipeline
  return {
    name,
    group,
    stages: stages.map((stage) => stage.name),
    ...state,
    latest,
    recent: latest === null ? [] : await recentRuns(deps, principal, name),
    materials: latest === null ? [] : await materialsOf(deps, pipeline, latest.run),
    lastChange: await lastChangeOf(deps, principal, name),
    stuck: [...(stranded.get(name) ?? []), ...waiting.stuckStages(latest?.stages ?? [])],
    mayOperate: access.may(principal, { action: 'operate-pipeline', pipeline: name }),
    mayTrigger: access.may(principal, { action: 'trigger-pipeline', pipeline: name }),
    mayEdit: access.may(principal, { action: 'administer-group', group }),
    unreadable: problems.get(name)?.length ?? 0,
  }
}

async function materialsOf(
  { builds }: PipelinesPageDeps,
  pipeline: EffectivePipeline['pipeline'],
  run: NonNullable<ListedPipeline['latest']>['run'],
): Promise<readonly RunMaterial[]> {
  const changes = await builds.runChanges({ pipeline: run.name, counter: run.counter })
  const materials = runMaterials(pipeline, { run, before: null, changes, problems: [] })
  return [...materials.filter(hasNews), ...materials.filter((material) => !hasNews(material))]
}

function hasNews({ modifications }: RunMaterial): boolean {
  return modifications.length > 0
}

/**
 * The newest revision that changed a pipeline, as far as a caller who may view the pipeline may see
 * it; null while it is not indexed.
 */
async function lastChangeOf(
  deps: PipelinesPageDeps,
  principal: Principal,
  pipeline: string,
): Promise<NumberedRevision | null> {
  const address = entityAddress('pipeline', pipeline)
  const newest = (await lastChanges(deps, [address.entity])).get(address.entity) ?? null
  if (newest === null || !deps.entities.mayMove(newest)) return newest
  await deps.entities.readChanges(newest)
  // It may have moved the pipeline out of a group that the caller may not view.
  const { visible } = await visibleSteps(deps, principal, address)
  return visible.at(0)?.revision ?? null
}

export function problemsByPipeline(
  problems: readonly MaterialProblem[],
): ReadonlyMap<string, readonly string[]> {
  const byPipeline = new Map<string, string[]>()
  for (const { pipelines, errors } of problems) {
    const texts = errors.map(({ message }) => message)
    for (const name of pipelines) byPipeline.set(name, [...(byPipeline.get(name) ?? []), ...texts])
  }
  return byPipeline
}
