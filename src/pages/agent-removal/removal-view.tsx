import type { Child } from 'hono/jsx'
import type { AgentOutcome } from '../agents/act-on-agents.ts'
import { agentsFor, type Removal, type RemovalStep, STOP_WINDOW_MS } from './removal.ts'
import { ActionButton, LinkButton } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import type { OpenPage } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { Freshness, LivePage } from '../kit/live.tsx'
import { NEWS } from '../kit/notice.tsx'
import { type Crumb, PageHead } from '../kit/page-head.tsx'
import { Status } from '../kit/status.tsx'
import { Table } from '../kit/table.tsx'
import { When } from '../kit/when.tsx'
import { Running } from '../agents/agent-cells.tsx'
import { Outcomes } from '../agents/outcomes.tsx'
import { disabledHere, type RemovalQuery, removalQueryOf } from './removal-query.ts'

export interface RemovalViewProps extends OpenPage {
  readonly query: RemovalQuery
  readonly removals: readonly Removal[]
  /** Agents that were deleted and have registered again. */
  readonly back: RemovalQuery['gone']
  readonly outcomes: readonly AgentOutcome[]
  /** Whether the page is about one agent. */
  readonly isAlone: boolean
}

const POLL_INTERVAL_MS = 1_000
const STOP_WINDOW_SECONDS = STOP_WINDOW_MS / 1_000

/**
 * The safe removal of agents, each of which is idle, disabled, stopped and deleted, in this order.
 * One agent has its steps in full; of several, a button takes those that are ready for it.
 */
export function RemovalView(props: RemovalViewProps) {
  const { frame, query, removals, back, outcomes, isAlone } = props
  const { links } = frame
  const here = isAlone ? frame.here : links.removeAgents(removalQueryOf(query))
  const agents = ['Agents', links.agents()] as const
  const [removal] = removals
  const [gone] = query.gone
  const title = titleOf(props)
  const hasEnded = isAlone && gone !== undefined && back.length > 0
  return (
    <LivePage
      {...props}
      title={title}
      section="agents"
      every={hasEnded ? 0 : POLL_INTERVAL_MS}
      at={isAlone ? undefined : here}
    >
      <PageHead
        title={title}
        trail={isAlone && removal ? [agents, crumbOf(links, removal)] : [agents]}
      >
        <Freshness here={here} />
      </PageHead>
      <Outcomes links={links} outcomes={outcomes} />
      {!isAlone && <Several {...props} here={here} />}
      {isAlone && removal && <Steps {...props} removal={removal} since={sinceOf(query, removal)} />}
      {isAlone && gone && <Gone {...props} isBack={back.length > 0} />}
    </LivePage>
  )
}

function crumbOf(links: Links, { row: { agent } }: Removal): Crumb {
  return [agent.name, links.agent(agent.uuid)]
}

function titleOf({ query, removals, isAlone }: RemovalViewProps): string {
  const [gone] = query.gone
  if (isAlone && gone) return `${gone.name} is removed`
  if (isAlone) return `Remove ${removals[0]?.row.agent.name ?? ''}`
  return `Remove ${countOf(query.leaving.length + query.gone.length, 'agent')}`
}

interface StepsProps extends RemovalViewProps {
  readonly removal: Removal
  /** The time at which this removal disabled the agent; null before that. */
  readonly since: number | null
}

/** The steps of one agent, with those that are done and the one to take now. */
function Steps(props: StepsProps) {
  return (
    <form method="post" class="card removal" data-part="steps">
      <ol class="timeline">
        <Idle {...props} />
        <Disabled {...props} />
        <Stopped {...props} />
        <Deleted {...props} />
      </ol>
      <StepActions {...props} />
    </form>
  )
}

type State = 'past' | 'now' | 'to-come'

const LOOKS: Record<State, string> = { past: 'good', now: 'step', 'to-come': 'off muted' }
const WORDS: Record<State, string> = { past: 'Done: ', now: 'Now: ', 'to-come': 'Then: ' }

interface StepProps extends Partial<Pick<StepsProps, 'since'>> {
  readonly state: State
  readonly children: Child
}

/** A step of a removal that has begun takes the focus while it is the current one. */
function Step({ state, since = null, children }: StepProps) {
  const isNow = state === 'now'
  const focus = isNow && { id: 'now', tabindex: -1, autofocus: since !== null }
  return (
    <li class={LOOKS[state]} aria-current={isNow ? 'step' : undefined} {...focus}>
      <span class="visually-hidden">{WORDS[state]}</span>
      {children}
    </li>
  )
}

