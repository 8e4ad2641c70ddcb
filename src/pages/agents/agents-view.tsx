import type { AgentNames } from '../../document/agents/agent-edits.ts'
import type { InvitationRecord } from '../../identities/issued-record.ts'
import type { AgentOutcome } from './act-on-agents.ts'
import { AGENT_ROWS, type AgentsPage, type AgentsQuery } from './agents-page.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { Freshness, Live, LIVE_SCRIPTS } from '../kit/live.tsx'
import { BY_PLACE, Pager } from '../kit/pager.tsx'
import { agentsQueryOf } from './agents-query.ts'
import { AgentsTable } from './agents-table.tsx'
import { InvitationsTable } from './invitations-view.tsx'
import { NameFields } from './name-fields.tsx'
import { Outcomes } from './outcomes.tsx'

export interface AgentsViewProps {
  readonly frame: PageFrame
  readonly page: AgentsPage
  readonly query: AgentsQuery
  /** The result of the last action for each agent. */
  readonly outcomes: readonly AgentOutcome[]
  /** The agents that stay selected: those of a refused action. */
  readonly selected: ReadonlySet<string>
  /** The names that were typed for a refused action. */
  readonly names: AgentNames
  /** Why an action could not start. */
  readonly refusal: string | null
  /** The invitations that agents may still use, for administrators. */
  readonly invitations: readonly InvitationRecord[]
  readonly now: number
}

/**
 * Agents change without a user's action: the list is reloaded at this interval, in milliseconds.
 */
const EVERY = 5_000

export function AgentsView(props: AgentsViewProps) {
  const { frame, page, query, invitations, now } = props
  const { links } = frame
  const here = links.agents(agentsQueryOf(query))
  return (
    <PageLayout
      frame={frame}
      title="Agents"
      section="agents"
      styles={['runs.css']}
      scripts={LIVE_SCRIPTS}
    >
      <Live every={EVERY} now={now}>
        <Head {...props} here={here} />
        <ActionResult {...props} />
        {page.total === 0 ? (
          <FirstUse />
        ) : (
          <form method="post" action={here} class="agents-form">
            {page.rows.length === 0 ? (
              <NothingFound links={links} total={page.total} />
            ) : (
              <div class="table-card">
                <AgentsTable {...props} links={links} />
                {page.mayAdminister && <Actions {...props} />}
              </div>
            )}
          </form>
        )}
        <Pages {...props} />
      </Live>
      {invitations.length > 0 && (
        <section>
          <h2>Open invitations</h2>
          <InvitationsTable links={links} invitations={invitations} now={now} />
        </section>
      )}
    </PageLayout>
  )
}

function Head({ frame: { links }, page, query, here }: AgentsViewProps & { here: string }) {
  const { total, counts } = page
  return (
    <div class="page-head">
      <div>
        <h1>Agents</h1>
        <p class="muted" data-part="counts">
          {`${total} ${total === 1 ? 'agent' : 'agents'}`}
          {counts.map(({ status, count }, n) => (
            <>
              {n === 0 ? ': ' : ', '}
              <a href={links.agents({ q: `status:"${status.toLowerCase()}"` })}>
                {`${count} ${status}`}
              </a>
            </>
          ))}
          {'. '}
          <Freshness here={here} />
        </p>
      </div>
      <form class="actions" role="search" aria-label="Agents" action={links.agents()}>
        <input
          type="search"
          name="q"
          class="filter-text"
          value={query.filter}
          placeholder="status:idle resource:docker"
          aria-label="Filter agents, for example status:idle resource:docker"
        />
        <button>Filter</button>
        {page.mayAdminister && (
          <a class="button" href={links.invitations()}>
            Invite an agent…
          </a>
        )}
      </form>
    </div>
  )
}

/** The result of an action for each chosen agent. */
function ActionResult({ frame: { links }, outcomes, refusal }: AgentsViewProps) {
  if (refusal !== null) {
    return (
      <div class="card flash refused" role="status">
        <p>{refusal}</p>
      </div>
    )
  }
  return <Outcomes links={links} outcomes={outcomes} />
}

/** States the rule for deletion in advance; the script lists the selected agents that it excludes. */
function Actions({ page, names }: AgentsViewProps) {
  const hasPending = page.counts.some(({ status }) => status === 'Pending')
  return (
    <div class="bulk">
      <b class="chosen-count" aria-live="polite">
        With the selected agents:
      </b>
      <button name="action" value="enable">
        {hasPending ? 'Enable or approve' : 'Enable'}
      </button>
      <button name="action" value="disable">
        Disable
      </button>
      <button name="action" value="remove">
        Remove safely…
      </button>
      <details
        class="bulk-names"
        id="bulk-names"
        open={names.resources.length + names.environments.length > 0}
      >
        <summary>Resources and environments…</summary>
        <NameFields names={names} environments={page.environments} />
        <div class="actions">
          <button name="action" value="add">
            Add
          </button>
          <button name="action" value="take">
            Remove
          </button>
        </div>
      </details>
      <span class="bulk-delete">
        <span class="muted obstacles" aria-live="polite">
          {DELETION_RULE}
        </span>
        <button class="danger" name="action" value="delete">
          Delete
        </button>
      </span>
    </div>
  )
}

const DELETION_RULE = 'Only disabled agents that build nothing can be deleted.'

function FirstUse() {
  return (
    <section class="card">
      <h2>No agents yet</h2>
      <p>
        Agents run the jobs of pipelines. Start one on any machine that can reach this server: it
        appears here as Pending until you approve it.
      </p>
      <pre>
        <code>cairn agent --server URL --work-dir DIR</code>
      </pre>
    </section>
  )
}

function NothingFound({ links, total }: { links: Links; total: number }) {
  return (
    <section class="card" data-part="agents">
      <h2>No agents match</h2>
      <p>
        <a href={links.agents()}>{`Show all ${total}`}</a>
      </p>
    </section>
  )
}

function Pages({ frame: { links }, page, query }: AgentsViewProps) {
  const { offset, matching, rows } = page
  return (
    <Pager
      pagination={{ offset, total: matching, pageSize: AGENT_ROWS }}
      shown={rows.length}
      labels={BY_PLACE}
      to={(start) => links.agents(agentsQueryOf({ ...query, offset: start ?? 0 }))}
    />
  )
}
