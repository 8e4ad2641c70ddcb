import { memoize } from '../../lib/memoize.ts'
import { memberTextOf } from '../model/member-text.ts'
import type { Agent, Configuration, OutsideDefinition, Pipeline } from '../model/model.ts'
import type { SecretReference } from '../secrets/secret-reference.ts'
import { type SecretUse, whyNotReferable } from './secret-rules.ts'
import { hasAgentOf } from './elastic-resource.ts'
import {
  type FoundPart,
  NO_PLUGINS,
  type OpenSecret,
  type ReferringPart,
  unknownPart,
  withReason,
  type UnsupportedPart,
} from './unsupported-part.ts'
import { inVariables, unsupportedInPipeline } from './unsupported-in-pipeline.ts'

/** The secrets that are kept elsewhere. */
export interface SecretPlaces {
  /** Why one cannot be read, as the end of a sentence; null where it can. */
  readonly whyMissing: (reference: SecretReference) => string | null
  /** Why none of those of a secret config can. */
  readonly whyNone: (config: string) => string | null
}

/** Where nothing keeps secrets. */
export const NO_PLACES: SecretPlaces = {
  whyMissing: () => 'there is nothing to read it from',
  whyNone: () => NO_PLUGINS,
}

const NONE: readonly never[] = []

/** Finds the parts of configurations that are accepted and kept, though nobody here acts on them. */
export class UnsupportedParts {
  readonly #open: OpenSecret
  readonly #places: SecretPlaces
  readonly #inPipeline: (pipeline: Pipeline) => readonly (FoundPart | ReferringPart)[]

  constructor(open: OpenSecret, places = NO_PLACES) {
    this.#open = open
    this.#places = places
    this.#inPipeline = memoize((pipeline: Pipeline) => [...unsupportedInPipeline(pipeline, open)])
  }

  /** Unsupported parts of an effective pipeline of a group. */
  ofPipeline(
    pipeline: Pipeline,
    group: string,
    configuration: Pick<Configuration, 'agents' | 'secretConfigs'>,
  ): readonly UnsupportedPart[] {
    if (isPlain(pipeline)) return NONE
    const use: SecretUse = { type: 'pipeline_group', name: group }
    const found = this.#inPipeline(pipeline).flatMap((part) =>
      this.#unread(part, use, configuration),
    )
    const elastic = elasticJobs(pipeline, configuration.agents)
    return [...found, ...elastic].map((part) => ({ entity: `pipeline/${pipeline.name}`, ...part }))
  }

  /** Unsupported parts of an effective configuration, one pipeline in each step. */
  *in(configuration: Configuration): Generator<readonly UnsupportedPart[]> {
    yield [...this.outsidePipelines(configuration)]
    for (const { name, pipelines } of configuration.groups) {
      for (const pipeline of pipelines) yield this.ofPipeline(pipeline, name, configuration)
    }
  }

  *outsidePipelines(configuration: Configuration): Generator<UnsupportedPart> {
    const { outside, unknown, environments, agents } = configuration
    yield* outside.flatMap((part) => this.#definition(part, agents))
    yield* unknown.map((part) => ({ entity: 'document', ...unknownPart(part) }))
    for (const { name, variables } of environments) {
      for (const part of inVariables(variables, this.#open)) {
        const use: SecretUse = { type: 'environment', name }
        const found = this.#unread(part, use, configuration)
        yield* found.map((each) => ({ entity: `environment/${name}`, ...each }))
      }
    }
    yield* agents.flatMap(elasticAgent)
  }

  /** The part itself, or none where the secret that it refers to can be read. */
  #unread(
    part: FoundPart | ReferringPart,
    use: SecretUse,
    { secretConfigs }: Pick<Configuration, 'secretConfigs'>,
  ): readonly FoundPart[] {
    if (!('reference' in part)) return [part]
    const { reference } = part
    const reason =
      this.#places.whyMissing(reference) ?? whyNotReferable(secretConfigs, reference, use)
    return reason === null ? [] : [withReason(part, reason)]
  }

  #definition(
    { at, element, name }: OutsideDefinition,
    agents: readonly Agent[],
  ): readonly UnsupportedPart[] {
    if (element === 'elasticProfile') {
      if (hasAgentOf(name, agents)) return []
      const what = `the elastic profile ${name}`
      return [{ entity: `agent-profile/${name}`, at, what, because: noAgentOf(name) }]
    }
    if (element === 'secretConfig') {
      const because = this.#places.whyNone(name)
      const what = `the secret config ${name}`
      return because === null ? [] : [{ entity: `secret-config/${name}`, at, what, because }]
    }
    const { entity, what, because } = WORDINGS[element]
    return [{ entity: entity(name), at, what: what(name), because }]
  }
}

