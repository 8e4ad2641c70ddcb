import type { AgentDirectory } from '../../agents/agent-directory.ts'
import type { RunRightsDeps } from '../../builds/runs/run-rights.ts'

/** What pages about the configuration show besides it, where there is a state. */
export interface PageState {
  readonly directory: AgentDirectory
  readonly runs: RunRightsDeps
}

export interface PageStateDeps {
  /** Null where another server has it, which does not answer. */
  readonly state: PageState | null
}

/** What such a page leaves out then, with why. */
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
