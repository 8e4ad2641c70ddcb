import { reportedResult } from '../../core/builds/stage.ts'
import { stageNameKey } from '../../core/name-key.ts'
import type { StageInstance } from '../engine/documents.ts'
import type { BuildEvent } from '../engine/event.ts'
import type { StageName } from '../engine/keys.ts'
import type { BuildQueries } from '../engine/queries.ts'

type Stages = Pick<BuildQueries, 'stages'>

/** The passed runs of stages, which dependent pipelines are based on. */
export class PassedStages {
  readonly #stages: Stages
  readonly #newest = new Map<string, Promise<StageInstance | null>>()

  constructor(stages: Stages) {
    this.#stages = stages
  }

  /** The newest, or null. */
  newest(name: StageName): Promise<StageInstance | null> {
    const key = stageNameKey(name)
    const cached = this.#newest.get(key)
    if (cached) return cached
    const found = this.#find(name)
    this.#cache(key, found)
    return found
  }

  /** The newest passed runs, newest first, among the last `among` runs. */
  async list(name: StageName, among: number): Promise<readonly StageInstance[]> {
    const passed: StageInstance[] = []
    for (let offset = 0; offset < among;) {
      const { items, pagination } = await this.#stages.stages(name, offset)
      passed.push(...items.filter(hasPassed))
      offset += items.length
      if (items.length === 0 || offset >= pagination.total) break
    }
    return passed
  }

  /** Updates the cache from an event. */
  note(event: BuildEvent): void {
    if (event.type !== 'stage-finished' || event.status.state !== 'Passed') return
    const { stage } = event
    const key = stageNameKey({ pipeline: stage.pipelineName, stage: stage.name })
    const cached = this.#newest.get(key)
    if (cached) this.#cache(key, newer(cached, stage))
  }

  /** A failed read is not cached. */
  #cache(key: string, found: Promise<StageInstance | null>): void {
    this.#newest.set(key, found)
    found.catch(() => this.#newest.delete(key))
  }

  async #find(name: StageName): Promise<StageInstance | null> {
    for (let offset = 0; ;) {
      const { items, pagination } = await this.#stages.stages(name, offset)
      const passed = items.find(hasPassed)
      offset += items.length
      if (passed) return passed
      if (items.length === 0 || offset >= pagination.total) return null
    }
  }
}

function hasPassed({ tally }: StageInstance): boolean {
  return reportedResult(tally) === 'Passed'
}

/** Runs may end in a different order than they started. */
async function newer(
  known: Promise<StageInstance | null>,
  stage: StageInstance,
): Promise<StageInstance> {
  const other = await known
  return other && other.id > stage.id ? other : stage
}
