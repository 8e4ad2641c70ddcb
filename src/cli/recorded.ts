import { commandEntriesIn, recordCommand } from '../notify/audit/command-entries.ts'
import type { StateSettings } from '../settings/settings.ts'
import { isThere } from '../storage/fs-error.ts'
import { CALLER } from './caller.ts'

/** Does one thing that the audit log has an entry of. */
type Recorded = <Result>(
  what: { readonly action: string; readonly target: string },
  work: () => Promise<Result>,
  targetOf?: (result: Result) => string,
) => Promise<Result>

/**
 * Records the work of a command on the state of these settings. Without its folder no server has
 * run there.
 */
export function recordedIn({ 'state-dir': stateDir }: StateSettings): Recorded {
  return async (what, work, targetOf) => {
    if (!(await isThere(stateDir))) return work()
    const action = { user: CALLER, ...what }
    return recordCommand(commandEntriesIn(stateDir), action, work, targetOf)
  }
}
