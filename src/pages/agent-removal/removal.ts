import type { Clock } from '../../lib/clock.ts'
import type { AgentAdministrationDeps } from '../../agents/administer-agents.ts'
import type { AgentDirectory } from '../../agents/agent-directory.ts'
import type { Principal } from '../../core/principal.ts'
import type { KnownAgent } from '../../agents/known-agent.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import { actOnAgents, type AgentAction, type AgentOutcome } from '../agents/act-on-agents.ts'
import { type AgentRow, type AgentsPageDeps, agentRowsOf } from '../agents/agents-page.ts'
import { shownAgent } from '../agents/shown-agent.ts'

/** How long an agent may keep running after it was disabled, in milliseconds. */
export const STOP_WINDOW_MS = 5_000
/**
 * A running agent contacts the server every 5 seconds; after two missed contacts it counts as
 * stopped.
 */
const SILENCE_MS = 11_000

export interface RemovalDeps extends AgentsPageDeps {
  readonly clock: Clock
}

/** How far the removal of an agent has come. */
export interface Removal {
  readonly row: AgentRow
  /** The next step: wait for its work to end, disable, stop, or delete it. */
  readonly step: 'wait' | 'disable' | 'stop' | 'delete'
  readonly isBusy: boolean
  readonly isDisabled: boolean
  /** Whether its process has ended, as far as that can be known. */
  readonly hasStopped: boolean
  readonly lastContact: number | null
}

/**
 * Derives the progress of removals from the agents alone, so that a removal can be interrupted and
 * resumed. Agents that do not exist are left out.
 *
 * @throws {ServiceError} `not-authorized`.
 */
export async function readRemovals(
  deps: RemovalDeps,
  principal: Principal,
  uuids: readonly string[],
): Promise<readonly Removal[]> {
  assertMay(deps.access, principal, { action: 'delete-agent' })
  await deps.directory.findLost()
  const known = [...new Set(uuids)].flatMap((uuid) => deps.directory.find(uuid) ?? [])
  const rows = await agentRowsOf(deps, principal, known.map(shownAgent))
  return rows.flatMap((row, n) => {
    const agent = known[n]
    return agent ? [removalOf(deps, agent, row)] : []
  })
}

/** The steps of a removal. */
export const REMOVAL_STEPS = ['disable', 'again', 'delete', 'enable'] as const
export type RemovalStep = (typeof REMOVAL_STEPS)[number]

const ACTIONS: Record<RemovalStep, AgentAction> = {
  disable: 'disable',
  again: 'disable',
  delete: 'delete',
  enable: 'enable',
}

/** The agents that are ready for a step. */
export function agentsFor(step: RemovalStep, removals: readonly Removal[]): readonly Removal[] {
  return removals.filter((removal) => {
    switch (step) {
      case 'disable':
        return removal.step === 'disable'
      case 'again':
        return removal.step === 'stop'
      case 'delete':
        return removal.step === 'delete'
      case 'enable':
        return removal.isDisabled
    }
  })
}

export interface StepRequest {
  readonly step: RemovalStep
  readonly uuids: readonly string[]
  /** Whether agents take the step that are not ready for it, such as one that works on a job. */
  readonly isForced: boolean
}

/**
 * Takes a step of a removal. Agents that are not ready for it stay as they are, unless it is forced.
 *
 * @throws {ServiceError} `not-authorized`.
 */
export async function takeStep(
  deps: RemovalDeps & AgentAdministrationDeps,
  principal: Principal,
  { step, uuids, isForced }: StepRequest,
): Promise<readonly AgentOutcome[]> {
  const action = ACTIONS[step]
  if (isForced) return actOnAgents(deps, principal, { action, uuids })
  const ready = agentsFor(step, await readRemovals(deps, principal, uuids))
  return actOnAgents(deps, principal, { action, uuids: ready.map(({ row }) => row.agent.uuid) })
}

function removalOf({ directory }: RemovalDeps, known: KnownAgent, row: AgentRow): Removal {
  const { configStatus, runtimeStatus } = known.condition
  const isBusy = runtimeStatus === 'Building' || runtimeStatus === 'Cancelled'
  const isDisabled = configStatus === 'Disabled'
  const hasStopped = isStopped(directory, known)
  const step = isBusy ? 'wait' : !isDisabled ? 'disable' : hasStopped ? 'delete' : 'stop'
  const lastContact = known.heard?.at ?? null
  return { row, step, isBusy, isDisabled, hasStopped, lastContact }
}

function isStopped(directory: AgentDirectory, known: KnownAgent): boolean {
  const { heard, condition } = known
  if (heard === null || heard.stopping) return true
  const isLost = ['LostContact', 'Missing'].includes(condition.runtimeStatus)
  return isLost || directory.silenceOf(known) > SILENCE_MS
}
