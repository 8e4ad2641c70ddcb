import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import { splitEntity } from '../../document/entities/entities.ts'
import type { ConfigChangesDeps } from '../changes/config-changes.ts'
import { entitiesChangedBy } from './read-revision-changes.ts'

/** The path of a page about a revision: of the first entity in it to a caller who may not read the whole. */
export async function pageOfRevision(
  deps: ConfigChangesDeps,
  principal: Principal,
  revision: Revision,
): Promise<string> {
  const { access, history } = deps
  const number = `r${history.numberOf(revision)}`
  const previous = history.previousOf(revision)
  if (previous === null || access.may(principal, { action: 'administer' }))
    return `/config/${number}`
  const [entity = ''] = await entitiesChangedBy(deps, { revision, previous })
  const { kind, name } = splitEntity(entity)
  const page = `/config/entity/${kind}/${encodeURIComponent(name)}`
  return `${page}/compare/r${history.numberOf(previous)}/${number}`
}
