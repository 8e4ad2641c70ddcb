import type { Child } from 'hono/jsx'
import type { AgentColumn } from './agent-order.ts'
import type { AgentRow, AgentsPage, AgentsQuery } from './agents-page.ts'
import type { Links } from '../kit/links.ts'
import { Status } from '../kit/status.tsx'
import { Table } from '../kit/table.tsx'
import {
  Addresses,
  FreeSpace,
  LastChange,
  Names,
  Refused,
  RivalClaims,
  Running,
  UnknownMachine,
} from './agent-cells.tsx'
import { agentsQueryOf } from './agents-query.ts'

export interface AgentsTableProps {
  readonly links: Links
  readonly page: AgentsPage
  readonly query: AgentsQuery
  readonly selected: ReadonlySet<string>
  readonly now: number
  /** Actions on the selected agents. */
  readonly children?: Child
}

const SELECT_ALL = {
  label: (
    <>
      <input type="checkbox" class="all with-script" aria-label="Select all agents of this page" />
      <span class="visually-hidden">Select</span>
    </>
  ),
  class: 'pick',
}

const COLUMNS = [
  { label: 'Agent name', name: 'name', class: 'agent-name', isHead: true, isPlain: true },
  { label: 'Status', name: 'status', class: 'agent-status', isPlain: true },
  { label: 'Sandbox', name: 'sandbox' },
  { label: 'OS', name: 'os' },
  { label: 'IP address', name: 'ip' },
  { label: 'Free space', name: 'space' },
  { label: 'Resources', name: 'resources' },
  { label: 'Environments', name: 'environments' },
] as const

/** The agents, each with a checkbox if the caller may act on it. */
export function AgentsTable(props: AgentsTableProps) {
  const { links, page, query, children } = props
  const { rows, mayAdminister } = page
  const sorting = {
    ...query.order,
    to: (column: AgentColumn, isDescending: boolean) =>
      links.agents(agentsQueryOf({ ...query, order: { column, isDescending }, offset: 0 })),
  }
  return (
    <Table
      label="Agents"
      class="agents"
      part="agents"
      columns={mayAdminister ? [SELECT_ALL, ...COLUMNS] : COLUMNS}
      sorting={sorting}
      rows={rows.map((row) => ({
        attributes: {
          'data-obstacle': row.agent.obstacle ?? undefined,
          'data-name': row.agent.name,
        },
        cells: [...(mayAdminister ? [<Pick {...props} row={row} />] : []), ...cellsOf(props, row)],
      }))}
    >
      {children}
    </Table>
  )
}

/** Its name ends with that of the uuid where another agent of the page has the same host. */
function Pick({ page, row: { agent }, selected }: AgentsTableProps & { row: AgentRow }) {
  const { uuid, name } = agent
  const isAlone = page.rows.filter((other) => other.agent.name === name).length === 1
  return (
    <input
      type="checkbox"
      class="row-box"
      name="agent"
      value={uuid}
      checked={selected.has(uuid)}
      aria-label={`Select ${name}${isAlone ? '' : `, ${uuid.slice(-8)}`}`}
    />
  )
}

function cellsOf({ links, page, now }: AgentsTableProps, row: AgentRow): readonly Child[] {
  const { agent, running } = row
  const { uuid, name } = agent
  return [
    <>
      <a class="row-link" href={links.agent(uuid)}>
        {name}
      </a>
      <LastChange links={links} row={row} />
    </>,
    <>
      <Status status={agent.status} />
      {running !== null && <Running links={links} job={running} now={now} />}
      <UnknownMachine agent={agent} />
      <Refused row={row} />
      <RivalClaims row={row} to={page.mayAdminister ? links.agent(uuid) : null} now={now} />
    </>,
    agent.sandbox !== '' && <code>{agent.sandbox}</code>,
    agent.os,
    <Addresses agent={agent} />,
    <FreeSpace agent={agent} />,
    <Names names={agent.resources} none="none" />,
    agent.environments.join(', ') || <span class="muted">none</span>,
  ]
}
