import type { Principal } from '../../core/principal.ts'
import { firstMomentOf, lastMomentOf } from '../../lib/moments.ts'
import {
  findInEffect,
  findNamed,
  type RevisionReadingDeps,
} from '../revisions/numbered-revision.ts'

/** The fields of the forms that ask for a comparison. */
export type ChooserFields = Readonly<Record<string, string>>

/**
 * The names of the two revisions that a form asks for: by `a` and `b`, each a revision or a time, or
 * `by=dates` what changed from the day `since` to the day `until`. What was in force before the
 * first of two times is the older side, so that a change of that day is among the differences.
 * Without `b` it is the current one, and without `a` the one before.
 *
 * @throws {ServiceError} `revision-not-found`, `not-permitted`.
 */
export function chooseRevisions(
  deps: RevisionReadingDeps,
  principal: Principal,
  { a = '', b = '', since = '', until = '', by }: ChooserFields,
): { readonly from: string; readonly to: string } {
  if (by === 'dates') {
    return {
      from: since === '' ? 'r1' : named(deps, principal, since, 'before'),
      to: until === '' ? 'current' : named(deps, principal, until, 'at-end'),
    }
  }
  const newest = `r${deps.history.size()}`
  const to = b === '' ? newest : named(deps, principal, b.trim(), 'at-end')
  return {
    from: a === '' ? baseOf(deps, principal, to) : named(deps, principal, a.trim(), 'before'),
    to,
  }
}

/** The name of the revision upon which another one came; of itself for the first. */
function baseOf(deps: RevisionReadingDeps, principal: Principal, name: string): string {
  const { number, base } = findNamed(deps, principal, name)
  return `r${base ?? number}`
}

/** The name for an address: times become the revision that was in force, before or at the end of them. */
function named(
  deps: RevisionReadingDeps,
  principal: Principal,
  text: string,
  when: 'before' | 'at-end',
): string {
  const time = when === 'at-end' ? lastMomentOf(text) : firstMomentOf(text)
  if (time === null) return /^\d+$/.test(text) ? `r${text}` : text
  const { number } =
    findInEffect(deps, principal, when === 'at-end' ? time : time - 1) ??
    findNamed(deps, principal, 'r1')
  return `r${number}`
}
