import { type AgentOutcome, NO_NAMES } from './act-on-agents.ts'
import type { AgentPage } from './agent-page.ts'
import type { AgentRow } from './agents-page.ts'
import type { OpenPage } from '../kit/layout.tsx'
import { Freshness, LivePage } from '../kit/live.tsx'
import { ActionButton, LinkButton } from '../kit/buttons.tsx'
import { type Fact, Facts } from '../kit/facts.tsx'
import { FlashCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
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

export interface AgentViewProps extends OpenPage {
  readonly page: AgentPage
  readonly order: JobRunOrder
  readonly outcome: AgentOutcome | null
}

const RELOAD_INTERVAL_MS = 5_000

/** One agent: its facts, the actions on it, and the jobs that it ran. */
export function AgentView(props: AgentViewProps) {
  const { frame, page, outcome, now } = props
  const { row, uuid } = page
  const name = row?.agent.name ?? uuid
  return (
    <LivePage {...props} title={`Agent ${name}`} section="agents" every={RELOAD_INTERVAL_MS}>
      <PageHead title={name} trail={[['Agents', frame.links.agents()]]}>
        <Freshness here={frame.here} />
      </PageHead>
      {outcome !== null && (
        <FlashCard flash={{ isDone: outcome.isDone, text: `${outcome.name} ${outcome.result}.` }} />
      )}
      {row === null ? <Gone /> : <AboutAgent {...props} row={row} />}
      <JobRuns {...props} now={now} />
    </LivePage>
  )
}

function Gone() {
  return <p class="card">This agent no longer exists. The history of its jobs is kept.</p>
}

type OfAgent = AgentViewProps & { readonly row: AgentRow }

function AboutAgent(props: OfAgent) {
  const { page, row, now } = props
  const { agent, lastChange } = row
  const facts: readonly Fact[] = [
    ['Status', <StatusOf {...props} />],
    ['IP address', <Addresses agent={agent} />],
    ['Sandbox', agent.sandbox === '' ? NOT_REPORTED : <code>{agent.sandbox}</code>],
    ['OS', agent.os || NOT_REPORTED],
    ['Free space', <FreeSpace agent={agent} />],
    ['Resources', <Names names={agent.resources} none="none" />],
    ['Environments', agent.environments.join(', ') || 'none'],
    ['Last heard', <LastHeard time={page.lastContact} now={now} />],
    ['UUID', <code>{agent.uuid}</code>],
    lastChange && ['Configuration', <ConfigurationOf {...props} />],
  ]
  return (
    <section class="card" data-part="agent" aria-label="Facts">
      <Facts facts={facts} />
      {page.mayAdminister && <Actions {...props} />}
    </section>
  )
}

const NOT_REPORTED = 'not reported yet'

function StatusOf({ frame: { links }, row, now }: OfAgent) {
  const { agent, running } = row
  return (
    <>
      <Status status={agent.status} />{' '}
      {running !== null && <Running links={links} job={running} now={now} />}
      <UnknownMachine agent={agent} />
      <Refused row={row} />
      <RivalClaims row={row} to={null} now={now} />
    </>
  )
}

function LastHeard({ time, now }: { time: number | null; now: number }) {
  return time === null ? <>Not since the server started</> : <When time={time} now={now} />
}

function ConfigurationOf({ frame: { links }, row }: OfAgent) {
  return (
    <>
      <LastChange links={links} row={row} />{' '}
      <a href={links.entity('agent', row.agent.uuid)}>History</a>
    </>
  )
}

/** Offers only the actions that are possible, and gives the reason for the others. */
function Actions({ frame: { links }, page, row }: OfAgent) {
  const { uuid, status, obstacle, isConfigured } = row.agent
  const isDisabled = isConfigured && !(obstacle ?? '').includes('not Disabled')
  const isPending = status === 'Pending'
  return (
    <form method="post">
      <div class="below">
        <NameFields names={NO_NAMES} environments={page.environments} />
        {!isPending && (
          <div class="actions">
            <ActionButton value="add" label="Add these" />
            <ActionButton value="take" label="Remove these" />
          </div>
        )}
      </div>
      <div class="actions below">
        {row.claims.map((claim) => (
          <ActionButton name="claim" value={claim.id} label={`Approve ${placeOfClaim(claim)}`} />
        ))}
        {isPending && row.claims.length === 0 && (
          <ActionButton value="enable" label="Approve" look="primary" />
        )}
        {isDisabled && !isPending && row.claims.length === 0 && (
          <ActionButton value="enable" label="Enable" />
        )}
        {!isDisabled && <ActionButton value="disable" label="Disable" />}
        <LinkButton href={links.removeAgent(uuid)} label="Remove safely…" />
      </div>
      <div class="actions agent-deletion">
        {obstacle === null ? (
          <ActionButton value="delete" label="Delete" look="danger" />
        ) : (
          <span class="muted">
            {isDisabled
              ? 'Wait for its job before deleting it.'
              : 'Disable it and wait for its job before deleting it.'}
          </span>
        )}
      </div>
    </form>
  )
}
