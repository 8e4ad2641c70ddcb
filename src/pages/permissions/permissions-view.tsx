import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { BY_PLACE, Pager } from '../kit/pager.tsx'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import { ChangesView } from './changes-view.tsx'
import type { PermissionsPage } from './permissions-page.ts'
import { type PermissionsQuery, permissionsQueryOf } from './permissions-query.ts'
import {
  type PermissionCell,
  type Column,
  type PermissionsTable,
  type PermissionRow,
  TABLE_COLUMNS,
  TABLE_ROWS,
} from '../work/permissions/permissions-table.ts'
import { EveryRight, LongRight, ShortRight } from './right.tsx'
import { WhoCell } from './who-cell.tsx'

export interface PermissionsViewProps {
  readonly frame: PageFrame
  readonly query: PermissionsQuery
  readonly page: PermissionsPage
}

/** People and roles against groups or stages, or what of that differs between two revisions. */
export function PermissionsView({ frame, query, page }: PermissionsViewProps) {
  const { links } = frame
  const { revision } = page
  const content = page.kind === 'changes' ? page.changes : page.table
  return (
    <PageLayout
      frame={frame}
      title="Who may do what"
      description="What people and roles may do with each group, and which line of the configuration says so."
      styles={['permissions.css']}
    >
      <div class="page-head">
        <div>
          <h1>Who may do what</h1>
          <Subject links={links} query={query} page={page} />
        </div>
        <p class="actions">
          <a class="button" href={links.users()}>
            All users
          </a>
        </p>
      </div>
      <Filter links={links} query={query} />
      {content === null && (
        <p class="card">The text of a revision that is asked for is no configuration.</p>
      )}
      {page.kind === 'changes' && page.changes !== null && (
        <ChangesView links={links} query={query} page={page} changes={page.changes} />
      )}
      {page.kind === 'table' && page.table !== null && (
        <Table links={links} query={query} revision={revision} table={page.table} />
      )}
    </PageLayout>
  )
}

function Subject({ links, query, page }: Omit<PermissionsViewProps, 'frame'> & { links: Links }) {
  const revisionLink = ({ number, isCurrent }: NumberedRevision) => (
    <a href={links.snapshot(`r${number}`)}>
      {isCurrent ? `r${number}, the current one` : `r${number}`}
    </a>
  )
  if (page.kind === 'changes') {
    return (
      <p class="muted">
        {'What people gain and lose from '}
        {revisionLink(page.from)}
        {' to '}
        {revisionLink(page.revision)}
        {'.'}
      </p>
    )
  }
  if (query.group !== null) {
    return (
      <p class="muted">
        {'Group '}
        <a href={links.entity('group', query.group)}>{query.group}</a>
        {' in '}
        {revisionLink(page.revision)}
        {'. '}
        <a href={links.permissions(permissionsQueryOf(query, FROM_THE_START))}>All groups</a>
      </p>
    )
  }
  return (
    <p class="muted">
      {'By '}
      {revisionLink(page.revision)}
      {'. The number is the line that gives the right.'}
    </p>
  )
}

const FROM_THE_START = { group: null, offset: 0, column: 0 }

function Filter({ links, query }: { links: Links; query: PermissionsQuery }) {
  const { people, groups, group, revision, from } = query
  return (
    <form class="filters" action={links.permissions()} aria-label="Filter">
      <input
        type="search"
        name="q"
        class="filter-text"
        value={people}
        placeholder="User or role"
        aria-label="User or role"
      />
      {group === null && from === null && (
        <input
          type="search"
          name="groups"
          class="filter-text"
          value={groups}
          placeholder="Group"
          aria-label="Group"
        />
      )}
      {group !== null && <input type="hidden" name="group" value={group} />}
      <label>
        {'Revision '}
        <input
          name="revision"
          class="revision-name"
          value={revision === 'current' ? '' : revision}
          placeholder="current"
          autocomplete="off"
        />
      </label>
      <label>
        {'compared with '}
        <input
          name="from"
          class="revision-name"
          value={from ?? ''}
          placeholder="r1"
          autocomplete="off"
        />
      </label>
      <button>Show</button>
    </form>
  )
}

