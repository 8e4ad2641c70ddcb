import type { JobInstance } from '../../builds/engine/documents.ts'
import type { Page } from '../../core/page.ts'
import type { Principal } from '../../core/principal.ts'
import { listJobRuns, type StagesDeps } from '../../builds/runs/stages.ts'
import { type AgentRow, type AgentsPageDeps, agentRowsOf } from './agents-page.ts'
import { shownAgent } from './shown-agent.ts'

export type AgentPageDeps = AgentsPageDeps & StagesDeps

export interface AgentPage {
  readonly uuid: string
  /** Null for an agent that no longer exists. */
  readonly row: AgentRow | null
  readonly runs: Page<JobInstance>
  readonly mayAdminister: boolean
  readonly lastContact: number | null
  /** The environments of the configuration. */
  readonly environments: readonly string[]
}

/**
 * Reads one agent and those of its jobs that the caller may view; every user may call it.
 *
 * @throws {ServiceError} `agent-not-found` for an unknown agent that never ran a job.
 */
export async function readAgentPage(
  deps: AgentPageDeps,
  principal: Principal,
  { uuid, offset }: { readonly uuid: string; readonly offset: number },
): Promise<AgentPage> {
  await deps.directory.findLost()
  const runs = await listJobRuns(deps, principal, { uuid, offset })
  const known = deps.directory.find(uuid)
  const [row = null] = known ? await agentRowsOf(deps, principal, [shownAgent(known)]) : []
  return {
    uuid,
    row,
    runs,
    mayAdminister: deps.access.may(principal, { action: 'administer' }),
    lastContact: known?.heard?.at ?? known?.record?.lastContact ?? null,
    environments: deps.pipelines.configuration.environments.map(({ name }) => name),
  }
}
