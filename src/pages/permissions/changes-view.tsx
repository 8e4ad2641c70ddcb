import type { Links } from '../kit/links.ts'
import { BY_PLACE, Pager } from '../kit/pager.tsx'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import type { PermissionChanges, RightChanges } from '../work/permissions/permissions-changes.ts'
import type { PermissionsPage } from './permissions-page.ts'
import { type PermissionsQuery, permissionsQueryOf } from './permissions-query.ts'
import { TABLE_ROWS } from '../work/permissions/permissions-table.ts'
import { Line, ReasonsInWords } from './right.tsx'
import { WhoCell } from './who-cell.tsx'

interface ChangesViewProps {
  readonly links: Links
  readonly query: PermissionsQuery
  readonly page: Extract<PermissionsPage, { kind: 'changes' }>
  readonly changes: PermissionChanges
}

/** Who gains and loses what between two revisions. */
export function ChangesView({ links, query, page, changes }: ChangesViewProps) {
  const { people, total, gone, added } = changes
  const { from, revision } = page
  const compared = { links, from, revision }
  return (
    <>
      {people.length === 0 ? (
        <p class="card">Nobody gains or loses anything.</p>
      ) : (
        <div class="card scroll" tabindex={0} role="region" aria-label="Gained and lost">
          <table class="list permissions changes-of-rights">
            <thead>
              <tr>
                <th scope="col">Who</th>
                <th scope="col">Gains</th>
                <th scope="col">Loses</th>
              </tr>
            </thead>
            <tbody>
              {people.map((person) => (
                <tr>
                  <WhoCell links={links} person={person} roles={[]} />
                  <Side title="Gains" changes={person.gains} {...compared} />
                  <Side title="Loses" changes={person.loses} {...compared} />
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {gone + added > 0 && (
        <p class="muted">
          {`Not compared: ${countOf(gone)} of r${from.number} alone, ${countOf(added)} of r${revision.number} alone.`}
        </p>
      )}
      <Pager
        pagination={{ offset: query.offset, total, pageSize: TABLE_ROWS }}
        shown={people.length}
        labels={BY_PLACE}
        to={(offset) => links.permissions(permissionsQueryOf(query, { offset: offset ?? 0 }))}
      />
    </>
  )
}

function countOf(groups: number): string {
  return groups === 1 ? '1 group' : `${groups} groups`
}

interface SideProps {
  readonly links: Links
  readonly from: NumberedRevision
  readonly revision: NumberedRevision
  readonly title: 'Gains' | 'Loses'
  readonly changes: RightChanges
}

function Side({ links, from, revision, title, changes: { shown, more } }: SideProps) {
  const [giving, other] = title === 'Gains' ? [revision, from] : [from, revision]
  if (shown.length === 0) return <td class="muted none">nothing</td>
  return (
    <td>
      <b class="column-name">{title}</b>
      <ul class="rights">
        {shown.map(({ of, right, elsewhere }) => (
          <li>
            <b>{`${right.right} ${of}`}</b>
            {`, in r${giving.number} by `}
            <ReasonsInWords
              links={links}
              revision={giving}
              reasons={right.reasons}
              more={right.more}
            />
            {elsewhere !== null && (
              <>
                {`; not in r${other.number} `}
                <span class="place">
                  {'('}
                  <Line links={links} revision={other} line={elsewhere}>
                    {`line ${elsewhere}`}
                  </Line>
                  {')'}
                </span>
              </>
            )}
          </li>
        ))}
        {more > 0 && <li class="muted">{`${more} more`}</li>}
      </ul>
    </td>
  )
}
