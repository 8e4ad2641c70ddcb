import type { Builds } from '../../../builds/builds.ts'
import type { PipelineInstance } from '../../../builds/documents.ts'
import type { StageRun } from '../../../builds/queries.ts'
import type { Page } from '../../../core/page.ts'
import type { StageState } from '../../../core/stage.ts'

export type RunReader = Pick<Builds, 'pipelineHistory' | 'stageHistory' | 'stageInstance'>

/** A run of a pipeline, or of one stage of it, beside what changed about it. */
export interface EntityRun {
  readonly pipeline: string
  readonly counter: number
  readonly label: string
  /** The stage to look at: that of the run, or the first that did not pass. */
  readonly stage: { readonly name: string; readonly counter: number } | null
  readonly state: StageState
  /** The jobs that failed. */
  readonly failed: readonly string[]
  readonly time: number
}

/** The runs between two times, newest first; how many are left out where there are many. */
export interface RunsBetween {
  readonly newest: readonly EntityRun[]
  readonly left: number
  readonly oldest: readonly EntityRun[]
}

/** After the older time, up to the newer one. */
export interface Between {
  readonly newer: number
  readonly older: number
}

/** Runs that stand at each end where not all are told. */
const ENDS = 3

/** The runs of a pipeline between two times. */
export function pipelineRuns(
  builds: RunReader,
  pipeline: string,
  between: Between,
): Promise<RunsBetween> {
  return runsBetween(between, {
    page: (offset) => builds.pipelineHistory(pipeline, offset),
    timeOf: ({ createdAt }) => createdAt,
    tell: (run) => tellPipelineRun(builds, run),
  })
}

/** The runs of a stage between two times. */
export function stageRuns(
  builds: RunReader,
  name: { readonly pipeline: string; readonly stage: string },
  between: Between,
): Promise<RunsBetween> {
  return runsBetween(between, {
    page: (offset) => builds.stageHistory(name, offset),
    timeOf: ({ stage }) => stage.createdAt,
    tell: async (run) => tellStageRun(run, String(run.stage.pipelineCounter)),
  })
}

/** A list that is newest first and read in pages. */
interface Source<Item> {
  readonly page: (offset: number) => Promise<Page<Item>>
  readonly timeOf: (item: Item) => number
  readonly tell: (item: Item) => Promise<EntityRun>
}

async function runsBetween<Item>(
  { newer, older }: Between,
  source: Source<Item>,
): Promise<RunsBetween> {
  const start = newer === Infinity ? 0 : await countAfter(source, newer)
  const end = await countAfter(source, older)
  const tell = async (from: number, to: number) => {
    const { items } = await source.page(from)
    return Promise.all(items.slice(0, Math.max(0, to - from)).map(source.tell))
  }
  if (end - start <= 2 * ENDS) {
    return { newest: await tell(start, end), left: 0, oldest: [] }
  }
  const newest = await tell(start, start + ENDS)
  return { newest, left: end - start - 2 * ENDS, oldest: await tell(end - ENDS, end) }
}

/** How many items are newer than a time, found by halving. */
async function countAfter<Item>(source: Source<Item>, time: number): Promise<number> {
  let low = 0
  let high = (await source.page(0)).pagination.total
  while (low < high) {
    const middle = (low + high) >> 1
    const [item] = (await source.page(middle)).items
    if (item !== undefined && source.timeOf(item) > time) low = middle + 1
    else high = middle
  }
  return low
}

async function tellPipelineRun(builds: RunReader, run: PipelineInstance): Promise<EntityRun> {
  const { name: pipeline, counter, label, createdAt: time } = run
  const stages = await Promise.all(
    run.stages.map(({ name: stage, counter: stageCounter }) =>
      builds.stageInstance({ pipeline, pipelineCounter: counter, stage, stageCounter }),
    ),
  )
  const known = stages.flatMap((stage) => stage ?? [])
  const telling = known.find(({ state }) => state !== 'Passed') ?? known.at(-1)
  if (telling) return { ...tellStageRun(telling, label), time }
  return { pipeline, counter, label, stage: null, state: 'Unknown', failed: [], time }
}

function tellStageRun({ stage, jobs, state }: StageRun, label: string): EntityRun {
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
