import type { Principal } from '../../core/principal.ts'
import type { CommitSha } from '../../core/revision.ts'
import type { PlannedStart } from '../triggers/triggers.ts'
import { type PlanDeps, plannedStarts } from './plan-configuration.ts'
import { mayViewEntity } from './plan-view.ts'

/** Longer lists are cut: a terminal shows the end of what is written. */
const MAX_NAMES = 20

/** The runs that a pushed document begins, as far as its client may view their pipelines, now or then. */
export async function startsOfPush(
  deps: PlanDeps,
  principal: Principal,
  commit: CommitSha,
): Promise<readonly PlannedStart[]> {
  const pushed = await deps.history.readPushed(commit)
  if (pushed === null) return []
  const starts = await plannedStarts(deps, pushed.document)
  const { configuration: after } = await deps.cache.read(pushed.document)
  const before = deps.configuration.read().configuration
  const sides = [before, after].map((each) => deps.access.rightsIn(each, principal))
  return starts.filter(({ pipeline }) =>
    sides.some((side) => side.isAdministrator || mayViewEntity(side, `pipeline/${pipeline}`)),
  )
}

/** The names of what starts, as a line for a terminal. */
export function describeStarts(starts: readonly PlannedStart[]): readonly string[] {
  if (starts.length === 0) return ['  it starts nothing']
  const names = starts.slice(0, MAX_NAMES).map(({ pipeline }) => pipeline)
  const left = starts.length - names.length
  return [`  it starts ${names.join(', ')}${left === 0 ? '' : ` and ${left} more`}`]
}
