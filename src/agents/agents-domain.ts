import type { ConfiguredAccess } from '../configuration/access/access.ts'
import type { AgentAdministrationDeps } from './administer-agents.ts'
import type { AgentCallsDeps } from './contact.ts'

/** The agents: the sum of what the use cases of this room take. */
export interface AgentsDomain extends AgentAdministrationDeps, AgentCallsDeps {
  readonly access: ConfiguredAccess
}
