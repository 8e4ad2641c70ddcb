import type { Builds } from '../builds/engine/builds.ts'
import { describeFault } from '../core/faults.ts'
import type { History } from '../history/history.ts'

export interface ReadinessDeps {
  readonly history: History
  readonly builds: Builds
}

/** A part that cannot answer anybody, and the reason, for logs. */
export interface ReadinessProblem {
  readonly part: string
  readonly reason: string
}

/**
 * The obstacles that keep the service from answering its most frequent requests; none when it is
 * ready.
 */
export async function readReadiness({
  history,
  builds,
}: ReadinessDeps): Promise<ReadinessProblem[]> {
  const looks = await Promise.allSettled([
    history.readDocument(history.current()),
    builds.pipelineHistory('', 0),
  ])
  const subjects = ['The current configuration cannot be read', 'The state store cannot be read']
  return looks.flatMap((look, n) =>
    look.status === 'rejected'
      ? [{ part: subjects[n] ?? '', reason: describeFault(look.reason) }]
      : [],
  )
}
