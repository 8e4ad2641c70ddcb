import { isSameName } from '../../../core/name-key.ts'
import type { Standing } from './question.ts'
import type { PersonSelector } from './selectors.ts'

/**
 * Whether a rule means a person. `within` has the groups and templates that "admins of the group" is about;
 * outside of all, those are the administrators of the server.
 */
export function isOneOf(
  selector: PersonSelector,
  standing: Standing,
  within: readonly string[],
): boolean {
  switch (selector.kind) {
    case 'role':
      return standing.roles.some((role) => isSameName(role, selector.name))
    case 'user':
      return isSameName(standing.username, selector.name)
    case 'admins':
      return standing.administersServer
    case 'group-admins':
      if (within.length === 0) return standing.administersServer
      return within.every((part) => standing.administers(part))
  }
}

/** The people that a rule means, in words. */
export function phraseOf(selector: PersonSelector, within: readonly string[]): string {
  if (selector.kind === 'role' || selector.kind === 'user')
    return `${selector.kind}/${selector.name}`
  if (selector.kind === 'admins' || within.length === 0) return 'administrators of the server'
  return within.map((part) => `admins of the ${part.replace('/', ' ')}`).join(', ')
}
