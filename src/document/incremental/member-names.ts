import { nameKey } from '../../core/name-key.ts'
import { type ListName, NAMED_BY } from './find-members.ts'
import type { ReadMember } from './member-finder.ts'

/**
 * Where the members of a list stand, by name. Most documents have a name where the one before had it: that is
 * looked at first, and all names are listed again only where another member stands there.
 */
export class MemberNames {
  #places: ReadonlyMap<string, number> = new Map()

  /** The place of a member among all of a valid document, in which names are unique; undefined for none. */
  find(members: readonly ReadMember[], list: ListName, key: string): number | undefined {
    const wanted = keyOf(list, key)
    const known = this.#places.get(wanted)
    const standing = known === undefined ? undefined : members[known]
    if (standing && memberKey(standing) === wanted) return known
    this.#places = new Map(members.map((member, n) => [memberKey(member), n]))
    return this.#places.get(wanted)
  }
}

function memberKey({ list, element }: ReadMember): string {
  return keyOf(list, element.attributeValue(NAMED_BY[list]) ?? '')
}

/** A pipeline and a template may have one name. */
function keyOf(list: ListName, name: string): string {
  return `${list}/${nameKey(name)}`
}