function Idle({ frame, removal, since, now }: StepsProps) {
  const { row, isBusy, isDisabled } = removal
  if (!isBusy) {
    return (
      <Step state="past">
        <Status status="Idle" word="No job is running" />
      </Step>
    )
  }
  return (
    <Step state="now" since={since}>
      <p>
        <b>Wait until its job has ended.</b>
      </p>
      <p>
        <Status status="Building" />{' '}
        {row.running !== null && <Running links={frame.links} job={row.running} now={now} />}
      </p>
      <p class="muted">
        {isDisabled
          ? 'It takes no more jobs after this one.'
          : 'It can take another job after this one, until it is disabled.'}
      </p>
    </Step>
  )
}

function Disabled({ removal: { step, isDisabled } }: StepsProps) {
  if (isDisabled) {
    return (
      <Step state="past">
        <Status status="Disabled" /> It takes no new jobs.
      </Step>
    )
  }
  return (
    <Step state={step === 'disable' ? 'now' : 'to-come'}>
      <p>
        <b>Disable it</b>
      </p>
      <p class="muted">
        {`Have a shell open on its machine: stop the service within ${STOP_WINDOW_SECONDS} seconds of disabling it.`}
      </p>
    </Step>
  )
}

function Stopped({ removal, since, now }: StepsProps) {
  const { step, hasStopped, isDisabled, isBusy, row, lastContact } = removal
  if (hasStopped && isDisabled && !isBusy) {
    return (
      <Step state="past">
        <Status status="Passed" word="Stopped" /> It has ended or lost contact.
      </Step>
    )
  }
  if (step !== 'stop') return <Step state="to-come">Stop the agent service</Step>
  return (
    <Step state="now" since={since}>
      <p>
        <b>
          Stop the agent service now
          <Countdown since={since} now={now} />
        </b>
      </p>
      <p>
        on <b>{row.agent.name}</b>, for example <code>sudo systemctl stop cairn-agent</code>
      </p>
      <p class="muted">
        {REGISTERS_AGAIN}
        {lastContact !== null && (
          <>
            {' Last contact: '}
            <When time={lastContact} now={now} />.
          </>
        )}
      </p>
      {since !== null && since + STOP_WINDOW_MS <= now && (
        <p class="muted">
          {`The ${STOP_WINDOW_SECONDS} seconds are over and the agent still runs. It stays disabled and takes no jobs: `}
          restart the countdown, stop its service, then delete its record.
        </p>
      )}
    </Step>
  )
}

function Deleted({ removal: { step }, since }: StepsProps) {
  return (
    <Step state={step === 'delete' ? 'now' : 'to-come'} since={since}>
      {step === 'delete' ? <b>Delete the record</b> : 'Delete the record'}
    </Step>
  )
}

/** The actions that are possible at the current step. */
function StepActions({ frame: { links }, removal, since, now }: StepsProps) {
  const { row, isBusy, isDisabled, hasStopped, step } = removal
  const isLate = since === null || since + STOP_WINDOW_MS <= now
  return (
    <div class="actions">
      {isDisabled && since !== null ? (
        <StepButton step="enable" label="Cancel, enable again" />
      ) : (
        <LinkButton href={links.agent(row.agent.uuid)} label="Cancel" />
      )}
      {!isDisabled && (
        <StepButton
          step="disable"
          label={isBusy ? 'Disable now, before its job ends' : 'Disable it now'}
          look={isBusy ? undefined : 'primary'}
        />
      )}
      {step === 'stop' && isLate && (
        <StepButton
          step="again"
          label={since === null ? 'Start the countdown' : 'Restart the countdown'}
        />
      )}
      {isDisabled && !isBusy && (
        <StepButton
          step="delete"
          label={hasStopped ? 'Delete the record' : 'The service is stopped: delete'}
          look="danger"
        />
      )}
    </div>
  )
}

/** After the deletion: whether the agent registers again. */
function Gone({ frame, isBack }: RemovalViewProps & { isBack: boolean }) {
  return (
    <div class="card removal" data-part="removed">
      <p id="now" {...NEWS}>
        {isBack
          ? 'It has come back: it is still running, registered itself again and is now Pending. Stop its service and remove it again.'
          : 'It has not registered again. This page updates if it does.'}
      </p>
      <p class="actions">
        <LinkButton href={frame.links.agents()} label="Back to agents" />
      </p>
    </div>
  )
}

const REGISTERS_AGAIN = 'A running agent registers itself again as soon as its record is deleted.'

function Several(props: RemovalViewProps & { here: string }) {
  return (
    <form method="post" action={props.here} class="removals">
      <Explanation {...props} />
      <div data-part="removals">
        <Table
          label="Agents"
          columns={COLUMNS}
          rows={[...props.removals.map((each) => leavingRow(props, each)), ...goneRows(props)]}
        >
          <Actions {...props} />
        </Table>
      </div>
    </form>
  )
}

