import type { Builds } from '../builds/builds.ts'
import { reasonOf } from '../core/errors.ts'
import type { History } from '../history/history.ts'

export interface ReadinessDeps {
  readonly history: History
  readonly builds: Builds
}

/** Why the service cannot answer what it is asked most; nothing when it can. */
export async function readReadiness({ history, builds }: ReadinessDeps): Promise<string[]> {
  const looks = await Promise.allSettled([
    history.readDocument(history.current()),
    builds.pipelineHistory('', 0),
  ])
  const subjects = ['The current configuration cannot be read', 'The state store cannot be read']
  return looks.flatMap((look, n) =>
    look.status === 'rejected' ? [`${subjects[n]}: ${reasonOf(look.reason)}`] : [],
  )
}
