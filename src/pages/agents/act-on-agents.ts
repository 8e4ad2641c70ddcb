import type { AgentChanges, AgentNames } from '../../document/agents/agent-edits.ts'
import { type ErrorCode, ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import {
  type AgentAdministrationDeps,
  approveAgent,
  changeListedAgent,
  type Outcome,
  removeAgent,
  retireAgent,
} from '../../agents/administer-agents.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import { plural } from '../../lib/plural.ts'
import { shownAgent } from './shown-agent.ts'

export const AGENT_ACTIONS = ['enable', 'disable', 'delete', 'add', 'take'] as const
export type AgentAction = (typeof AGENT_ACTIONS)[number]

export interface AgentActionRequest {
  readonly action: AgentAction
  readonly uuids: readonly string[]
  /**
   * The resources and environments that `add` gives and `take` takes away, and that an agent gets
   * with `enable`.
   */
  readonly names?: AgentNames
  /** The machine that `enable` approves, of several that claim the uuid. */
  readonly claim?: string | null
}

export const NO_NAMES: AgentNames = { resources: [], environments: [] }

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
  /** The name under which an invalid live file is kept that the action replaced; null for none. */
  readonly setAside: string | null
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
  { action, uuids, names = NO_NAMES, claim = null }: AgentActionRequest,
): Promise<readonly AgentOutcome[]> {
  assertMay(deps.access, principal, { action: action === 'delete' ? 'delete-agent' : 'administer' })
  const outcomes: AgentOutcome[] = []
  for (const uuid of uuids)
    outcomes.push(await actOnOne(deps, principal, { action, uuid, names, claim }))
  return outcomes
}

interface SingleRequest extends Omit<AgentActionRequest, 'uuids'> {
  readonly uuid: string
  readonly names: AgentNames
  readonly claim: string | null
}

async function actOnOne(
  deps: AgentAdministrationDeps,
  principal: Principal,
  request: SingleRequest,
): Promise<AgentOutcome> {
  const { action, uuid } = request
  const nameNow = () => {
    const known = deps.directory.find(uuid)
    return known && shownAgent(known).name
  }
  const of = { uuid, name: nameNow() ?? uuid, action }
  try {
    const done = await act(deps, principal, request)
    return { ...of, name: nameNow() ?? of.name, isDone: true, reason: null, ...done }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { ...of, isDone: false, reason: error.code, result: refusalOf(error), setAside: null }
  }
}

async function act(
  deps: AgentAdministrationDeps,
  principal: Principal,
  { action, uuid, names, claim }: SingleRequest,
): Promise<Pick<AgentOutcome, 'result' | 'setAside'>> {
  switch (action) {
    case 'enable': {
      const approved = await approveAgent(deps, principal, { uuid, claim })
      const given = await changeNames(deps, principal, { uuid, changes: { added: names } })
      const isNew = approved.isNew || given.isNew
      const setAside = approved.setAside ?? given.setAside
      return { result: isNew ? 'is enabled' : 'was already enabled', setAside }
    }
    case 'disable': {
      const { isNew, setAside } = await retireAgent(deps, principal, uuid)
      return { result: isNew ? 'is disabled' : 'was already disabled', setAside }
    }
    case 'delete': {
      const { setAside } = await removeAgent(deps, principal, uuid)
      return { result: 'is deleted', setAside }
    }
    case 'add': {
      const changes = { added: names }
      const { isNew, setAside } = await changeNames(deps, principal, { uuid, changes })
      return { result: `${isNew ? 'now has' : 'already had'} ${namesText(names)}`, setAside }
    }
    case 'take': {
      const changes = { removed: names }
      const { isNew, setAside } = await changeNames(deps, principal, { uuid, changes })
      return { result: `${isNew ? 'no longer has' : 'did not have'} ${namesText(names)}`, setAside }
    }
  }
}

const UNCHANGED: Outcome = { isNew: false, setAside: null }

/** Changes nothing without a name, as when an agent is approved as it is. */
async function changeNames(
  deps: AgentAdministrationDeps,
  principal: Principal,
  { uuid, changes }: { readonly uuid: string; readonly changes: AgentChanges },
): Promise<Outcome> {
  const { resources, environments } = changes.added ?? changes.removed ?? NO_NAMES
  if (resources.length + environments.length === 0) return UNCHANGED
  return changeListedAgent(deps, principal, { uuid, changes })
}

/** `docker and linux, in production`. */
function namesText({ resources, environments }: AgentNames): string {
  const parts = [
    ...(resources.length === 0 ? [] : [`the ${wordOf('resource', resources)}`]),
    ...(environments.length === 0 ? [] : [`the ${wordOf('environment', environments)}`]),
  ]
  return parts.join(' and ')
}

function wordOf(kind: string, names: readonly string[]): string {
  return `${plural(names.length, kind)} ${names.join(', ')}`
}

function refusalOf(error: ServiceError): string {
  const { facts, code } = error
  if (code === 'agent-not-found') return 'no longer exists'
  if (code === 'agent-not-deletable' && 'reason' in facts) {
    return `was not deleted: it ${facts.reason}`
  }
  return `is unchanged: ${error.message}`
}
