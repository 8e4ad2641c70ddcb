import { AGENT_ELEMENTS } from '../schema/agents.ts'
import { many, modelOf, type ValueOf } from './fields.ts'
import { RESOURCE_LIST, VARIABLES } from './values.ts'

export const Environment = modelOf(AGENT_ELEMENTS.environment, {
  variables: VARIABLES,
  agents: many(modelOf(AGENT_ELEMENTS.physical), 'agents', 'physical'),
  pipelines: many(
    modelOf(AGENT_ELEMENTS['environment/pipelines/pipeline']),
    'pipelines',
    'pipeline',
  ),
})
export type Environment = ValueOf<typeof Environment>

/** An agent that an administrator has decided about. */
export const Agent = modelOf(AGENT_ELEMENTS.agent, { resources: RESOURCE_LIST })
export type Agent = ValueOf<typeof Agent>