interface TableProps {
  readonly links: Links
  readonly query: PermissionsQuery
  readonly revision: NumberedRevision
  readonly table: PermissionsTable
}

function Table(props: TableProps) {
  const { links, query, table } = props
  const { columns, width, rows, height, without } = table
  const to = (other: Partial<PermissionsQuery>) =>
    links.permissions(permissionsQueryOf(query, other))
  const what = query.group === null ? 'groups' : 'stages'
  return (
    <>
      {rows.length === 0 || columns.length === 0 ? (
        <p class="card">{rows.length === 0 ? 'Nobody matches.' : 'No groups match.'}</p>
      ) : (
        <Cells {...props} />
      )}
      {without > 0 && (
        <p class="muted">{`${without} ${without === 1 ? 'other' : 'others'} may do nothing here.`}</p>
      )}
      <Pager
        pagination={{ offset: query.offset, total: height, pageSize: TABLE_ROWS }}
        shown={rows.length}
        labels={BY_PLACE}
        to={(offset) => to({ offset: offset ?? 0 })}
      />
      <Pager
        name={`Pages of ${what}`}
        pagination={{ offset: query.column, total: width, pageSize: TABLE_COLUMNS }}
        shown={columns.length}
        labels={[`Previous ${what}`, `Next ${what}`]}
        to={(column) => to({ column: column ?? 0 })}
      />
      {query.group !== null && (
        <p class="muted">
          A stage that names nobody is operated by those who may operate the group.
        </p>
      )}
    </>
  )
}

function Cells({ links, query, revision, table: { columns, rows } }: TableProps) {
  const groupAddress = (group: string, people: string) =>
    links.permissions(permissionsQueryOf(query, { ...FROM_THE_START, group, people }))
  return (
    <div class="card scroll" tabindex={0} role="region" aria-label="Who may do what">
      <table class="list permissions">
        <thead>
          <tr>
            <th scope="col">Who</th>
            {columns.map((column) => (
              <th scope="col">
                {column.kind === 'group' && query.group === null ? (
                  <a href={groupAddress(column.name, '')}>{column.name}</a>
                ) : (
                  column.name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              <WhoCell links={links} person={row} roles={row.roles} />
              {row.administers === null ? (
                row.cells.map((cell, n) => (
                  <RightsCell
                    links={links}
                    revision={revision}
                    isLong={query.group !== null}
                    column={columns[n]}
                    cell={cell}
                    stages={(group) => groupAddress(group, row.name)}
                  />
                ))
              ) : (
                <Everything links={links} revision={revision} row={row} width={columns.length} />
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Everything({
  links,
  revision,
  row,
  width,
}: Pick<TableProps, 'links' | 'revision'> & { row: PermissionRow; width: number }) {
  return (
    <td colspan={width}>
      {row.administers && <EveryRight links={links} revision={revision} right={row.administers} />}
    </td>
  )
}

interface RightsCellProps extends Pick<TableProps, 'links' | 'revision'> {
  readonly isLong: boolean
  readonly column: Column | undefined
  readonly cell: PermissionCell
  /** Where the stages of a group are, for this person. */
  readonly stages: (group: string) => string
}

function RightsCell({ links, revision, isLong, column, cell, stages }: RightsCellProps) {
  const Right = isLong ? LongRight : ShortRight
  const group = column?.name ?? ''
  if (cell.rights.length + cell.stages === 0) return <td class="muted none">nothing</td>
  return (
    <td>
      <b class="column-name">{group}</b>
      <ul class="rights">
        {cell.rights.map((right) => (
          <li>
            <Right links={links} revision={revision} right={right} />
          </li>
        ))}
        {!isLong && cell.stages > 0 && (
          <li>
            <a href={stages(group)}>{cell.stages === 1 ? '1 stage' : `${cell.stages} stages`}</a>
          </li>
        )}
      </ul>
    </td>
  )
}
