import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { StateStore } from '../state/state-store.ts'
import type { ConfigEditor } from '../configuration/save/config-editor.ts'
import type { CurrentConfiguration } from '../configuration/current/current-configuration.ts'
import { AgentDirectory } from './agent-directory.ts'
import { AgentRegistrar } from './agent-registrar.ts'
import { configuredAgents } from './configured-agent.ts'

export interface AgentsOptions {
  readonly store: StateStore
  readonly configuration: CurrentConfiguration
  readonly editor: ConfigEditor
  readonly clock: Clock
  readonly log: Log
  /** Silence after which an agent counts as lost, in milliseconds. */
  readonly timeout: number
}

/** Opens the known agents, and keeps them up to date with the configuration. */
export async function openAgents(options: AgentsOptions) {
  const directory = await AgentDirectory.open(options)
  options.configuration.subscribe(({ configuration }) => {
    directory.configure(configuredAgents(configuration))
  })
  return { directory, registrar: new AgentRegistrar(options) }
}
