import type { Configuration } from '../document/model/model.ts'
import { addToGroup } from '../lib/grouping.ts'

export interface ConfiguredAgent {
  readonly uuid: string
  readonly hostname: string
  readonly ipAddress: string
  readonly isDisabled: boolean
  readonly resources: readonly string[]
  readonly environments: readonly string[]
}

/** The agents of a configuration by uuid, each with the environments it is in. */
export function configuredAgents(
  configuration: Configuration,
): ReadonlyMap<string, ConfiguredAgent> {
  const environments = new Map<string, string[]>()
  for (const environment of configuration.environments) {
    for (const { uuid } of environment.agents) addToGroup(environments, uuid, environment.name)
  }
  return new Map(
    configuration.agents.map((agent) => [
      agent.uuid,
      {
        uuid: agent.uuid,
        hostname: agent.hostname,
        ipAddress: agent.ipaddress,
        isDisabled: agent.isDisabled || agent.isDenied,
        resources: sorted(agent.resources.map(({ name }) => name)),
        environments: sorted(environments.get(agent.uuid) ?? []),
      },
    ]),
  )
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted()
}
