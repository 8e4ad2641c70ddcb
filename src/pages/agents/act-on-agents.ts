import { type ErrorCode, ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import {
  type AgentAdministrationDeps,
  approveAgent,
  removeAgent,
  retireAgent,
} from '../../agents/administer-agents.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import { shownAgent } from './shown-agent.ts'

export const AGENT_ACTIONS = ['enable', 'disable', 'delete'] as const
export type AgentAction = (typeof AGENT_ACTIONS)[number]

/** The result of an action for one of several agents. */
export interface AgentOutcome {
  readonly uuid: string
  readonly name: string
  readonly action: AgentAction
  readonly isDone: boolean
  /** The code of the refusal, or null. */
  readonly reason: ErrorCode | null
  /** The result as a phrase after the name: `is enabled`. */
  readonly result: string
}

/**
 * Applies one action to several agents, one after the other. A refusal for one does not stop the
 * others.
 *
 * @throws {ServiceError} `not-permitted`, or `not-authorized` for a deletion.
 */
export async function actOnAgents(
  deps: AgentAdministrationDeps,
  principal: Principal,
  { action, uuids }: { readonly action: AgentAction; readonly uuids: readonly string[] },
): Promise<readonly AgentOutcome[]> {
  assertMay(deps.access, principal, { action: action === 'delete' ? 'delete-agent' : 'administer' })
  const outcomes: AgentOutcome[] = []
  for (const uuid of uuids) outcomes.push(await actOnOne(deps, principal, { action, uuid }))
  return outcomes
}

async function actOnOne(
  deps: AgentAdministrationDeps,
  principal: Principal,
  { action, uuid }: { readonly action: AgentAction; readonly uuid: string },
): Promise<AgentOutcome> {
  const known = deps.directory.find(uuid)
  const of = { uuid, name: known ? shownAgent(known).name : uuid, action }
  try {
    const result = await act(deps, principal, { action, uuid })
    return { ...of, isDone: true, reason: null, result }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { ...of, isDone: false, reason: error.code, result: refusalOf(error) }
  }
}

async function act(
  deps: AgentAdministrationDeps,
  principal: Principal,
  { action, uuid }: { readonly action: AgentAction; readonly uuid: string },
): Promise<string> {
  switch (action) {
    case 'enable': {
      const outcome = await approveAgent(deps, principal, uuid)
      return outcome === 'changed' ? 'is enabled' : 'was enabled already'
    }
    case 'disable': {
      const outcome = await retireAgent(deps, principal, uuid)
      return outcome === 'changed' ? 'is disabled' : 'was disabled already'
    }
    case 'delete':
      await removeAgent(deps, principal, uuid)
      return 'is deleted'
  }
}

function refusalOf(error: ServiceError): string {
  const { facts, code } = error
  if (code === 'agent-not-found') return 'is not there any more'
  if (code === 'agent-not-deletable' && 'reason' in facts) {
    return `is not deleted: it ${facts.reason}`
  }
  return `is left as it is: ${error.message}`
}
