import type { Child } from 'hono/jsx'
import { type Removal, STOP_WINDOW } from './removal.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { Freshness, Live, LIVE_SCRIPTS } from '../kit/live.tsx'
import { Status } from '../kit/status.tsx'
import { When } from '../kit/when.tsx'
import { Running } from '../agents/agent-cells.tsx'

export interface RemoveViewProps {
  readonly frame: PageFrame
  readonly removal: Removal
  /** When it was disabled for its removal; null if not by this removal. */
  readonly since: number | null
  /** Why the last step was refused. */
  readonly refusal: string | null
  readonly now: number
}

const EVERY = 1_000

/** The steps of a safe removal, one after the other: idle, disabled, stopped, deleted. */
export function RemoveView(props: RemoveViewProps) {
  const { frame, removal, refusal, now } = props
  const { links } = frame
  const { uuid, name } = removal.row.agent
  return (
    <PageLayout
      frame={frame}
      title={`Remove ${name}`}
      section="agents"
      styles={['runs.css']}
      scripts={LIVE_SCRIPTS}
    >
      <Live every={EVERY} now={now}>
        <div class="page-head">
          <p class="muted">
            <a href={links.agents()}>Agents</a> › <a href={links.agent(uuid)}>{name}</a>
          </p>
          <Freshness here={frame.here} />
        </div>
        <form method="post" class="card removal">
          <h1>{`Remove ${name}`}</h1>
          {refusal !== null && (
            <p class="flash refused" role="alert">
              {refusal}
            </p>
          )}
          <div data-part="steps">
            <ol class="steps">
              <Idle {...props} />
              <Disabled {...props} />
              <Stopped {...props} />
              <Deleted {...props} />
            </ol>
            <Actions {...props} />
          </div>
        </form>
      </Live>
    </PageLayout>
  )
}

type State = 'past' | 'now' | 'to-come'

function Step({ state, children }: { state: State; children: Child }) {
  const word = { past: 'Done: ', now: 'Now: ', 'to-come': 'Then: ' }[state]
  return (
    <li class={state} aria-current={state === 'now' ? 'step' : undefined}>
      <span class="visually-hidden">{word}</span>
      {children}
    </li>
  )
}

function Idle({ frame, removal, now }: RemoveViewProps) {
  const { row, isBusy, isDisabled } = removal
  if (!isBusy) {
    return (
      <Step state="past">
        <p>
          <Status status="Idle" word="No job is running" />
        </p>
      </Step>
    )
  }
  return (
    <Step state="now">
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
          : 'It may take another job after this one, until it is disabled.'}
      </p>
    </Step>
  )
}

function Disabled({ removal: { step, isDisabled } }: RemoveViewProps) {
  if (isDisabled) {
    return (
      <Step state="past">
        <p>
          <Status status="Disabled" /> It takes no new jobs.
        </p>
      </Step>
    )
  }
  return (
    <Step state={step === 'disable' ? 'now' : 'to-come'}>
      <p>
        <b>Disable it</b>
      </p>
      <p class="muted">
        {`Stop its service within ${STOP_WINDOW / 1000} seconds of that: have a shell on its machine ready.`}
      </p>
    </Step>
  )
}

function Stopped({ removal, since, now }: RemoveViewProps) {
  const { step, hasStopped, isDisabled, isBusy, row, lastContact } = removal
  if (hasStopped && isDisabled && !isBusy) {
    return (
      <Step state="past">
        <p>
          <Status status="Passed" word="Stopped" /> It has ended or lost contact.
        </p>
      </Step>
    )
  }
  if (step !== 'stop') return <Step state="to-come">Stop the agent service</Step>
  const left = since === null ? 0 : since + STOP_WINDOW - now
  return (
    <Step state="now">
      <p>
        <b>
          Stop the agent service now
          <span class="countdown" data-until={since === null ? 0 : since + STOP_WINDOW}>
            {left > 0 ? `: ${Math.ceil(left / 1000)} s left` : ''}
          </span>
        </b>
      </p>
      <p>
        on <b>{row.agent.name}</b>, for example <code>sudo systemctl stop cairn-agent</code>
      </p>
      <p class="muted">
        A running agent registers itself again as soon as its record is deleted.
        {lastContact !== null && ' Last contact: '}
        {lastContact !== null && <When time={lastContact} now={now} />}
        {lastContact !== null && '.'}
      </p>
      {since !== null && left <= 0 && (
        <p class="muted">
          The 5 seconds are over and the agent still runs. It stays disabled and takes no jobs:
          restart the countdown, stop its service, then delete its record.
        </p>
      )}
    </Step>
  )
}

function Deleted({ removal: { step } }: RemoveViewProps) {
  return (
    <Step state={step === 'delete' ? 'now' : 'to-come'}>
      {step === 'delete' ? <b>Delete the record</b> : 'Delete the record'}
    </Step>
  )
}

/** The actions that are possible at the current step. */
function Actions({ frame: { links }, removal, since, now }: RemoveViewProps) {
  const { row, isBusy, isDisabled, hasStopped, step } = removal
  const isLate = since === null || since + STOP_WINDOW <= now
  return (
    <div class="actions ways">
      {isDisabled && since !== null ? (
        <button name="action" value="enable">
          Cancel, enable again
        </button>
      ) : (
        <a class="button" href={links.agent(row.agent.uuid)}>
          Cancel
        </a>
      )}
      {!isDisabled && (
        <button class={isBusy ? '' : 'primary'} name="action" value="disable">
          {isBusy ? 'Disable now, before its job ends' : 'Disable it now'}
        </button>
      )}
      {step === 'stop' && isLate && (
        <button name="action" value="disable">
          {since === null ? 'Start the countdown' : 'Restart the countdown'}
        </button>
      )}
      {isDisabled && !isBusy && (
        <button class="danger" name="action" value="delete">
          {hasStopped ? 'Delete the record' : 'The service is stopped: delete'}
        </button>
      )}
    </div>
  )
}

/** The page after the deletion: shows whether the agent registers again. */
export function RemovedView({
  frame,
  name,
  isBack,
  now,
}: {
  frame: PageFrame
  name: string
  isBack: boolean
  now: number
}) {
  return (
    <PageLayout
      frame={frame}
      title={`${name} is removed`}
      section="agents"
      styles={['runs.css']}
      scripts={LIVE_SCRIPTS}
    >
      <Live every={isBack ? 0 : EVERY} now={now}>
        <div class="card removal" data-part="removed">
          <h1>{isBack ? `${name} has come back` : `${name} is removed`}</h1>
          <p>
            {isBack
              ? 'It is still running, so it registered itself again and is now Pending. Stop its service and remove it again.'
              : 'It has not registered again. This page tells you if it does.'}
          </p>
          <p class="actions ways">
            <a class="button" href={frame.links.agents()}>
              Back to agents
            </a>
          </p>
        </div>
      </Live>
    </PageLayout>
  )
}
