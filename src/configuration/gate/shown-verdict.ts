import { DOCUMENT, splitEntity } from '../../document/entities/entities.ts'
import type { Permissions } from '../../security/permissions.ts'
import { RULES_ENTITY } from './rules/match.ts'
import type { Objection, Verdict } from './rules/verdict.ts'

/**
 * A verdict without the names of what a caller may view neither before the change nor after it: a change of
 * one thing may reach others, by a template or by a name that they refer to.
 */
export function shownVerdict(verdict: Verdict, sides: readonly Permissions[]): Verdict {
  if (sides.some(({ isAdministrator }) => isAdministrator)) return verdict
  const shown = (objection: Objection): Objection => {
    const { place, sentence } = objection
    if (sides.some((rights) => mayName(rights, place))) return objection
    const { kind } = splitEntity(place)
    return { ...objection, place: kind, sentence: sentence.replaceAll(place, `another ${kind}`) }
  }
  return {
    ...verdict,
    objections: verdict.objections.map(shown),
    warnings: verdict.warnings.map(shown),
  }
}

function mayName(rights: Permissions, entity: string): boolean {
  const { kind, name } = splitEntity(entity)
  if (kind === 'pipeline') return rights.mayView(name)
  if (kind === 'group') return rights.mayViewGroup(name)
  if (kind === 'template') return rights.mayViewTemplate(name)
  return entity === DOCUMENT || entity === RULES_ENTITY
}
