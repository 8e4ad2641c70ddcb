import { renderFreeSpace } from '../../core/builds/agent.ts'
import { plainAddress } from '../../core/service/rate-limit.ts'
import { isLowOnSpace, type ShownAgent } from './shown-agent.ts'
import type { CurrentJob } from './running-job.ts'
import type { AgentRow, ShownClaim } from './agents-page.ts'
import type { JobPlace } from '../../builds/artifacts/job-folders.ts'
import { duration } from '../kit/words/duration.ts'
import { When } from '../kit/when.tsx'
import type { Links } from '../kit/links.ts'

/** The status of an agent, with the job that it runs. */
export function Running({ links, job, now }: { links: Links; job: CurrentJob; now: number }) {
  const { place, since } = job
  return (
    <span class="running">
      {place !== null && <RunningName links={links} place={place} />}{' '}
      <span class="muted nowrap" data-since={since}>
        {duration(now - since)}
      </span>
    </span>
  )
}

function RunningName({ links, place }: { links: Links; place: JobPlace }) {
  const { pipelineName, pipelineCounter, stageName, jobName } = place
  const name = `${pipelineName} / ${pipelineCounter} / ${stageName} / ${jobName}`
  return <a href={links.job(jobOf(place))}>{name}</a>
}

export function jobOf({ pipelineName, stageName, jobName, ...counters }: JobPlace) {
  return { pipeline: pipelineName, stage: stageName, job: jobName, ...counters }
}

/** Little free space is shown by a shape and a word, not by colour alone. */
export function FreeSpace({ agent }: { agent: ShownAgent }) {
  const text = renderFreeSpace(agent.freeSpace)
  if (!isLowOnSpace(agent)) return <span class="nowrap">{text}</span>
  return (
    <span class="status failed">
      <span class="shape" aria-hidden="true" />
      <span class="visually-hidden">Low: </span>
      {text}
    </span>
  )
}

export function LastChange({ links, row }: { links: Links; row: AgentRow }) {
  const { lastChange } = row
  if (lastChange === null) return <></>
  return (
    <a class="last-change" href={links.change(lastChange)}>
      {`Last change: r${lastChange.number}`}
    </a>
  )
}

/** The address that an agent reports, with the one that its calls come from where they differ. */
export function Addresses({ agent }: { agent: ShownAgent }) {
  const { ipAddress, remoteAddress } = agent
  return (
    <>
      <code class="nowrap">{ipAddress}</code>
      {remoteAddress !== null && plainAddress(remoteAddress) !== ipAddress && (
        <span class="calls-from muted">
          {' calls from '}
          <code class="nowrap">{plainAddress(remoteAddress)}</code>
        </span>
      )}
    </>
  )
}

/** Why a machine waits for approval though the configuration lists its uuid. */
export function UnknownMachine({ agent }: { agent: ShownAgent }) {
  if (!agent.isUnknownMachine) return <></>
  return (
    <p class="machine-note" role="note">
      This server has never heard from this agent. Another machine might be using its UUID: check
      the address before you approve it.
    </p>
  )
}

/** Shows that another machine calls with the uuid of an agent and is refused. */
export function Refused({ row: { refused, claims } }: { row: AgentRow }) {
  if (refused === null || claims.length > 0) return <></>
  return (
    <p class="machine-note" role="note">
      {`${refused.reason}.`}
    </p>
  )
}

/** Shows the machines that wait for approval with one uuid, and where one of them is approved. */
export function RivalClaims({ row, to, now }: { row: AgentRow; to: string | null; now: number }) {
  const { claims } = row
  if (claims.length === 0) return <></>
  return (
    <div class="machine-note" role="note">
      <p>
        {`${claims.length} machines wait for approval with this UUID. Check their addresses and `}
        {to === null ? 'approve one of them' : <a href={to}>approve one of them</a>}
        {': the others are refused then.'}
      </p>
      <ul>
        {claims.map((claim) => (
          <li>
            {placeOfClaim(claim)}
            {', last heard '}
            <When time={claim.at} now={now} />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** `builder-1 at 192.0.2.7` */
export function placeOfClaim({ hostname, address }: ShownClaim): string {
  return address === null ? hostname : `${hostname} at ${address}`
}

export function Names({ names, none }: { names: readonly string[]; none: string }) {
  if (names.length === 0) return <span class="muted">{none}</span>
  return (
    <>
      {names.map((name) => (
        <>
          <span class="badge">{name}</span>{' '}
        </>
      ))}
    </>
  )
}