/** Whether it is known that a pipeline has no such part. */
function isPlain(pipeline: Pipeline): boolean {
  const facts = memberTextOf(pipeline)?.facts
  return facts?.isPlainBesideJobs === true && facts.hasPlainJobs
}

function* elasticJobs(pipeline: Pipeline, agents: readonly Agent[]): Generator<FoundPart> {
  if (memberTextOf(pipeline)?.facts.hasPlainJobs) return
  for (const stage of pipeline.stages) {
    for (const { at, name, elasticProfile } of stage.jobs) {
      if (elasticProfile === null || hasAgentOf(elasticProfile, agents)) continue
      const what = `the elastic agents of the job ${stage.name}/${name}`
      yield { at, what, because: noAgentOf(elasticProfile) }
    }
  }
}

function noAgentOf(profile: string): string {
  return `there are no plugins here, and no agent has the resource profile:${profile}`
}

interface Wording {
  readonly entity: (name: string) => string
  readonly what: (name: string) => string
  readonly because: string
}

/** Elements whose wording depends on more than their names. */
type Conditional = 'elasticProfile' | 'secretConfig'

const LOG_IN = 'users log in as the server was set up to'

const WORDINGS: Readonly<Record<Exclude<OutsideDefinition['element'], Conditional>, Wording>> = {
  purge: {
    entity: () => 'server',
    what: () => 'the purging of artifacts on a full disk',
    because: '--max-artifacts sets how much is kept',
  },
  backup: {
    entity: () => 'server',
    what: () => 'the schedule of backups, and what runs after them',
    because: 'cairn backup makes them',
  },
  webhookSecret: {
    entity: () => 'server',
    what: () => 'the webhookSecret',
    because: 'no notifications of repositories are taken, which are polled',
  },
  authConfig: {
    entity: () => 'server',
    what: (name) => `the authorization plugin ${name}`,
    because: LOG_IN,
  },
  luau: { entity: () => 'server', what: () => 'the log-in by luau', because: LOG_IN },
  allowOnlyKnownUsersToLogin: {
    entity: () => 'server',
    what: () => 'allowOnlyKnownUsersToLogin',
    because: LOG_IN,
  },
  groups: {
    entity: (name) => `role/${name}`,
    what: (name) => `the groups of the role ${name}`,
    because: 'nobody is in it by a group of luau',
  },
  pluginRole: {
    entity: (name) => `role/${name}`,
    what: (name) => `the plugin role ${name}`,
    because: `${NO_PLUGINS}, and nobody is in it`,
  },
  policy: {
    entity: (name) => `role/${name}`,
    what: (name) => `the policy of the role ${name}`,
    because: 'permissions are those of administrators and of groups',
  },
  jobStarvationTimeout: {
    entity: () => 'document',
    what: () => 'the jobStarvationTimeout of elastic agents',
    because: NO_PLUGINS,
  },
  'config-repo': {
    entity: (name) => `config-repo/${name}`,
    what: (name) => `the configuration repository ${name}`.trimEnd(),
    because: 'pipelines are those of this document',
  },
  artifactStore: {
    entity: (name) => `artifact-store/${name}`,
    what: (name) => `the artifact store ${name}`,
    because: NO_PLUGINS,
  },
  vmms: {
    entity: () => 'document',
    what: () => 'the virtual machines of vmms',
    because: 'agents are those that somebody starts',
  },
}

function elasticAgent({ at, uuid, hostname, elasticPlugin }: Agent): UnsupportedPart[] {
  if (elasticPlugin === null || elasticPlugin === '') return []
  const what = `the plugin ${elasticPlugin} of the agent ${hostname}`
  return [
    {
      entity: `agent/${uuid}`,
      at,
      what,
      because: `${NO_PLUGINS}, and it is an agent as others are`,
    },
  ]
}
