import { flag, optional, required } from './attribute.ts'
import type { ElementRows } from './element.ts'

export const AGENT_ELEMENTS = {
  environments: { content: 'environment+', ordered: true },
  environment: {
    attributes: { name: required('name') },
    content: 'environmentvariables? agents? pipelines?',
  },
  'environment/agents': { content: 'physical*' },
  physical: { attributes: { uuid: required('text') } },
  'environment/pipelines': { content: 'pipeline*' },
  'environment/pipelines/pipeline': { attributes: { name: required('name') } },
  agents: { content: 'agent*', ordered: true },
  agent: {
    attributes: {
      hostname: required('text'),
      ipaddress: required('text'),
      uuid: required('text'),
      isDisabled: flag('false'),
      isDenied: flag('false'),
      elasticAgentId: optional('text').elsewhere().withoutField(),
      /** The plugin that started it, of an elastic agent. */
      elasticPluginId: optional('text').elsewhere().as('elasticPlugin'),
    },
    content: 'resources?',
  },
} as const satisfies ElementRows
