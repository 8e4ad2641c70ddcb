import type { AgentNames } from '../../document/agents/agent-edits.ts'
import type { InvitationRecord } from '../../identities/issued-record.ts'
import type { AgentOutcome } from './act-on-agents.ts'
import { AGENT_ROWS, type AgentsPage, type AgentsQuery } from './agents-page.ts'
import type { OpenPage } from '../kit/layout.tsx'
import { Freshness, LivePage } from '../kit/live.tsx'
import { ActionButton, EnterButton, LinkButton } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { FilterForm } from '../kit/forms.tsx'
import { EmptyCard, FlashCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { Pager } from '../kit/pager.tsx'
import { statusWord } from '../kit/status.tsx'
import { agentsQueryOf } from './agents-query.ts'
import { AgentsTable } from './agents-table.tsx'
import { InvitationsTable } from './invitations-view.tsx'
import { NameFields } from './name-fields.tsx'
import { Outcomes } from './outcomes.tsx'

export interface AgentsViewProps extends OpenPage {
  /** The address for agents. */
  readonly server: string
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
}

/**
 * Agents change without a user's action: the list is reloaded at this interval, in milliseconds.
 */
const RELOAD_INTERVAL_MS = 5_000

export function AgentsView(props: AgentsViewProps) {
  const { frame, page, query, server } = props
  const { links } = frame
  const here = links.agents(agentsQueryOf(query))
  return (
    <LivePage
      {...props}
      title="Agents"
      section="agents"
      every={RELOAD_INTERVAL_MS}
      end={<OpenInvitations {...props} />}
    >
      <Head {...props} here={here} />
      <ActionResult {...props} />
      {page.total === 0 ? (
        <FirstUse server={server} />
      ) : (
        <form method="post" action={here}>
          {page.rows.length === 0 ? (
            <EmptyCard title="No agents match" part="agents">
              <a href={links.agents()}>{`Show all ${page.total}`}</a>
            </EmptyCard>
          ) : (
            <AgentsTable {...props} links={links}>
              {page.mayAdminister && <Actions {...props} />}
            </AgentsTable>
          )}
        </form>
      )}
      <Pager
        pagination={{ offset: page.offset, total: page.matching, pageSize: AGENT_ROWS }}
        to={(offset) => links.agents(agentsQueryOf({ ...query, offset: offset ?? 0 }))}
      />
    </LivePage>
  )
}

function OpenInvitations({ frame: { links }, invitations, now }: AgentsViewProps) {
  if (invitations.length === 0) return <></>
  return (
    <section class="below">
      <h2>Open invitations</h2>
      <InvitationsTable links={links} invitations={invitations} now={now} />
    </section>
  )
}

function Head({ frame: { links }, page, query, here }: AgentsViewProps & { here: string }) {
  const about = (
    <span data-part="counts">
      {countOf(page.total, 'agent')}
      {page.counts.map(({ status, count }, n) => (
        <>
          {n === 0 ? ': ' : ', '}
          <span class="nowrap">
            <a href={links.agents({ q: `status:"${status.toLowerCase()}"` })}>
              {`${count} ${statusWord(status).toLowerCase()}`}
            </a>
          </span>
        </>
      ))}
      {'. '}
      <Freshness here={here} />
    </span>
  )
  return (
    <PageHead title="Agents" about={about}>
      <FilterForm
        action={links.agents()}
        label="Agents"
        value={query.filter}
        placeholder="status:idle resource:docker"
        hint="Filter agents, for example status:idle resource:docker"
        isEmpty={page.total === 0}
      >
        {page.mayAdminister && (
          <LinkButton href={links.invitations()} label="Invite an agent…" icon="plus" />
        )}
      </FilterForm>
    </PageHead>
  )
}

/** The result of an action for each chosen agent. */
function ActionResult({ frame: { links }, outcomes, refusal }: AgentsViewProps) {
  if (refusal !== null) return <FlashCard flash={{ isDone: false, text: refusal }} />
  return <Outcomes links={links} outcomes={outcomes} />
}

/** States the rule for deletion in advance; the script lists the selected agents that it excludes. */
function Actions({ page, names }: AgentsViewProps) {
  const hasPending = page.counts.some(({ status }) => status === 'Pending')
  return (
    <div class="bottom-bar selection">
      <EnterButton value="add" />
      <b class="chosen-count" aria-live="polite">
        With the selected agents:
      </b>
      <ActionButton
        value="enable"
        label={hasPending ? 'Enable or approve' : 'Enable'}
        shortcut="o"
      />
      <ActionButton value="disable" label="Disable" shortcut="d" />
      <ActionButton value="remove" label="Remove safely…" />
      <details
        class="bulk-names"
        id="bulk-names"
        open={names.resources.length + names.environments.length > 0}
      >
        <summary>Resources and environments…</summary>
        <NameFields names={names} environments={page.environments} />
        <div class="actions">
          <ActionButton value="add" label="Add" />
          <ActionButton value="take" label="Remove" />
        </div>
      </details>
      <span class="row bulk-delete">
        <span class="muted obstacles" aria-live="polite">
          {DELETION_RULE}
        </span>
        <ActionButton value="delete" label="Delete" look="danger" />
      </span>
    </div>
  )
}

const DELETION_RULE = 'Only idle, disabled agents can be deleted.'

function FirstUse({ server }: Pick<AgentsViewProps, 'server'>) {
  return (
    <section class="card">
      <h2>No agents yet</h2>
      <p>
        Agents run the jobs of pipelines. Start one on any machine that can reach this server: it
        appears here as Pending until you approve it.
      </p>
      <pre>
        <code>{`cairn agent --server ${server} --work-dir cairn-agent`}</code>
      </pre>
    </section>
  )
}
