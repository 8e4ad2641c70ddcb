import { z } from 'zod'
import type { ModelNode } from './model-node.ts'
import {
  At,
  Flag,
  OptionalText,
  readResources,
  readVariables,
  Resource,
  Text,
  Variable,
  manyOf,
} from './values.ts'

export const Environment = z.object({
  at: At,
  name: Text,
  variables: manyOf(Variable),
  agents: manyOf(z.object({ at: At, uuid: Text })),
  pipelines: manyOf(z.object({ at: At, name: Text })),
})
export type Environment = z.infer<typeof Environment>

/** An agent that an administrator has decided about. */
export const Agent = z.object({
  at: At,
  hostname: Text,
  ipaddress: Text,
  uuid: Text,
  isDisabled: Flag,
  isDenied: Flag,
  /** The plugin that started it, of an elastic agent. */
  elasticPlugin: OptionalText,
  resources: manyOf(Resource),
})
export type Agent = z.infer<typeof Agent>

export function readEnvironment(node: ModelNode): z.input<typeof Environment> {
  return {
    at: node.at,
    name: node.attribute('name') ?? '',
    variables: readVariables(node),
    agents: node.list('agents', 'physical').map((agent) => ({
      at: agent.at,
      uuid: agent.attribute('uuid') ?? '',
    })),
    pipelines: node.list('pipelines', 'pipeline').map((pipeline) => ({
      at: pipeline.at,
      name: pipeline.attribute('name') ?? '',
    })),
  }
}

export function readAgent(node: ModelNode): z.input<typeof Agent> {
  return {
    at: node.at,
    hostname: node.attribute('hostname') ?? '',
    ipaddress: node.attribute('ipaddress') ?? '',
    uuid: node.attribute('uuid') ?? '',
    isDisabled: node.attribute('isDisabled') ?? 'false',
    isDenied: node.attribute('isDenied') ?? 'false',
    elasticPlugin: node.attribute('elasticPluginId'),
    resources: readResources(node),
  }
}
