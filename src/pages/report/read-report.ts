import { assertMay } from '../../configuration/access/permission.ts'
import { revisionsInScope } from '../../configuration/search/find-revisions.ts'
import type { Principal } from '../../core/principal.ts'
import { malformed } from '../../http/parameters.ts'
import { reportChanges, type ReportedChange } from '../../operations/change-report.ts'
import type { PagesContext } from '../frame/pages-context.ts'

/** A page of more would be no page; the command has no limit. */
const MAX_CHANGES = 2_000

export interface ReportQuery {
  /** Milliseconds since the UNIX epoch, both included; null for no bound. */
  readonly since: number | null
  readonly until: number | null
  /** Only its changes, of a group also of what is in it; null for all. */
  readonly entity: string | null
}

/**
 * The changes of a time with those who asked for, approved and overrode them, oldest first, as
 * `cairn report` has them. The index finds those of an entity, under its former names too.
 *
 * @throws {ServiceError} `not-permitted`, `malformed-request` where there are too many.
 */
export async function readReport(
  { configuration }: Pick<PagesContext, 'configuration'>,
  principal: Principal,
  { entity, ...times }: ReportQuery,
): Promise<readonly ReportedChange[]> {
  const { access, repository, fileName, programPath } = configuration
  assertMay(access, principal, { action: 'administer' })
  const place = { repository, fileName, programPath }
  const all = await reportChanges({ ...place, ...times, entity: null })
  const changes = entity === null ? all : await aboutEntity(configuration, all, entity)
  if (changes.length <= MAX_CHANGES) return changes
  const message = `There are ${changes.length} changes: choose a shorter time, or run cairn report`
  throw malformed(message, 'since')
}

async function aboutEntity(
  configuration: PagesContext['configuration'],
  changes: readonly ReportedChange[],
  entity: string,
): Promise<readonly ReportedChange[]> {
  const revisions = changes.flatMap(({ commit }) => configuration.history.findCommit(commit) ?? [])
  const inScope = await revisionsInScope(configuration, entity, revisions)
  const commits = new Set(inScope.map(({ commit }) => commit))
  return changes.filter(({ commit }) => commits.has(commit))
}
