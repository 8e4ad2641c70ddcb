import { groupFilter } from './ldap-filter.ts'
import type { LdapConnection, LdapEntry } from './ldap-connection.ts'

/** The limits of nesting and of the number of groups in groups. */
const MAX_LEVELS = 5
const MAX_GROUPS = 200

/** The names of the groups that have the user, themselves or by groups in them. */
export async function rolesIn(
  connection: LdapConnection,
  base: string,
  user: { readonly dn: string; readonly username: string },
): Promise<readonly string[]> {
  const groups = new Map<string, LdapEntry>()
  let members = [user.dn]
  for (let level = 0; level < MAX_LEVELS && members.length > 0; level += 1) {
    const filter = groupFilter(members, level === 0 ? user.username : null)
    const found = await connection.search({ base, filter, attributes: ['cn'] })
    const added = found
      .filter(({ dn }) => !groups.has(dn.toLowerCase()))
      .slice(0, MAX_GROUPS - groups.size)
    for (const group of added) groups.set(group.dn.toLowerCase(), group)
    members = added.map(({ dn }) => dn)
  }
  return [...new Set([...groups.values()].flatMap(({ attributes }) => attributes.get('cn') ?? []))]
}
