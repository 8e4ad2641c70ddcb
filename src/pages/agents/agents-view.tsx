import type { AgentOutcome } from './act-on-agents.ts'
import { AGENT_ROWS, type AgentsPage, type AgentsQuery } from './agents-page.ts'
import { type PageFrame, PageLayout } from '../frame/layout.tsx'
import type { Links } from '../frame/links.ts'
import { Freshness, Live, LIVE_SCRIPTS } from '../frame/live.tsx'
import { BY_PLACE, Pager } from '../frame/pager.tsx'
import { agentsQueryOf } from './agents-query.ts'
import { AgentsTable } from './agents-table.tsx'
import { Outcomes } from './outcomes.tsx'

export interface AgentsViewProps {
  readonly frame: PageFrame
  readonly page: AgentsPage
  readonly query: AgentsQuery
  /** The result of the last action for each agent. */
  readonly outcomes: readonly AgentOutcome[]
  /** Why an action could not start. */
  readonly refusal: string | null
  readonly now: number
}

/**
 * Agents change without a user's action: the list is reloaded at this interval, in milliseconds.
 */
const EVERY = 5_000

export function AgentsView(props: AgentsViewProps) {
  const { frame, page, query, now } = props
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
                <AgentsTable links={links} page={page} query={query} now={now} />
                {page.mayAdminister && <Actions />}
              </div>
            )}
          </form>
        )}
        <Pages {...props} />
      </Live>
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
          value={query.filter}
          placeholder="status:idle resource:docker"
          aria-label="Filter agents, for example status:idle resource:docker"
        />
        <button>Filter</button>
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

/** States the rule for deletion in advance; the script lists the chosen agents that it excludes. */
function Actions() {
  return (
    <div class="bulk">
      <b class="chosen-count" aria-live="polite">
        With the chosen agents:
      </b>
      <button name="action" value="enable">
        Enable
      </button>
      <button name="action" value="disable">
        Disable
      </button>
      <button name="action" value="delete">
        Delete
      </button>
      <button class="danger" name="action" value="remove">
        Remove safely…
      </button>
      <span class="muted obstacles" aria-live="polite">
        Only an agent that is Disabled and builds nothing can be deleted.
      </span>
    </div>
  )
}

function FirstUse() {
  return (
    <section class="card">
      <h2>There is no agent yet</h2>
      <p>
        An agent runs the jobs of pipelines. Start one on any machine that reaches this server; it
        appears here as Pending and waits for its approval.
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
      <h2>No agent matches</h2>
      <p>
        {`None of the ${total} agents is what the filter asks for. `}
        <a href={links.agents()}>Show all of them</a>
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
