import { plural } from '../../lib/plural.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { LinkButton } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { FilterText } from '../kit/forms.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { Table } from '../kit/table.tsx'
import { Pager } from '../kit/pager.tsx'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import { ChangesView } from './changes-view.tsx'
import type { PermissionsPage } from './permissions-page.ts'
import { type PermissionsQuery, permissionsQueryOf } from './permissions-query.ts'
import {
  type PermissionCell,
  type PermissionRow,
  type PermissionsTable,
  TABLE_COLUMNS,
  TABLE_ROWS,
} from '../work/permissions/permissions-table.ts'
import { EveryRight, Marks, MarksLegend, Nothing } from './right.tsx'
import { WhoCell } from './who-cell.tsx'

export interface PermissionsViewProps {
  readonly frame: PageFrame
  readonly query: PermissionsQuery
  readonly page: PermissionsPage
}

/** People and roles against groups or stages, or the difference of that between two revisions. */
export function PermissionsView({ frame, query, page }: PermissionsViewProps) {
  const { links } = frame
  const { revision } = page
  const content = page.kind === 'changes' ? page.changes : page.table
  return (
    <PageLayout
      frame={frame}
      title="Permissions"
      description="What people and roles may do with each group and template, and which line of the configuration says so."
      styles={['permissions.css']}
    >
      <PageHead
        title="Permissions"
        about={<Subject links={links} query={query} page={page} />}
        actions={<LinkButton href={links.users()} label="All users" />}
        below={page.kind === 'table' && <MarksLegend />}
      />
      <Filter links={links} query={query} />
      {content === null && <p class="card">One of these revisions is not a valid configuration.</p>}
      {page.kind === 'changes' && page.changes !== null && (
        <ChangesView links={links} query={query} page={page} changes={page.changes} />
      )}
      {page.kind === 'table' && page.table !== null && (
        <MatrixPages links={links} query={query} revision={revision} table={page.table} />
      )}
    </PageLayout>
  )
}

function Subject({ links, query, page }: Omit<PermissionsViewProps, 'frame'> & { links: Links }) {
  const revisionLink = ({ number, isCurrent }: NumberedRevision) => (
    <>
      <a href={links.snapshot(`r${number}`)}>{`r${number}`}</a>
      {isCurrent && ' (current)'}
    </>
  )
  if (page.kind === 'changes') {
    return (
      <>
        Permissions gained and lost from {revisionLink(page.from)} to {revisionLink(page.revision)}.
      </>
    )
  }
  if (query.group === null) {
    return <>Permissions in {revisionLink(page.revision)}. A mark links to its line.</>
  }
  return (
    <>
      Group <a href={links.entity('group', query.group)}>{query.group}</a> in{' '}
      {revisionLink(page.revision)}.{' '}
      <a href={links.permissions(permissionsQueryOf(query, FROM_THE_START))}>All groups</a>
    </>
  )
}

const FROM_THE_START = { group: null, offset: 0, column: 0 }

function Filter({ links, query }: { links: Links; query: PermissionsQuery }) {
  const { people, groups, group, revision, from } = query
  return (
    <form class="filters" action={links.permissions()} aria-label="Filter">
      <FilterText name="q" value={people} placeholder="User or role" label="User or role" />
      {group === null && from === null && (
        <FilterText name="groups" value={groups} placeholder="Group" label="Group" />
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

interface MatrixProps {
  readonly links: Links
  readonly query: PermissionsQuery
  readonly revision: NumberedRevision
  readonly table: PermissionsTable
}

function MatrixPages(props: MatrixProps) {
  const { links, query, table } = props
  const { width, height, without } = table
  const to = (other: Partial<PermissionsQuery>) =>
    links.permissions(permissionsQueryOf(query, other))
  const what = query.group === null ? 'groups and templates' : 'stages'
  return (
    <>
      <Matrix {...props} />
      {without > 0 && (
        <p class="muted">{`${countOf(without, 'other user')} ${plural(without, 'has', 'have')} no permissions here.`}</p>
      )}
      <Pager
        pagination={{ offset: query.offset, total: height, pageSize: TABLE_ROWS }}
        to={(offset) => to({ offset: offset ?? 0 })}
      />
      <Pager
        name={`Pages of ${what}`}
        pagination={{ offset: query.column, total: width, pageSize: TABLE_COLUMNS }}
        labels={[`Previous ${what}`, `Next ${what}`]}
        to={(column) => to({ column: column ?? 0 })}
      />
      {query.group !== null && (
        <p class="muted">
          Anyone who may operate the group may operate a stage without permissions of its own.
        </p>
      )}
    </>
  )
}

/** A name that breaks behind its signs alone. */
function breakable(name: string) {
  return name.split(/(?<=[_.-])/).map((part) => (
    <>
      {part}
      <wbr />
    </>
  ))
}

function Matrix(props: MatrixProps) {
  const { links, query, revision, table } = props
  const { columns, rows } = table
  const groupAddress = (group: string, people: string) =>
    links.permissions(permissionsQueryOf(query, { ...FROM_THE_START, group, people }))
  const hasStages = query.group !== null
  const heads = columns.map(({ kind, name }) => ({
    label:
      kind === 'template' ? (
        <a href={links.entity(kind, name)}>template {breakable(name)}</a>
      ) : kind === 'group' && !hasStages ? (
        <a href={groupAddress(name, '')}>{breakable(name)}</a>
      ) : (
        breakable(name)
      ),
    text: kind === 'template' ? `template ${name}` : name,
  }))
  return (
    <Table
      label="Permissions"
      class="permissions"
      columns={[{ label: 'Who', isHead: true, isPlain: true }, ...heads]}
      rows={rows.map((row) => ({
        cells: [
          <WhoCell links={links} person={row} roles={row.roles} members={row.members} />,
          ...(row.administers === null
            ? row.cells.map((cell, n) => (
                <RightsCell
                  links={links}
                  revision={revision}
                  cell={cell}
                  stages={hasStages ? null : groupAddress(columns[n]?.name ?? '', searched(row))}
                />
              ))
            : [<EveryRight links={links} revision={revision} right={row.administers} />]),
        ],
      }))}
      empty="Nobody matches."
    />
  )
}

/** The text that finds the row alone, where that is possible. */
function searched({ kind, name }: PermissionRow): string {
  return kind === 'everyone' ? '' : name
}

interface RightsCellProps extends Pick<MatrixProps, 'links' | 'revision'> {
  readonly cell: PermissionCell
  /** The address of the stages of the group, for this person; null where they are shown. */
  readonly stages: string | null
}

function RightsCell({ links, revision, cell, stages }: RightsCellProps) {
  if (cell.rights.length + cell.stages === 0) return <Nothing word="–" />
  return (
    <>
      <Marks links={links} revision={revision} rights={cell.rights} />
      {stages !== null && cell.stages > 0 && (
        <a class="note" href={stages}>
          {countOf(cell.stages, 'stage')}
        </a>
      )}
    </>
  )
}
