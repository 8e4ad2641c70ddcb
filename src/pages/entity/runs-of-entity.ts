import type { PipelineInstance } from '../../builds/engine/documents.ts'
import type { StageRun } from '../../builds/engine/queries.ts'
import type { Page } from '../../core/page.ts'
import type { Principal } from '../../core/principal.ts'
import { stageStatus, type StageState } from '../../core/builds/stage.ts'
import { bisectAsync } from '../../lib/bisect.ts'
import { newestStages } from '../../builds/runs/pipeline-runs.ts'
import { type RunRightsDeps, viewableRuns } from '../../builds/runs/run-rights.ts'
import { viewableStageRuns } from '../../builds/runs/stages.ts'

/** The caller who reads runs. */
export interface RunViewer {
  readonly deps: RunRightsDeps
  readonly principal: Principal
}

/** A run of a pipeline, or of one of its stages, for the history of that entity. */
export interface EntityRun {
  readonly pipeline: string
  readonly counter: number
  readonly label: string
  /** The stage to link to: that of the run, or the first that did not pass. */
  readonly stage: { readonly name: string; readonly counter: number } | null
  readonly state: StageState
  /** The jobs that failed. */
  readonly failed: readonly string[]
  readonly time: number
}

/** The runs between two times, newest first, and how many of them are left out. */
export interface RunsBetween {
  readonly newest: readonly EntityRun[]
  readonly left: number
  readonly oldest: readonly EntityRun[]
}

/** After the older time, up to and including the newer one. */
export interface Between {
  readonly newer: number
  readonly older: number
}

/** The number of runs shown at each end when not all are. */
const ENDS = 3

/** Reads the runs between two times that the reader may view. */
export type RunsReader = (between: Between) => Promise<RunsBetween>

/** The runs of a pipeline. */
export function pipelineRuns({ deps, principal }: RunViewer, pipeline: string): RunsReader {
  return runsReader({
    page: (offset) => deps.builds.pipelineHistory(pipeline, offset),
    timeAt: (place) => deps.builds.pipelineRunTime(pipeline, place),
    viewable: (runs) => viewableRuns(deps, principal, runs),
    describe: (run) => describePipelineRun(deps, run),
  })
}

/** The runs of a stage. */
export function stageRuns(
  { deps, principal }: RunViewer,
  name: { readonly pipeline: string; readonly stage: string },
): RunsReader {
  return runsReader({
    page: (offset) => deps.builds.stageHistory(name, offset),
    timeAt: (place) => deps.builds.stageRunTime(name, place),
    viewable: (runs) => viewableStageRuns(deps, principal, runs),
    describe: async (run) => describeStageRun(run, String(run.stage.pipelineCounter)),
  })
}

/** A list that is ordered newest first and read in pages. */
interface Source<Item> {
  readonly page: (offset: number) => Promise<Page<Item>>
  /** Null behind the last item. */
  readonly timeAt: (place: number) => Promise<number | null>
  readonly viewable: (items: readonly Item[]) => Promise<readonly Item[]>
  readonly describe: (item: Item) => Promise<EntityRun>
}

/** A page of an entity asks for the runs after each of its steps: they are searched for in the same places. */
function runsReader<Item>(source: Source<Item>): RunsReader {
  const times = new Map<number, Promise<number | null>>()
  const timeAt = (place: number) => {
    const time = times.get(place) ?? source.timeAt(place)
    times.set(place, time)
    return time
  }
  const total = source.page(0).then(({ pagination }) => pagination.total)
  const countAfter = async (time: number) =>
    bisectAsync({ high: await total }, async (place) => {
      const at = await timeAt(place)
      return at !== null && at > time
    })
  return ({ newer, older }) => runsBetween({ newer, older }, { source, countAfter })
}

async function runsBetween<Item>(
  { newer, older }: Between,
  {
    source,
    countAfter,
  }: {
    readonly source: Source<Item>
    /** Counts the items that are newer than a time, by bisection. */
    readonly countAfter: (time: number) => Promise<number>
  },
): Promise<RunsBetween> {
  const start = newer === Infinity ? 0 : await countAfter(newer)
  const end = await countAfter(older)
  const describe = async (from: number, to: number) => {
    if (to <= from) return []
    const { items } = await source.page(from)
    const viewable = await source.viewable(items.slice(0, to - from))
    return Promise.all(viewable.map(source.describe))
  }
  if (end - start <= 2 * ENDS) {
    return { newest: await describe(start, end), left: 0, oldest: [] }
  }
  const newest = await describe(start, start + ENDS)
  const oldest = await describe(end - ENDS, end)
  // A count of runs would disclose those that the reader may not view.
  const isWhole = newest.length + oldest.length === 2 * ENDS
  return { newest, left: isWhole ? end - start - 2 * ENDS : 0, oldest }
}

async function describePipelineRun(
  { builds }: RunRightsDeps,
  run: PipelineInstance,
): Promise<EntityRun> {
  const { name: pipeline, counter, label, createdAt: time } = run
  const stages = await newestStages(builds, run)
  const telling = stages.find(({ tally }) => stageStatus(tally).state !== 'Passed') ?? stages.at(-1)
  const [shown] = telling ? await builds.withJobs([telling]) : []
  if (shown) return { ...describeStageRun(shown, label), time }
  return { pipeline, counter, label, stage: null, state: 'Unknown', failed: [], time }
}

function describeStageRun({ stage, jobs, state }: StageRun, label: string): EntityRun {
  return {
    pipeline: stage.pipelineName,
    counter: stage.pipelineCounter,
    label,
    stage: { name: stage.name, counter: stage.counter },
    state,
    failed: jobs.filter(({ result }) => result === 'Failed').map(({ name }) => name),
    time: stage.createdAt,
  }
}
