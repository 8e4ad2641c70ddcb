import { isSameName } from '../../../core/name-key.ts'
import { splitEntity } from '../../../document/entities/entities.ts'
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
export function phraseOf(
  selector: PersonSelector,
  within: readonly string[],
  mayName: (part: string) => boolean = () => true,
): string {
  if (selector.kind === 'role' || selector.kind === 'user')
    return `${selector.kind}/${selector.name}`
  if (selector.kind === 'admins' || within.length === 0) return 'administrators of the server'
  return within
    .map((part) => (mayName(part) ? `the ${part.replace('/', ' ')}` : unnamed(part)))
    .map((part) => `admins of ${part}`)
    .join(', ')
}

/** An entity that may not be named: `another pipeline`. */
export function unnamed(entity: string): string {
  return `another ${splitEntity(entity).kind}`
}
