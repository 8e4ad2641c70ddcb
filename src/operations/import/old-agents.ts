import { isIP } from 'node:net'
import { z } from 'zod'
import { parseJsonOr } from '../../lib/parse-json.ts'
import { type ServiceError, unavailable } from '../../core/errors.ts'
import {
  type IgnoredWish,
  registerAgents,
  type RegisteringAgent,
} from '../../document/agents/register-agents.ts'
import type { EditableDocument } from '../../document/edit/layout.ts'

const Names = z.array(z.union([z.string(), z.object({ name: z.string() })])).nullish()

/** An agent as the other server's API lists it; the last names are those of its first versions. */
const OldAgent = z.object({
  uuid: z.string(),
  hostname: z.string().nullish(),
  ip_address: z.string().nullish(),
  resources: Names,
  environments: Names,
  agent_config_state: z.string().nullish(),
  elastic_plugin_id: z.string().nullish(),
  elastic_agent_id: z.string().nullish(),
  agent_name: z.string().nullish(),
  status: z.string().nullish(),
})
export type OldAgent = z.infer<typeof OldAgent>

const Agents = z.array(OldAgent)
const Listing = z.union([
  Agents,
  z
    .object({ _embedded: z.object({ agents: Agents }) })
    .transform(({ _embedded: { agents } }) => agents),
  z.object({ agents: Agents }).transform((each) => each.agents),
])

export interface TakenAgent {
  readonly uuid: string
  readonly hostname: string
  readonly isDisabled: boolean
}

export interface LeftAgent {
  readonly uuid: string
  readonly hostname: string
  readonly because: string
}

/** The agents that were listed in the configuration, and those that were not, with the reasons. */
export interface AgentsReport {
  readonly taken: readonly TakenAgent[]
  readonly left: readonly LeftAgent[]
  /** Resources that no configuration can hold, and environments that this one has not. */
  readonly ignored: readonly IgnoredWish[]
}

/** @throws {ServiceError} `unavailable` for anything but a list of agents. */
export function parseOldAgents(text: string): readonly OldAgent[] {
  const read = Listing.safeParse(parseJson(text))
  if (read.success) return read.data
  throw noList('it is not the answer to its call for agents, a JSON list of objects with a uuid')
}

/** Lists the agents in a document that has them not; those that it has stay as they are. */
export function listOldAgents(
  document: EditableDocument,
  old: readonly OldAgent[],
): { readonly text: string | null; readonly report: AgentsReport } {
  const judged = old.map((agent) => ({ agent, because: whyLeft(agent) }))
  const wanted = judged.flatMap(({ agent, because }) => (because === null ? [agent] : []))
  const registering = wanted.map(declarationOf)
  const { text, registered, ignored } = registerAgents(document, registering)
  const fresh = new Set(registered)
  const known = wanted.filter(({ uuid }) => !fresh.has(uuid))
  return {
    text,
    report: {
      taken: registering
        .filter(({ uuid }) => fresh.has(uuid))
        .map(({ uuid, hostname, isDisabled = false }) => ({ uuid, hostname, isDisabled })),
      left: [
        ...judged.flatMap(({ agent, because }) => (because === null ? [] : leftOf(agent, because))),
        ...known.flatMap((agent) => leftOf(agent, 'the configuration has it already')),
      ],
      ignored,
    },
  }
}

function whyLeft(agent: OldAgent): string | null {
  const address = agent.ip_address ?? ''
  if (agent.elastic_plugin_id || agent.elastic_agent_id) return 'a plugin has started it'
  if (stateOf(agent) === 'pending') return 'nobody has approved it there'
  if (!/^[\w.-]{1,64}$/.test(agent.uuid)) return 'no agent here can have its uuid'
  if (isIP(address) === 0) return `its address "${address}" is not an IP address`
  return null
}

function declarationOf(agent: OldAgent): RegisteringAgent {
  const isDisabled = ['disabled', 'denied'].includes(stateOf(agent))
  return {
    uuid: agent.uuid,
    hostname: hostnameOf(agent),
    ipaddress: agent.ip_address ?? '',
    resources: namesOf(agent.resources),
    environments: namesOf(agent.environments),
    isDisabled,
  }
}

function leftOf(agent: OldAgent, because: string): LeftAgent[] {
  return [{ uuid: agent.uuid, hostname: hostnameOf(agent), because }]
}

function hostnameOf({ hostname, agent_name: name, uuid }: OldAgent): string {
  return hostname ?? name ?? uuid
}

function stateOf({ agent_config_state: configured, status }: OldAgent): string {
  return (configured ?? status ?? '').toLowerCase()
}

function namesOf(names: z.infer<typeof Names>): string[] {
  return (names ?? []).map((each) => (typeof each === 'string' ? each : each.name))
}

function parseJson(text: string): unknown {
  return parseJsonOr(text, ({ message }) => {
    throw noList(`it is not JSON: ${message}`)
  })
}

function noList(why: string): ServiceError<'unavailable'> {
  return unavailable(`The file of agents cannot be used: ${why}`)
}
