import type { Principal } from '../../core/principal.ts'
import type { AgentAdministrationDeps } from '../../agents/administer-agents.ts'
import { actOnAgents, type AgentAction, type AgentOutcome } from '../agents/act-on-agents.ts'
import { readRemovals, type Removal, type RemovalDeps } from './removal.ts'

/** The steps of a removal of several agents; each agent takes a step as soon as it may. */
export const REMOVAL_STEPS = ['disable', 'again', 'delete', 'enable'] as const
export type RemovalStep = (typeof REMOVAL_STEPS)[number]

const ACTIONS: Record<RemovalStep, AgentAction> = {
  disable: 'disable',
  again: 'disable',
  delete: 'delete',
  enable: 'enable',
}

/** The agents that can take the step now. */
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

/**
 * Takes a step with the agents that are ready for it; the others stay unchanged.
 *
 * @throws {ServiceError} `not-authorized`.
 */
export async function removeTogether(
  deps: RemovalDeps & AgentAdministrationDeps,
  principal: Principal,
  { step, uuids }: { readonly step: RemovalStep; readonly uuids: readonly string[] },
): Promise<readonly AgentOutcome[]> {
  const removals = await readRemovals(deps, principal, uuids)
  const chosen = agentsFor(step, removals).map(({ row }) => row.agent.uuid)
  return actOnAgents(deps, principal, { action: ACTIONS[step], uuids: chosen })
}
