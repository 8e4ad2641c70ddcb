import type { Links } from '../kit/links.ts'
import type { Person } from '../work/permissions/person.ts'

interface WhoCellProps {
  readonly links: Links
  readonly person: Pick<Person, 'kind' | 'name' | 'isKnown'>
  readonly roles: readonly string[]
}

/** The head of a row: a user with roles, or a role. */
export function WhoCell({ links, person: { kind, name, isKnown }, roles }: WhoCellProps) {
  if (kind === 'role') {
    return (
      <>
        role <a href={links.entity('role', name)}>{name}</a>
      </>
    )
  }
  return (
    <>
      {isKnown ? <a href={links.user(name)}>{name}</a> : name}
      {roles.length > 0 && <span class="muted note">{roles.join(', ')}</span>}
      {!isKnown && <span class="muted note">no account</span>}
    </>
  )
}
