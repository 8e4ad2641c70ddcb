import { plural } from '../../lib/plural.ts'
import { LinkButton } from '../kit/buttons.tsx'
import type { Links } from '../kit/links.ts'
import { moreOf } from '../kit/lists.tsx'
import { Table } from '../kit/table.tsx'
import type { OwnPermissions } from './permissions-page.ts'
import { EveryRight, LongRight, Nothing } from './right.tsx'

interface OwnPermissionsProps extends OwnPermissions {
  readonly links: Links
  readonly name: string
}

/** Permissions of one user, group by group, each with the line that grants it. */
export function OwnPermissionsCard({ links, name, revision, permissions }: OwnPermissionsProps) {
  return (
    <section>
      <div class="card-head">
        <h2>Permissions</h2>
        <LinkButton href={links.permissions({ q: name })} label="In all groups" look="quiet" />
      </div>
      <Content links={links} name={name} revision={revision} permissions={permissions} />
    </section>
  )
}

function Content({ links, revision, permissions }: OwnPermissionsProps) {
  if (permissions === null) return <p>The permissions take too long to read at the moment.</p>
  const { administers, groups, total } = permissions
  if (administers !== null) {
    return (
      <p class="card">
        <EveryRight links={links} revision={revision} right={administers} />
      </p>
    )
  }
  return (
    <>
      <Table
        label="Permissions"
        class="permissions"
        columns={COLUMNS}
        rows={groups.map(({ kind, name, rights, stages, moreStages }) => ({
          cells: [
            kind === 'group' ? (
              <a href={links.permissions({ group: name })}>{name}</a>
            ) : (
              <a href={links.entity(kind, name)}>{`template ${name}`}</a>
            ),
            <Rights rights={rights} links={links} revision={revision} />,
            kind === 'group' ? (
              <Stages stages={stages} more={moreStages} links={links} revision={revision} />
            ) : (
              ''
            ),
          ],
        }))}
        empty="None."
      />
      {total > groups.length && (
        <p class="muted">{`${moreOf(total - groups.length)} ${plural(total - groups.length, 'group')}.`}</p>
      )}
    </>
  )
}

const COLUMNS = [{ label: 'Group', isHead: true, isPlain: true }, 'May', 'Stages']

type Shown = Pick<OwnPermissionsProps, 'links' | 'revision'>
type OwnGroup = NonNullable<OwnPermissions['permissions']>['groups'][number]

function Rights({ rights, ...shown }: Shown & Pick<OwnGroup, 'rights'>) {
  if (rights.length === 0) return <Nothing />
  return (
    <ul class="rights">
      {rights.map((right) => (
        <li>
          <LongRight {...shown} right={right} />
        </li>
      ))}
    </ul>
  )
}

function Stages({ stages, more, ...shown }: Shown & Pick<OwnGroup, 'stages'> & { more: number }) {
  if (stages.length === 0) return <Nothing word="as the group" />
  return (
    <ul class="rights">
      {stages.map(({ name, right }) => (
        <li>
          {`${name} `}
          <LongRight {...shown} right={right} />
        </li>
      ))}
      {more > 0 && <li>{moreOf(more)}</li>}
    </ul>
  )
}
