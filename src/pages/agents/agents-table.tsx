import type { AgentColumn } from './agent-order.ts'
import type { AgentRow, AgentsPage, AgentsQuery } from './agents-page.ts'
import type { Links } from '../kit/links.ts'
import { Status } from '../kit/status.tsx'
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
}

const COLUMNS: readonly (readonly [AgentColumn, string])[] = [
  ['name', 'Agent name'],
  ['status', 'Status'],
  ['sandbox', 'Sandbox'],
  ['os', 'OS'],
  ['ip', 'IP address'],
  ['space', 'Free space'],
  ['resources', 'Resources'],
  ['environments', 'Environments'],
]

/** The agents, each with a checkbox if the caller may act on it. */
export function AgentsTable({ links, page, query, selected, now }: AgentsTableProps) {
  const { rows, mayAdminister } = page
  return (
    <table class="list agents">
      <thead>
        <tr>
          {mayAdminister && (
            <th class="pick">
              <input type="checkbox" class="all" aria-label="Select all agents of this page" />
              <span class="visually-hidden">Select</span>
            </th>
          )}
          {COLUMNS.map(([column, label]) => (
            <ColumnHead links={links} query={query} column={column} label={label} />
          ))}
        </tr>
      </thead>
      <tbody data-part="agents">
        {rows.map((row) => (
          <Row
            links={links}
            row={row}
            now={now}
            mayAdminister={mayAdminister}
            isSelected={selected.has(row.agent.uuid)}
          />
        ))}
      </tbody>
    </table>
  )
}

/**
 * A column head is a link that sorts by the column, and reverses the order when already sorted by
 * it.
 */
function ColumnHead({
  links,
  query,
  column,
  label,
}: Pick<AgentsTableProps, 'links' | 'query'> & { column: AgentColumn; label: string }) {
  const isSorted = query.order.column === column
  const isDescending = isSorted && !query.order.isDescending
  const href = links.agents(agentsQueryOf({ ...query, order: { column, isDescending }, offset: 0 }))
  const order = query.order.isDescending ? 'descending' : 'ascending'
  return (
    <th scope="col" aria-sort={isSorted ? order : undefined}>
      <a class="sort" href={href}>
        {label}
        {isSorted && <span aria-hidden="true">{query.order.isDescending ? ' ↓' : ' ↑'}</span>}
      </a>
    </th>
  )
}

function Row({
  links,
  row,
  now,
  mayAdminister,
  isSelected,
}: {
  links: Links
  row: AgentRow
  now: number
  mayAdminister: boolean
  isSelected: boolean
}) {
  const { agent, running } = row
  const { uuid, name } = agent
  return (
    <tr data-obstacle={agent.obstacle ?? undefined} data-name={name}>
      {mayAdminister && (
        <td class="pick">
          <input
            type="checkbox"
            name="agent"
            value={uuid}
            checked={isSelected}
            aria-label={`Select ${name}`}
          />
        </td>
      )}
      <th scope="row" class="agent-name">
        <a class="row-link" href={links.agent(uuid)}>
          {name}
        </a>
        <LastChange links={links} row={row} />
      </th>
      <td class="agent-status">
        <Status status={agent.status} />
        {running !== null && <Running links={links} job={running} now={now} />}
        <UnknownMachine agent={agent} />
        <Refused row={row} />
        <RivalClaims row={row} to={mayAdminister ? links.agent(uuid) : null} now={now} />
      </td>
      <td data-label="Sandbox">
        <code>{agent.sandbox}</code>
      </td>
      <td data-label="OS">{agent.os}</td>
      <td data-label="IP address">
        <Addresses agent={agent} />
      </td>
      <td data-label="Free space">
        <FreeSpace agent={agent} />
      </td>
      <td data-label="Resources">
        <Names names={agent.resources} none="none" />
      </td>
      <td data-label="Environments">{agent.environments.join(', ') || <None />}</td>
    </tr>
  )
}

function None() {
  return <span class="muted">none</span>
}