function Explanation({ removals }: RemovalViewProps) {
  const hosts = removals.map(({ row }) => row.agent.name).filter((name) => SAFE_NAME.test(name))
  return (
    <section class="card">
      <p>
        {`Each agent finishes its job, is disabled, is stopped within ${STOP_WINDOW_SECONDS} seconds of that, and is deleted. `}
        {REGISTERS_AGAIN}
      </p>
      {hosts.length > 0 && (
        <details id="stop-all">
          <summary>Stop them all at once from a shell</summary>
          <pre tabindex={0}>
            {`for host in ${hosts.join(' ')}; do\n  ssh "$host" sudo systemctl stop cairn-agent &\ndone; wait`}
          </pre>
        </details>
      )}
    </section>
  )
}

/** Only names of this form are put into a command. */
const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9.-]*$/

const COLUMNS = [
  { label: 'Agent name', class: 'agent-name', isHead: true, isPlain: true },
  { label: 'Status', class: 'agent-status', isPlain: true },
  'Next',
]

function leavingRow({ frame: { links }, query, now }: RemovalViewProps, removal: Removal) {
  const { agent, running } = removal.row
  const since = sinceOf(query, removal)
  return {
    cells: [
      <a href={links.removeAgent(agent.uuid, { since })}>{agent.name}</a>,
      <>
        <Status status={agent.status} />
        {running !== null && <Running links={links} job={running} now={now} />}
      </>,
      <Next removal={removal} since={since} now={now} />,
    ],
  }
}

function goneRows({ frame: { links }, query, back }: RemovalViewProps) {
  const returned = new Set(back.map(({ uuid }) => uuid))
  return query.gone.map(({ uuid, name }) => ({
    cells: returned.has(uuid)
      ? [
          <a href={links.agent(uuid)}>{name}</a>,
          <Status status="Pending" word="Has come back" />,
          'It is still running. Stop its service and remove it again.',
        ]
      : [name, 'Deleted', 'It has not registered again.'],
  }))
}

interface NextProps {
  readonly removal: Removal
  readonly since: number | null
  readonly now: number
}

function Next({ removal: { step }, since, now }: NextProps) {
  switch (step) {
    case 'wait':
      return <>Wait until its job has ended</>
    case 'disable':
      return <>Disable it</>
    case 'delete':
      return <>It has stopped: delete its record</>
    case 'stop':
      return (
        <b>
          Stop its service now
          <Countdown since={since} now={now} />
        </b>
      )
  }
}

/** The steps that at least one agent is ready for, with the number of agents. */
function Actions({ removals, query, now, frame }: RemovalViewProps) {
  const here = new Set(disabledHere(query).map(({ uuid }) => uuid))
  const disabled = removals.filter(({ row }) => here.has(row.agent.uuid))
  const isLate = query.leaving.every(({ since }) => since === null || since + STOP_WINDOW_MS <= now)
  const ways = [
    { step: 'disable', label: 'Disable', of: removals, look: 'primary' },
    { step: 'again', label: 'Restart the countdown for', of: isLate ? removals : [] },
    { step: 'delete', label: 'Delete', of: removals, look: 'danger' },
    { step: 'enable', label: 'Cancel, enable again', of: disabled },
  ] as const
  return (
    <div class="bottom-bar">
      {ways.map(({ of, label, ...button }) => {
        const count = agentsFor(button.step, of).length
        return count > 0 && <StepButton {...button} label={`${label} ${count}`} />
      })}
      <LinkButton href={frame.links.agents()} label="Back to agents" />
    </div>
  )
}

interface StepButtonProps {
  readonly step: RemovalStep
  readonly label: string
  readonly look?: 'primary' | 'danger' | undefined
}

function StepButton({ step, label, look }: StepButtonProps) {
  return <ActionButton name="step" value={step} label={label} look={look} />
}

/** The seconds that are left to stop an agent; the script keeps them up to date. */
function Countdown({ since, now }: { since: number | null; now: number }) {
  const until = since === null ? 0 : since + STOP_WINDOW_MS
  const left = Math.ceil((until - now) / 1_000)
  return (
    <span class="countdown" data-until={until}>
      {left > 0 ? `: ${left} s left` : ''}
    </span>
  )
}

/** The time at which this removal disabled an agent; null if it has not. */
function sinceOf({ leaving }: RemovalQuery, { row }: Removal): number | null {
  return leaving.find(({ uuid }) => uuid === row.agent.uuid)?.since ?? null
}
