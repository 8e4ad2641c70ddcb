import type { Links } from '../kit/links.ts'
import { countOf } from '../kit/words/count.ts'
import { moreOf } from '../kit/lists.tsx'
import type { RoleMembers } from '../work/permissions/permissions-table.ts'
import type { RoleMember, Person } from '../work/permissions/person.ts'

interface WhoCellProps {
  readonly links: Links
  readonly person: Pick<Person, 'kind' | 'name' | 'isKnown'>
  readonly roles: readonly string[]
  readonly members: RoleMembers
}

/** The head of a row: a user with roles, a role with its users, or every user. */
export function WhoCell({ links, person, roles, members }: WhoCellProps) {
  const { kind, name, isKnown } = person
  if (kind === 'everyone') return <>{name}</>
  if (kind === 'role') {
    return (
      <>
        role <a href={links.entity('role', name)}>{name}</a>
        <MembersList links={links} members={members} />
      </>
    )
  }
  return (
    <>
      <UserName links={links} name={name} isKnown={isKnown} />
      {roles.length > 0 && <span class="muted note">{roles.join(', ')}</span>}
      {!isKnown && <span class="muted note">no account</span>}
    </>
  )
}

function MembersList({
  links,
  members: { shown, total },
}: Pick<WhoCellProps, 'links' | 'members'>) {
  if (total === 0) return <span class="muted note">nobody</span>
  return (
    <details class="muted note">
      <summary>{countOf(total, 'user')}</summary>
      <ul>
        {shown.map((member) => (
          <li>
            <UserName links={links} {...member} />
          </li>
        ))}
        {total > shown.length && <li>{moreOf(total - shown.length)}</li>}
      </ul>
    </details>
  )
}

function UserName({ links, name, isKnown }: RoleMember & Pick<WhoCellProps, 'links'>) {
  return isKnown ? <a href={links.user(name)}>{name}</a> : <>{name}</>
}
