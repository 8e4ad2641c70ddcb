import type { StageInstance } from '../../../builds/documents.ts'
import type { BuildEvent } from '../../../builds/event.ts'
import type { BuildQueries } from '../../../builds/queries.ts'

type Stages = Pick<BuildQueries, 'stageHistory'>

/** The newest run of a stage that passed: what pipelines that depend on it are made from. */
export class PassedStages {
  readonly #stages: Stages
  readonly #newest = new Map<string, Promise<StageInstance | null>>()

  constructor(stages: Stages) {
    this.#stages = stages
  }

  /** `pipeline/counter/stage/counter` of the newest run that passed, or null. */
  async revisionOf(name: {
    readonly pipeline: string
    readonly stage: string
  }): Promise<string | null> {
    const key = keyOf(name)
    const found = this.#newest.get(key) ?? this.#find(name)
    this.#newest.set(key, found)
    // What could not be read is looked for again.
    found.catch(() => this.#newest.delete(key))
    const stage = await found
    return stage && revisionOf(stage)
  }

  /** Hears of every event. */
  note(event: BuildEvent): void {
    if (event.type !== 'stage-finished' || event.status.state !== 'Passed') return
    const { stage } = event
    const key = keyOf({ pipeline: stage.pipelineName, stage: stage.name })
    const known = this.#newest.get(key)
    if (known) this.#newest.set(key, newer(known, stage))
  }

  async #find(name: { pipeline: string; stage: string }): Promise<StageInstance | null> {
    for (let offset = 0; ;) {
      const { items, pagination } = await this.#stages.stageHistory(name, offset)
      const passed = items.find(({ result }) => result === 'Passed')
      offset += items.length
      if (passed) return passed.stage
      if (items.length === 0 || offset >= pagination.total) return null
    }
  }
}

/** Runs may end in another order than they began. */
async function newer(
  known: Promise<StageInstance | null>,
  stage: StageInstance,
): Promise<StageInstance> {
  const other = await known
  return other && other.id > stage.id ? other : stage
}

function revisionOf({ pipelineName, pipelineCounter, name, counter }: StageInstance): string {
  return `${pipelineName}/${pipelineCounter}/${name}/${counter}`
}

function keyOf({ pipeline, stage }: { pipeline: string; stage: string }): string {
  return `${pipeline.toLowerCase()}/${stage.toLowerCase()}`
}
