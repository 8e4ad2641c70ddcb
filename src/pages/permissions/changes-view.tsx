import type { Links } from '../kit/links.ts'
import { countOf } from '../kit/words/count.ts'
import { moreOf } from '../kit/lists.tsx'
import { Table } from '../kit/table.tsx'
import { Pager } from '../kit/pager.tsx'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import type { PermissionChanges, RightChanges } from '../work/permissions/permissions-changes.ts'
import type { PermissionsPage } from './permissions-page.ts'
import { type PermissionsQuery, permissionsQueryOf } from './permissions-query.ts'
import { TABLE_ROWS } from '../work/permissions/permissions-table.ts'
import { Line, Nothing, ReasonsInWords } from './right.tsx'
import { WhoCell } from './who-cell.tsx'

interface ChangesViewProps {
  readonly links: Links
  readonly query: PermissionsQuery
  readonly page: Extract<PermissionsPage, { kind: 'changes' }>
  readonly changes: PermissionChanges
}

/** Permissions that people gain and lose between two revisions. */
export function ChangesView({ links, query, page, changes }: ChangesViewProps) {
  const { people, total, gone, added } = changes
  const { from, revision } = page
  const compared = { links, from, revision }
  return (
    <>
      <Table
        label="Gained and lost"
        class="permissions"
        columns={COLUMNS}
        rows={people.map((person) => ({
          cells: [
            <WhoCell links={links} person={person} roles={[]} members={person.members} />,
            <Side title="Gains" changes={person.gains} {...compared} />,
            <Side title="Loses" changes={person.loses} {...compared} />,
          ],
        }))}
        empty="No permission changes."
      />
      {gone + added > 0 && (
        <p class="muted">
          {`Not compared: ${groupsIn(gone, from)}, ${groupsIn(added, revision)}.`}
        </p>
      )}
      <Pager
        pagination={{ offset: query.offset, total, pageSize: TABLE_ROWS }}
        to={(offset) => links.permissions(permissionsQueryOf(query, { offset: offset ?? 0 }))}
      />
    </>
  )
}

const COLUMNS = [{ label: 'Who', isHead: true, isPlain: true }, 'Gains', 'Loses']

function groupsIn(count: number, { number }: NumberedRevision): string {
  return `${countOf(count, 'group')} only in r${number}`
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
  if (shown.length === 0) return <Nothing />
  return (
    <ul class="rights">
      {shown.map(({ of, right, elsewhere }) => (
        <li>
          <b>{`${right.right} ${of}`}</b>
          {` in r${giving.number}: `}
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
      {more > 0 && <li class="muted">{moreOf(more)}</li>}
    </ul>
  )
}
