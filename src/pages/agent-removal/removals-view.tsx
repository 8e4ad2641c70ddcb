import type { AgentOutcome } from '../agents/act-on-agents.ts'
import { type Removal, STOP_WINDOW } from './removal.ts'
import { agentsFor, type RemovalStep } from './remove-together.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { Freshness, Live, LIVE_SCRIPTS } from '../kit/live.tsx'
import { Status } from '../kit/status.tsx'
import { Running } from '../agents/agent-cells.tsx'
import { Outcomes } from '../agents/outcomes.tsx'
import { disabledHere, type RemovalsQuery, removalsQueryOf } from './removals-query.ts'

export interface RemovalsViewProps {
  readonly frame: PageFrame
  readonly query: RemovalsQuery
  readonly removals: readonly Removal[]
  /** Agents that were deleted and have registered again. */
  readonly back: RemovalsQuery['gone']
  readonly outcomes: readonly AgentOutcome[]
  readonly now: number
}

const EVERY = 1_000

/**
 * Several agents in removal, each at its own step; a button takes every agent that is ready for it.
 */
export function RemovalsView(props: RemovalsViewProps) {
  const { frame, query, outcomes, now } = props
  const { links } = frame
  const here = links.removeAgents(removalsQueryOf(query))
  const count = query.leaving.length + query.gone.length
  const title = `Remove ${count} ${count === 1 ? 'agent' : 'agents'}`
  return (
    <PageLayout
      frame={frame}
      title={title}
      section="agents"
      styles={['runs.css']}
      scripts={LIVE_SCRIPTS}
    >
      <Live every={EVERY} now={now} at={here}>
        <div class="page-head">
          <div>
            <p class="muted">
              <a href={links.agents()}>Agents</a>
            </p>
            <h1>{title}</h1>
          </div>
          <Freshness here={here} />
        </div>
        <Outcomes links={links} outcomes={outcomes} />
        <form method="post" action={here} class="removals">
          <Explanation {...props} />
          <div class="table-card" data-part="removals">
            <Table {...props} />
            <Actions {...props} />
          </div>
        </form>
      </Live>
    </PageLayout>
  )
}

function Explanation({ removals }: RemovalsViewProps) {
  const hosts = removals.map(({ row }) => row.agent.name).filter((name) => SAFE_NAME.test(name))
  return (
    <section class="card">
      <p>
        {`Each agent finishes its job, is disabled, is stopped within ${STOP_WINDOW / 1_000} seconds of that, and is deleted. `}
        A running agent registers itself again as soon as its record is deleted.
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

function Table({ frame, query, removals, back, now }: RemovalsViewProps) {
  const since = new Map(query.leaving.map((each) => [each.uuid, each.since]))
  const returned = new Set(back.map(({ uuid }) => uuid))
  return (
    <table class="list agents">
      <thead>
        <tr>
          <th scope="col">Agent name</th>
          <th scope="col">Status</th>
          <th scope="col">Next</th>
        </tr>
      </thead>
      <tbody>
        {removals.map((removal) => (
          <Leaving
            frame={frame}
            removal={removal}
            since={since.get(removal.row.agent.uuid) ?? null}
            now={now}
          />
        ))}
        {query.gone.map(({ uuid, name }) => (
          <tr>
            <th scope="row" class="agent-name">
              {returned.has(uuid) ? <a href={frame.links.agent(uuid)}>{name}</a> : name}
            </th>
            <td>
              {returned.has(uuid) ? <Status status="Pending" word="Has come back" /> : 'Deleted'}
            </td>
            <td>
              {returned.has(uuid)
                ? 'It is still running. Stop its service and remove it again.'
                : 'It has not registered again.'}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface LeavingProps {
  readonly frame: PageFrame
  readonly removal: Removal
  readonly since: number | null
  readonly now: number
}

function Leaving({ frame: { links }, removal, since, now }: LeavingProps) {
  const { row } = removal
  const { uuid, name, status } = row.agent
  return (
    <tr>
      <th scope="row" class="agent-name">
        <a href={links.removeAgent(uuid, { since })}>{name}</a>
      </th>
      <td class="agent-status">
        <Status status={status} />
        {row.running !== null && <Running links={links} job={row.running} now={now} />}
      </td>
      <td>
        <Next removal={removal} since={since} now={now} />
      </td>
    </tr>
  )
}

function Next({ removal: { step }, since, now }: Omit<LeavingProps, 'frame'>) {
  switch (step) {
    case 'wait':
      return <>Wait until its job has ended</>
    case 'disable':
      return <>Disable it</>
    case 'delete':
      return <>It has stopped: delete its record</>
    case 'stop': {
      const until = since === null ? 0 : since + STOP_WINDOW
      const left = Math.ceil((until - now) / 1_000)
      return (
        <b>
          Stop its service now
          <span class="countdown" data-until={until}>
            {left > 0 ? `: ${left} s left` : ''}
          </span>
        </b>
      )
    }
  }
}

/** The steps that at least one agent is ready for, with the number of agents. */
function Actions(props: RemovalsViewProps) {
  const { removals, query, now, frame } = props
  const here = new Set(disabledHere(query).map(({ uuid }) => uuid))
  const disabled = removals.filter(({ row }) => here.has(row.agent.uuid))
  const count = (step: RemovalStep) => agentsFor(step, removals).length
  const isLate = query.leaving.every(({ since }) => since === null || since + STOP_WINDOW <= now)
  return (
    <div class="bulk">
      <Way step="disable" count={count('disable')} label="Disable" isPrimary />
      {isLate && <Way step="again" count={count('again')} label="Restart the countdown for" />}
      <Way step="delete" count={count('delete')} label="Delete" isDangerous />
      <Way
        step="enable"
        count={agentsFor('enable', disabled).length}
        label="Cancel, enable again"
      />
      <a class="button" href={frame.links.agents()}>
        Back to agents
      </a>
    </div>
  )
}

interface WayProps {
  readonly step: RemovalStep
  readonly count: number
  readonly label: string
  readonly isPrimary?: boolean
  readonly isDangerous?: boolean
}

function Way({ step, count, label, isPrimary = false, isDangerous = false }: WayProps) {
  if (count === 0) return <></>
  const look = isPrimary ? 'primary' : isDangerous ? 'danger' : ''
  return (
    <button class={look} name="step" value={step}>
      {`${label} ${count}`}
    </button>
  )
}
