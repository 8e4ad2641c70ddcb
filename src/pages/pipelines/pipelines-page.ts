import { filterInTurns, mapInTurns } from '../../lib/cooperative.ts'
import type { Principal } from '../../core/principal.ts'
import {
  latestRun,
  type ListedPipeline,
  type ListPipelinesDeps,
  viewablePipelines,
} from '../../builds/runs/list-pipelines.ts'
import type { EffectivePipeline } from '../../builds/runs/effective-pipelines.ts'
import type { StrandedStages } from '../../builds/dispatch/stranded-stages.ts'
import type { WaitingJobs } from '../../builds/dispatch/waiting-jobs.ts'
import type { MaterialPoller, MaterialProblem } from '../../builds/materials/material-poller.ts'
import type { ConfigMarkersDeps } from '../runs/config-markers.ts'
import { visibleSteps } from '../entity/entity-steps.ts'
import { entityAddress } from '../revisions/entity-address.ts'
import { lastChanges } from '../revisions/last-change.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import { type RunMaterial, runMaterials } from './material-names.ts'
import { type PipelineState, pipelineState, STATE_ORDER } from './pipeline-state.ts'

export interface PipelinesPageDeps extends ListPipelinesDeps, ConfigMarkersDeps {
  readonly poller: Pick<MaterialPoller, 'problems'>
  readonly waiting: WaitingJobs
  readonly stranded: StrandedStages
}

export interface PipelinesQuery {
  /** Part of the name of a pipeline or group. */
  readonly filter: string
  readonly status: PipelineState | null
  readonly offset: number
}

/** A pipeline with its newest run, and the caller's permissions on it. */
export interface PipelineCard {
  readonly name: string
  readonly group: string
  readonly stages: readonly string[]
  readonly status: PipelineState
  readonly lockedBy: number | null
  readonly pause: ListedPipeline['pause']
  readonly latest: ListedPipeline['latest']
  /** The materials of its newest run, those with new changes first. */
  readonly materials: readonly RunMaterial[]
  /** The newest change of its configuration that the caller may see. */
  readonly lastChange: NumberedRevision | null
  readonly mayOperate: boolean
  /** The number of its materials that cannot be read. */
  readonly unreadable: number
  /** Why stages cannot start, and why those of its newest run wait for somebody to intervene. */
  readonly stuck: readonly string[]
}

export interface PipelinesPage {
  /** In the order of the document, so pipelines of a group are adjacent. */
  readonly cards: readonly PipelineCard[]
  readonly offset: number
  readonly matching: number
  readonly total: number
  /** The number of pipelines in each status, whatever the filter. */
  readonly counts: readonly { readonly status: PipelineState; readonly count: number }[]
}

export const PIPELINE_ROWS = 50
/** A card asks the history too, which takes longer than a look at a run. */
const CARDS_AT_ONCE = 5

/** A pipeline with its newest run. */
interface Standing {
  readonly listed: EffectivePipeline
  readonly latest: ListedPipeline['latest']
  readonly status: PipelineState
}

/** Reads one page of the pipelines that the caller may view. */
export async function readPipelinesPage(
  deps: PipelinesPageDeps,
  principal: Principal,
  { filter, status, offset }: PipelinesQuery,
): Promise<PipelinesPage> {
  const visible = await viewablePipelines(deps, principal)
  const standings = await mapInTurns(visible, (listed) => standingOf(deps, principal, listed))
  const wanted = filter.toLowerCase()
  const matching = await filterInTurns(
    standings,
    ({ listed: { group, pipeline }, status: has }) =>
      (status === null || has === status) &&
      `${group} ${pipeline.name}`.toLowerCase().includes(wanted),
  )
  const shown = matching.slice(offset, offset + PIPELINE_ROWS)
  const problems = problemsByPipeline(deps.poller.problems())
  const stranded = deps.stranded.byPipeline()
  const card = (each: Standing) => cardOf(deps, principal, each, { problems, stranded })
  return {
    cards: await mapInTurns(shown, card, CARDS_AT_ONCE),
    offset,
    matching: matching.length,
    total: visible.length,
    counts: countsOf(standings),
  }
}

async function standingOf(
  deps: PipelinesPageDeps,
  principal: Principal,
  listed: EffectivePipeline,
): Promise<Standing> {
  const latest = await latestRun(deps, principal, listed.pipeline.name)
  return { listed, latest, status: pipelineState(listed.pipeline, latest) }
}

function countsOf(standings: readonly Standing[]): PipelinesPage['counts'] {
  return STATE_ORDER.map((status) => {
    return { status, count: standings.filter((each) => each.status === status).length }
  }).filter(({ count }) => count > 0)
}

async function cardOf(
  deps: PipelinesPageDeps,
  principal: Principal,
  { listed: { group, pipeline }, latest, status }: Standing,
  { problems, stranded }: Record<'problems' | 'stranded', ReadonlyMap<string, readonly string[]>>,
): Promise<PipelineCard> {
  const { access, builds, waiting } = deps
  const { name, isLocked, stages } = pipeline
  return {
    name,
    group,
    stages: stages.map((stage) => stage.name),
    status,
    lockedBy: isLocked ? await builds.lockedBy(name) : null,
    pause: await builds.pauseOf(name),
    latest,
    materials: latest === null ? [] : await materialsOf(deps, pipeline, latest.run),
    lastChange: await lastChangeOf(deps, principal, name),
    stuck: [...(stranded.get(name) ?? []), ...waiting.stuckStages(latest?.stages ?? [])],
    mayOperate: access.may(principal, { action: 'operate-pipeline', pipeline: name }),
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
