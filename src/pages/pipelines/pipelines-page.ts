import type { Principal } from '../../core/principal.ts'
import {
  latestRun,
  type ListedPipeline,
  type ListPipelinesDeps,
} from '../../builds/runs/list-pipelines.ts'
import type { EffectivePipeline } from '../../builds/runs/effective-pipelines.ts'
import type { WaitingJobs } from '../../builds/dispatch/waiting-jobs.ts'
import type { MaterialProblem } from '../../builds/materials/material-poller.ts'

export interface PipelinesPageDeps extends ListPipelinesDeps {
  readonly materialProblems: () => readonly MaterialProblem[]
  readonly waiting: Pick<WaitingJobs, 'explain' | 'stuckStages'>
}

/** A pipeline with its newest run, and the caller's permissions on it. */
export interface PipelineCard {
  readonly name: string
  readonly group: string
  readonly stages: readonly string[]
  readonly lockedBy: number | null
  readonly pause: ListedPipeline['pause']
  readonly latest: ListedPipeline['latest']
  readonly mayOperate: boolean
  /** Why its materials cannot be read. */
  readonly problems: readonly string[]
  /** Why stages of its newest run are stuck: no agent can take one of their jobs. */
  readonly stuck: readonly string[]
}

export interface PipelinesPage {
  /** In the order of the document, so pipelines of a group are adjacent. */
  readonly cards: readonly PipelineCard[]
  readonly offset: number
  readonly matching: number
  readonly total: number
}

export const PIPELINE_ROWS = 50

/** Reads one page of the pipelines that the caller may view. */
export async function readPipelinesPage(
  deps: PipelinesPageDeps,
  principal: Principal,
  { filter, offset }: { readonly filter: string; readonly offset: number },
): Promise<PipelinesPage> {
  const { access, pipelines } = deps
  const visible = pipelines
    .list()
    .filter(({ pipeline: { name } }) =>
      access.may(principal, { action: 'view-pipeline', pipeline: name }),
    )
  const wanted = filter.toLowerCase()
  const matching = visible.filter(({ group, pipeline: { name } }) =>
    `${group} ${name}`.toLowerCase().includes(wanted),
  )
  const shown = matching.slice(offset, offset + PIPELINE_ROWS)
  const problems = problemsByPipeline(deps.materialProblems())
  const cards = shown.map((each) => cardOf(deps, principal, each, problems))
  return {
    cards: await Promise.all(cards),
    offset,
    matching: matching.length,
    total: visible.length,
  }
}

export async function cardOf(
  deps: PipelinesPageDeps,
  principal: Principal,
  { group, pipeline }: EffectivePipeline,
  problems: ReadonlyMap<string, readonly string[]>,
): Promise<PipelineCard> {
  const { access, builds, waiting } = deps
  const { name, isLocked, stages } = pipeline
  const latest = await latestRun(deps, principal, name)
  return {
    name,
    group,
    stages: stages.map((stage) => stage.name),
    lockedBy: isLocked ? await builds.lockedBy(name) : null,
    pause: await builds.pauseOf(name),
    latest,
    stuck: waiting.stuckStages(latest?.stages ?? []),
    mayOperate: access.may(principal, { action: 'operate-pipeline', pipeline: name }),
    problems: problems.get(name) ?? [],
  }
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
