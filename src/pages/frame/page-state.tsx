import type { AgentDirectory } from '../../agents/agent-directory.ts'
import type { RunRightsDeps } from '../../builds/runs/run-rights.ts'

/** The agents and runs that pages about the configuration show besides it. */
export interface PageState extends RunRightsDeps {
  readonly directory: AgentDirectory
}

export interface PageStateDeps {
  /** Null where another server leads, which does not answer. */
  readonly runs: () => PageState | null
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
