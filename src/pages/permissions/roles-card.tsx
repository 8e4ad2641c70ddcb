import { LinkButton } from '../kit/buttons.tsx'
import type { Links } from '../kit/links.ts'
import { moreOf, someOf } from '../kit/lists.tsx'
import { Table } from '../kit/table.tsx'
import type { RoleOfPerson } from '../work/permissions/permissions-of-person.ts'
import { WordedMark } from './right.tsx'
import type { OwnPermissions } from './permissions-page.ts'

interface RolesCardProps extends Pick<OwnPermissions, 'permissions'> {
  readonly links: Links
  readonly name: string
}

/** The groups of one right that are named. */
const MAX_GROUPS = 8

/** The roles of a user, and those that the user can be added to, each with what it gives. */
export function RolesCard({ links, name, permissions }: RolesCardProps) {
  if (permissions === null) return <></>
  const { roles, moreRoles } = permissions
  return (
    <section>
      <div class="card-head">
        <h2>Roles</h2>
        <LinkButton href={links.newEntity('role')} label="New role" icon="plus" look="quiet" />
      </div>
      <Table
        label="Roles"
        columns={COLUMNS}
        rows={roles.map((role) => ({
          cells: [
            <a href={links.entity('role', role.name)}>{role.name}</a>,
            <Gives role={role} />,
            role.hasPerson ? (
              <span class="muted">yes</span>
            ) : (
              <a class="button" href={links.addToRole(role.name, name)}>
                Add<span class="visually-hidden">{` to ${role.name}`}</span>…
              </a>
            ),
          ],
        }))}
        empty="The configuration has no roles yet. A role gives several users the same rights at once."
      />
      {moreRoles > 0 && <p class="muted">{`${moreOf(moreRoles)} roles.`}</p>}
    </section>
  )
}

const COLUMNS = [{ label: 'Role', isHead: true, isPlain: true }, 'Gives', 'Member']

function Gives({ role: { administers, gives } }: { role: RoleOfPerson }) {
  if (administers) return <>Everything, as an administrator of the server</>
  if (gives.length === 0) return <span class="muted">nothing beyond what every user can do</span>
  return (
    <ul class="rights">
      {gives.map(([right, groups]) => (
        <li>
          <WordedMark right={right} />
          {` ${someOf(groups, MAX_GROUPS)}`}
        </li>
      ))}
    </ul>
  )
}
