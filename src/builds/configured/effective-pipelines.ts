import { nameKey } from '../../core/name-key.ts'
import { expandConfiguration } from '../../document/effective/effective.ts'
import type { Revision } from '../../core/revision.ts'
import type { Configuration, Environment, Pipeline } from '../../document/model/model.ts'
import { Emitter } from '../../lib/emitter.ts'
import type { CurrentConfiguration } from '../../configuration/current/current-configuration.ts'
import { runSync } from '../../lib/cooperative.ts'
import { addToGroup } from '../../lib/grouping.ts'

/** A pipeline as it is run: with the stages of its template, and params replaced. */
export interface EffectivePipeline {
  readonly group: string
  readonly pipeline: Pipeline
}

interface Expanded {
  readonly configuration: Configuration
  readonly pipelines: ReadonlyMap<string, EffectivePipeline>
  readonly environments: ReadonlyMap<string, readonly Environment[]>
}

/**
 * The pipelines of the current configuration, expanded at their first use, once per configuration.
 * Names compare without case.
 */
export class EffectivePipelines {
  readonly #current: CurrentConfiguration
  #last: { readonly of: Configuration; readonly expanded: Expanded } | null = null
  readonly #changed = new Emitter()

  constructor(configuration: CurrentConfiguration) {
    this.#current = configuration
    configuration.subscribe(() => this.#changed.emit())
  }

  /** The whole configuration in force, expanded. */
  get configuration(): Configuration {
    return this.#expanded().configuration
  }

  /** The revision of that configuration. */
  get revision(): Revision {
    return this.#current.revision()
  }

  find(pipeline: string): EffectivePipeline | null {
    return this.#expanded().pipelines.get(nameKey(pipeline)) ?? null
  }

  /** In the order of the document. */
  list(): readonly EffectivePipeline[] {
    return [...this.#expanded().pipelines.values()]
  }

  environmentsOf(pipeline: string): readonly Environment[] {
    return this.#expanded().environments.get(nameKey(pipeline)) ?? []
  }

  /**
   * Calls the listener after each change of the configuration. Returns a function that unsubscribes
   * it.
   */
  onChange(listener: () => void): () => void {
    return this.#changed.on(listener)
  }

  #expanded(): Expanded {
    const of = this.#current.read().configuration
    if (this.#last?.of !== of) this.#last = { of, expanded: expand(of) }
    return this.#last.expanded
  }
}

function expand(written: Configuration): Expanded {
  const { configuration } = runSync(expandConfiguration(written))
  const pipelines = new Map<string, EffectivePipeline>()
  for (const { name: group, pipelines: members } of configuration.groups) {
    for (const pipeline of members) pipelines.set(nameKey(pipeline.name), { group, pipeline })
  }
  const environments = new Map<string, Environment[]>()
  for (const environment of configuration.environments) {
    for (const { name } of environment.pipelines)
      addToGroup(environments, nameKey(name), environment)
  }
  return { configuration, pipelines, environments }
}
