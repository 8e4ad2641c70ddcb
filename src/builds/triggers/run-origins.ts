import { LRUCache } from 'lru-cache'
import type { PipelineInstance, StageInstance } from '../engine/documents.ts'
import type { BuildQueries } from '../engine/queries.ts'
import type { StageRunName } from '../engine/keys.ts'
import { parseUpstream, renderUpstream } from '../engine/upstream-revision.ts'
import type { Origins } from '../../core/builds/fan-in.ts'
import { nameKey, stageNameKey } from '../../core/name-key.ts'

/** The limit of cached origins. They never change. */
const REMEMBERED = 2_000

/** Finds the origins of runs, through all the runs before them. */
export class RunOrigins {
  readonly #runs: Pick<BuildQueries, 'pipelineInstance'>
  readonly #origins = new LRUCache<string, Promise<Origins>>({ max: REMEMBERED })

  constructor(runs: Pick<BuildQueries, 'pipelineInstance'>) {
    this.#runs = runs
  }

  /** A run of a stage is one of its own origins. */
  of(stage: StageInstance): Promise<Origins> {
    const { pipelineName: pipeline, pipelineCounter, name, counter: stageCounter } = stage
    return this.#ofUpstream({ pipeline, pipelineCounter, stage: name, stageCounter })
  }

  async #ofUpstream(run: StageRunName): Promise<Origins> {
    const { pipeline, pipelineCounter, stage: name, stageCounter: counter } = run
    const itself = { pipelineName: pipeline, pipelineCounter, name, counter }
    const origins = new Map<string, Set<string>>()
    add(origins, stageNameKey({ pipeline, stage: name }), nameKey(renderUpstream(itself)))
    addAll(origins, await this.#ofRun(pipeline, pipelineCounter))
    return origins
  }

  #ofRun(pipeline: string, counter: number): Promise<Origins> {
    const key = `${nameKey(pipeline)}/${counter}`
    const cached = this.#origins.get(key)
    if (cached) return cached
    const found = this.#find(pipeline, counter)
    this.#origins.set(key, found)
    // A failed read is not cached.
    found.catch(() => this.#origins.delete(key))
    return found
  }

  async #find(pipeline: string, counter: number): Promise<Origins> {
    const run = await this.#runs.pipelineInstance({ pipeline, counter })
    const origins = new Map<string, Set<string>>()
    add(origins, `${nameKey(pipeline)}/`, `${counter}`)
    // The nearest come first.
    for (const { fingerprint, revision } of sourcesOf(run)) add(origins, fingerprint, revision)
    for (const upstream of upstreamsOf(run)) addAll(origins, await this.#ofUpstream(upstream))
    return origins
  }
}

function sourcesOf(run: PipelineInstance | null): PipelineInstance['revisions'] {
  return (run?.revisions ?? []).filter(({ revision }) => parseUpstream(revision) === null)
}

function upstreamsOf(run: PipelineInstance | null): readonly StageRunName[] {
  return (run?.revisions ?? []).flatMap(({ revision }) => parseUpstream(revision) ?? [])
}

function addAll(origins: Map<string, Set<string>>, others: Origins): void {
  for (const [origin, revisions] of others) {
    for (const revision of revisions) add(origins, origin, revision)
  }
}

function add(origins: Map<string, Set<string>>, origin: string, revision: string): void {
  const revisions = origins.get(origin)
  if (revisions) revisions.add(revision)
  else origins.set(origin, new Set([revision]))
}
