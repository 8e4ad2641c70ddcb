import type { AgentStatus } from '../../core/builds/agent.ts'
import { itemsAt } from '../../core/page.ts'
import type { Principal } from '../../core/principal.ts'
import type { AgentDirectory } from '../../agents/agent-directory.ts'
import { plainAddress } from '../../core/service/rate-limit.ts'
import {
  claimId,
  type RefusedMachine,
  type RefusedMachines,
} from '../../agents/refused-machines.ts'
import type { EffectivePipelines } from '../../builds/configured/effective-pipelines.ts'
import type { RunRightsDeps } from '../../builds/runs/run-rights.ts'
import { lastChanges, type LastChangeDeps } from '../revisions/last-change.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import { type AgentOrder, sorted } from './agent-order.ts'
import { type ShownAgent, shownAgent } from './shown-agent.ts'
import { type CurrentJob, runningJobs } from './running-job.ts'
import { ListFilter } from '../kit/list-filter.ts'
import { countEach } from '../../lib/grouping.ts'

/** `status:idle resource:docker build`: columns with a text each, and texts for any column. */
const AGENT_FILTER = new ListFilter<ShownAgent>(
  {
    name: (agent) => [agent.name],
    status: (agent) => [agent.status],
    sandbox: (agent) => [agent.sandbox],
    os: (agent) => [agent.os],
    ip: (agent) => [agent.ipAddress, agent.remoteAddress ?? ''],
    resource: (agent) => agent.resources,
    environment: (agent) => agent.environments,
    uuid: (agent) => [agent.uuid],
  },
  { resources: 'resource', environments: 'environment', env: 'environment' },
)

export interface AgentsPageDeps extends RunRightsDeps, LastChangeDeps {
  readonly directory: AgentDirectory
  readonly refused: RefusedMachines
  readonly pipelines: EffectivePipelines
}

export interface AgentsQuery {
  readonly filter: string
  readonly order: AgentOrder
  /** The number of agents to skip. */
  readonly offset: number
}

/** A machine that claims the uuid of an agent. */
export interface ShownClaim {
  /** By which it is approved. */
  readonly id: string
  readonly hostname: string
  /** The address that its calls come from, or null before its first contact. */
  readonly address: string | null
  /** The time of its last call, in milliseconds since the UNIX epoch. */
  readonly at: number
}

export interface AgentRow {
  readonly agent: ShownAgent
  readonly running: CurrentJob | null
  /** A machine that calls with the uuid of this agent and is refused. */
  readonly refused: RefusedMachine | null
  /** The machines that wait for approval with its uuid, where there are several. */
  readonly claims: readonly ShownClaim[]
  /** The newest revision that changed it, where the caller may see revisions. */
  readonly lastChange: NumberedRevision | null
}

export interface AgentsPage {
  readonly rows: readonly AgentRow[]
  readonly offset: number
  /** The number of agents that match the filter, and of all agents. */
  readonly matching: number
  readonly total: number
  readonly counts: readonly { readonly status: AgentStatus; readonly count: number }[]
  readonly mayAdminister: boolean
  /** The environments of the configuration. */
  readonly environments: readonly string[]
}

export const AGENT_ROWS = 100

/** Reads one page of the agents; every user may call it. */
export async function readAgentsPage(
  deps: AgentsPageDeps,
  principal: Principal,
  { filter, order, offset: asked }: AgentsQuery,
): Promise<AgentsPage> {
  const { directory, access } = deps
  await directory.findLost()
  const all = directory.list().map(shownAgent)
  const matching = all.filter(AGENT_FILTER.parse(filter))
  const at = { offset: asked, pageSize: AGENT_ROWS }
  const { items: shown, offset } = itemsAt(sorted(matching, order), at)
  const mayAdminister = access.may(principal, { action: 'administer' })
  return {
    rows: await agentRowsOf(deps, principal, shown),
    offset,
    matching: matching.length,
    total: all.length,
    counts: countsOf(all),
    mayAdminister,
    environments: deps.pipelines.configuration.environments.map(({ name }) => name),
  }
}

export async function agentRowsOf(
  deps: AgentsPageDeps,
  principal: Principal,
  agents: readonly ShownAgent[],
): Promise<readonly AgentRow[]> {
  const uuids = agents.map(({ uuid }) => uuid)
  const running = await runningJobs(deps, principal, uuids)
  const maySee = deps.access.may(principal, { action: 'administer' })
  const changes = await lastChanges(deps, maySee ? uuids.map(entityOfAgent) : [])
  return agents.map((agent) => ({
    agent,
    running: running.get(agent.uuid) ?? null,
    refused: deps.refused.find(agent.uuid),
    claims: claimsTo(deps, agent.uuid),
    lastChange: changes.get(entityOfAgent(agent.uuid)) ?? null,
  }))
}

/** The machine that has the uuid comes first. */
function claimsTo({ directory, refused }: AgentsPageDeps, uuid: string): readonly ShownClaim[] {
  const holder = directory.find(uuid)
  const rivals = holder === null ? [] : refused.rivalsOf(holder)
  if (!holder?.record || rivals.length === 0) return []
  const { record, heard } = holder
  const held = { ...record, address: heard?.address ?? null, at: heard?.at ?? record.lastContact }
  return [held, ...rivals].map(({ claimHash, facts, address, at }) => ({
    id: claimId(claimHash),
    hostname: facts.hostname,
    address: address === null ? null : plainAddress(address),
    at,
  }))
}

function entityOfAgent(uuid: string): string {
  return `agent/${uuid}`
}

function countsOf(agents: readonly ShownAgent[]): AgentsPage['counts'] {
  const counts = countEach(agents.map(({ status }) => status))
  return Array.from(counts, ([status, count]) => ({ status, count })).toSorted(
    (one, other) => other.count - one.count,
  )
}
