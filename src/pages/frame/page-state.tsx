import type { AgentDirectory } from '../../agents/agent-directory.ts'
import type { RunRightsDeps } from '../../builds/runs/run-rights.ts'

/** The state that pages about the configuration show beside it, when there is one. */
export interface PageState {
  readonly directory: AgentDirectory
  readonly runs: RunRightsDeps
}

export interface PageStateDeps {
  /** Null where another server has it, which does not answer. */
  readonly state: PageState | null
}

/** The parts that such a page leaves out, with the reason. */
export function stateAway(what: string): string {
  return `${what}: the server that runs builds does not answer at the moment`
}

export function StateAway({ what }: { readonly what: string }) {
  return (
    <p class="card" role="status">
      {`${stateAway(what)}.`}
    </p>
  )
}
