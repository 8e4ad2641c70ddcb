import { memoize } from '../../lib/memoize.ts'
import type { Agent, Configuration, LaterDefinition, Pipeline, Template } from '../model/model.ts'
import { hasAgentOf } from './elastic-resource.ts'
import {
  type FoundPart,
  NO_PLUGINS,
  type OpenSecret,
  unknownPart,
  type UnsupportedPart,
} from './unsupported-part.ts'
import { inVariables, unsupportedInPipeline } from './unsupported-in-pipeline.ts'

/** Finds the parts of configurations that are accepted and kept, though nobody here acts on them. */
export class UnsupportedParts {
  readonly #open: OpenSecret
  readonly #inPipeline: (pipeline: Pipeline) => readonly FoundPart[]

  constructor(open: OpenSecret) {
    this.#open = open
    this.#inPipeline = memoize((pipeline: Pipeline) => [...unsupportedInPipeline(pipeline, open)])
  }

  /** Unsupported parts of an effective pipeline. */
  ofPipeline(
    pipeline: Pipeline,
    { agents }: Pick<Configuration, 'agents'>,
  ): readonly UnsupportedPart[] {
    const found = [...this.#inPipeline(pipeline), ...elasticJobs(pipeline, agents)]
    return found.map((part) => ({ entity: `pipeline/${pipeline.name}`, ...part }))
  }

  /** Unsupported parts of an effective configuration, one pipeline in each step. */
  *in(configuration: Configuration): Generator<readonly UnsupportedPart[]> {
    yield [...this.outsidePipelines(configuration)]
    for (const { pipelines } of configuration.groups) {
      for (const pipeline of pipelines) yield this.ofPipeline(pipeline, configuration)
    }
  }

  /** Unsupported parts outside of pipelines. */
  *outsidePipelines(configuration: Configuration): Generator<UnsupportedPart> {
    const { later, unknown, environments, templates, agents } = configuration
    yield* later.flatMap((part) => laterPart(part, agents))
    yield* unknown.map((part) => ({ entity: 'document', ...unknownPart(part) }))
    for (const { name, variables } of environments) {
      for (const part of inVariables(variables, this.#open)) {
        yield { entity: `environment/${name}`, ...part }
      }
    }
    yield* templates.flatMap(templateViewers)
    yield* agents.flatMap(elasticAgent)
  }
}

function* elasticJobs(pipeline: Pipeline, agents: readonly Agent[]): Generator<FoundPart> {
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

const WORDINGS: Readonly<Record<Exclude<LaterDefinition['element'], 'elasticProfile'>, Wording>> = {
  backup: {
    entity: () => 'server',
    what: () => 'the schedule of backups',
    because: '`cairn backup` makes them',
  },
  webhookSecret: {
    entity: () => 'server',
    what: () => 'the webhookSecret',
    because: 'no notifications of repositories are taken, which are polled',
  },
  authConfig: {
    entity: () => 'server',
    what: (name) => `the authorization plugin ${name}`,
    because: 'users log in as the server was set up to',
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
  secretConfig: {
    entity: (name) => `secret-config/${name}`,
    what: (name) => `the secret config ${name}`,
    because: NO_PLUGINS,
  },
}

function laterPart(
  { at, element, name }: LaterDefinition,
  agents: readonly Agent[],
): UnsupportedPart[] {
  if (element === 'elasticProfile') {
    if (hasAgentOf(name, agents)) return []
    const what = `the elastic profile ${name}`
    return [{ entity: `agent-profile/${name}`, at, what, because: noAgentOf(name) }]
  }
  const { entity, what, because } = WORDINGS[element]
  return [{ entity: entity(name), at, what: what(name), because }]
}

function templateViewers({ name, authorization }: Template): UnsupportedPart[] {
  if (!authorization) return []
  const { at, view, allGroupAdminsAreViewers } = authorization
  if (view === null && !allGroupAdminsAreViewers) return []
  const [what, because] = [
    `the viewers of the template ${name}`,
    'administrators alone read templates',
  ]
  return [{ entity: `template/${name}`, at, what, because }]
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
