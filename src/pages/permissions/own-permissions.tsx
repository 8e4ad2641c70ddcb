import type { Links } from '../kit/links.ts'
import type { OwnPermissions } from './permissions-page.ts'
import { EveryRight, LongRight } from './right.tsx'

interface OwnPermissionsProps extends OwnPermissions {
  readonly links: Links
  readonly name: string
}

/** What one user may do, group by group, and by which line. */
export function OwnPermissionsCard({ links, name, revision, permissions }: OwnPermissionsProps) {
  return (
    <section>
      <h2>Permissions</h2>
      <Content links={links} name={name} revision={revision} permissions={permissions} />
      <p class="after-table">
        <a href={links.permissions({ q: name })}>Who may do what</a>
      </p>
    </section>
  )
}

function Content({ links, revision, permissions }: OwnPermissionsProps) {
  if (permissions === null) return <p>The configuration takes too long to read now.</p>
  const { administers, groups, total } = permissions
  if (administers !== null) {
    return (
      <p class="card">
        <EveryRight links={links} revision={revision} right={administers} />
      </p>
    )
  }
  if (total === 0) return <p>None.</p>
  return (
    <div class="card scroll" tabindex={0} role="region" aria-label="Permissions">
      <table class="list permissions">
        <thead>
          <tr>
            <th scope="col">Group</th>
            <th scope="col">May</th>
            <th scope="col">Stages</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr>
              <th scope="row">
                <a href={links.permissions({ group: group.name })}>{group.name}</a>
              </th>
              <td class={group.rights.length === 0 ? 'none muted' : ''}>
                {group.rights.length === 0 && 'nothing'}
                <ul class="rights">
                  {group.rights.map((right) => (
                    <li>
                      <LongRight links={links} revision={revision} right={right} />
                    </li>
                  ))}
                </ul>
              </td>
              <td class={group.stages.length === 0 ? 'none muted' : ''}>
                {group.stages.length === 0 && 'as the group'}
                <ul class="rights">
                  {group.stages.map((stage) => (
                    <li>
                      {`${stage.name} `}
                      <LongRight links={links} revision={revision} right={stage.right} />
                    </li>
                  ))}
                  {group.moreStages > 0 && <li>{`${group.moreStages} more`}</li>}
                </ul>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > groups.length && <p class="muted">{`${total - groups.length} more groups.`}</p>}
    </div>
  )
}
