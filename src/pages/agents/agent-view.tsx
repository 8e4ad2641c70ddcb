import { type AgentOutcome, NO_NAMES } from './act-on-agents.ts'
import type { AgentPage } from './agent-page.ts'
import type { AgentRow } from './agents-page.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { Freshness, Live, LIVE_SCRIPTS } from '../kit/live.tsx'
import { Status } from '../kit/status.tsx'
import { When } from '../kit/when.tsx'
import {
  Addresses,
  FreeSpace,
  LastChange,
  Names,
  placeOfClaim,
  Refused,
  RivalClaims,
  Running,
  UnknownMachine,
} from './agent-cells.tsx'
import { NameFields } from './name-fields.tsx'
import { JobRuns, type JobRunOrder } from './job-runs.tsx'

export interface AgentViewProps {
  readonly frame: PageFrame
  readonly page: AgentPage
  readonly order: JobRunOrder
  readonly outcome: AgentOutcome | null
  readonly now: number
}

const EVERY = 5_000

/** One agent: its facts, the actions on it, and the jobs that it ran. */
export function AgentView(props: AgentViewProps) {
  const { frame, page, outcome, now } = props
  const { row, uuid } = page
  const name = row?.agent.name ?? uuid
  return (
    <PageLayout
      frame={frame}
      title={`Agent ${name}`}
      section="agents"
      styles={['runs.css']}
      scripts={LIVE_SCRIPTS}
    >
      <Live every={EVERY} now={now}>
        <div class="page-head">
          <div>
            <p class="muted">
              <a href={frame.links.agents()}>Agents</a>
            </p>
            <h1>{name}</h1>
          </div>
          <Freshness here={frame.here} />
        </div>
        {outcome !== null && (
          <div class={`card flash ${outcome.isDone ? 'done' : 'refused'}`} role="status">
            <p>{`${outcome.name} ${outcome.result}.`}</p>
          </div>
        )}
        {row === null ? <Gone /> : <Facts {...props} row={row} />}
        <JobRuns {...props} now={now} />
      </Live>
    </PageLayout>
  )
}

function Gone() {
  return (
    <section class="card">
      <p>This agent no longer exists. The history of its jobs is kept.</p>
    </section>
  )
}

function Facts({ frame: { links }, page, row, now }: AgentViewProps & { row: AgentRow }) {
  const { agent, running } = row
  return (
    <section class="card" data-part="agent" aria-label="Facts">
      <dl class="facts">
        <dt>Status</dt>
        <dd>
          <Status status={agent.status} />{' '}
          {running !== null && <Running links={links} job={running} now={now} />}
          <UnknownMachine agent={agent} />
          <Refused row={row} />
          <RivalClaims row={row} to={null} now={now} />
        </dd>
        <dt>IP address</dt>
        <dd>
          <Addresses agent={agent} />
        </dd>
        <dt>Sandbox</dt>
        <dd>{agent.sandbox === '' ? 'not reported yet' : <code>{agent.sandbox}</code>}</dd>
        <dt>OS</dt>
        <dd>{agent.os === '' ? 'not reported yet' : agent.os}</dd>
        <dt>Free space</dt>
        <dd>
          <FreeSpace agent={agent} />
        </dd>
        <dt>Resources</dt>
        <dd>
          <Names names={agent.resources} none="none" />
        </dd>
        <dt>Environments</dt>
        <dd>{agent.environments.join(', ') || 'none'}</dd>
        <dt>Last heard</dt>
        <dd>
          {page.lastContact === null ? (
            'Not since the server started'
          ) : (
            <When time={page.lastContact} now={now} />
          )}
        </dd>
        <dt>UUID</dt>
        <dd>
          <code>{agent.uuid}</code>
        </dd>
        {row.lastChange !== null && (
          <>
            <dt>Configuration</dt>
            <dd>
              <LastChange links={links} row={row} />{' '}
              <a href={links.entity('agent', agent.uuid)}>History</a>
            </dd>
          </>
        )}
      </dl>
      {page.mayAdminister && (
        <Actions
          row={row}
          environments={page.environments}
          remove={links.removeAgent(agent.uuid)}
        />
      )}
    </section>
  )
}

/** Offers only the actions that are possible, and gives the reason for the others. */
function Actions({
  row,
  environments,
  remove,
}: {
  row: AgentRow
  environments: readonly string[]
  remove: string
}) {
  const { status, obstacle, isConfigured } = row.agent
  const isDisabled = isConfigured && !(obstacle ?? '').includes('not Disabled')
  const isPending = status === 'Pending'
  return (
    <form method="post">
      <div class="agent-names">
        <NameFields names={NO_NAMES} environments={environments} />
        {!isPending && (
          <div class="actions">
            <button name="action" value="add">
              Add these
            </button>
            <button name="action" value="take">
              Remove these
            </button>
          </div>
        )}
      </div>
      <div class="actions">
        {row.claims.map((claim) => (
          <button name="claim" value={claim.id}>
            {`Approve ${placeOfClaim(claim)}`}
          </button>
        ))}
        {(isDisabled || isPending) && row.claims.length === 0 && (
          <button class={isPending ? 'primary' : ''} name="action" value="enable">
            {isPending ? 'Approve' : 'Enable'}
          </button>
        )}
        {!isDisabled && (
          <button name="action" value="disable">
            Disable
          </button>
        )}
        <a class="button" href={remove}>
          Remove safely…
        </a>
      </div>
      <div class="actions agent-deletion">
        {obstacle === null ? (
          <button class="danger" name="action" value="delete">
            Delete
          </button>
        ) : (
          <span class="muted">{`It cannot be deleted now: it ${obstacle}.`}</span>
        )}
      </div>
    </form>
  )
}
