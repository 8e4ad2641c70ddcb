import { LRUCache } from 'lru-cache'
import { nameKey } from '../../core/name-key.ts'
import type { Builds } from '../engine/builds.ts'
import type { PipelineInstance } from '../engine/documents.ts'
import type { BuildEvent } from '../engine/event.ts'
import type { StageSummary } from '../engine/queries.ts'
import { summariesOf } from './pipeline-runs.ts'
import { recentRun, type RecentRun } from './recent-runs.ts'

/** The newest run of a pipeline, with the newest run of each of its stages. */
export interface NewestRun {
  readonly run: PipelineInstance
  readonly stages: readonly StageSummary[]
}

/** The limit of newest runs that are cached, and how many pipelines without a run count as one. */
const MAX_RUNS = 10_000
const WITHOUT_RUN = 10
/** The limit of pipelines of which the last runs are cached. */
const MAX_PIPELINES = 2_000

/**
 * Reads the newest run of pipelines and the last ones, and caches those in which no stage is active:
 * they do not change before an event of their pipeline.
 */
export class NewestRuns {
  readonly #builds: Builds
  readonly #kept = new LRUCache<string, { readonly newest: NewestRun | null }>({
    maxSize: MAX_RUNS * WITHOUT_RUN,
    sizeCalculation: ({ newest }) => (newest === null ? 1 : WITHOUT_RUN),
  })
  readonly #recent = new LRUCache<string, readonly RecentRun[]>({ max: MAX_PIPELINES })
  #events = 0

  constructor(builds: Builds) {
    this.#builds = builds
    builds.onEvent((event) => {
      const pipeline = pipelineOf(event)
      if (pipeline === null) return
      this.#events += 1
      this.#kept.delete(nameKey(pipeline))
      this.#recent.delete(nameKey(pipeline))
    })
  }

  /** Null for a pipeline that has not run. */
  async of(pipeline: string): Promise<NewestRun | null> {
    const kept = this.#kept.get(nameKey(pipeline))
    if (kept) return kept.newest
    const events = this.#events
    const newest = await this.#read(pipeline)
    const isSettled = newest === null || newest.stages.every(({ active }) => !active)
    if (isSettled && events === this.#events) this.#kept.set(nameKey(pipeline), { newest })
    return newest
  }

  /** The last ten runs of a pipeline, newest first. */
  async recent(pipeline: string): Promise<readonly RecentRun[]> {
    const kept = this.#recent.get(nameKey(pipeline))
    if (kept) return kept
    const events = this.#events
    const { items } = await this.#builds.pipelineHistory(pipeline, 0)
    const runs = await Promise.all(
      items.map(async (run) => recentRun(run, await summariesOf(this.#builds, run))),
    )
    const isSettled = runs.every(({ isActive }) => !isActive)
    if (isSettled && events === this.#events) this.#recent.set(nameKey(pipeline), runs)
    return runs
  }

  async #read(pipeline: string): Promise<NewestRun | null> {
    const { items } = await this.#builds.pipelineHistory(pipeline, 0)
    const [run] = items
    return run ? { run, stages: await summariesOf(this.#builds, run) } : null
  }
}

function pipelineOf(event: BuildEvent): string | null {
  switch (event.type) {
    case 'stage-scheduled':
    case 'stage-finished':
      return event.stage.pipelineName
    case 'stage-blocked':
    case 'pipeline-unlocked':
    case 'pipeline-unpaused':
      return event.pipeline
    case 'jobs-queued':
    case 'job-stopped':
    case 'job-assigned':
    case 'job-finished':
      return null
  }
}
