import { renderFreeSpace } from '../../core/builds/agent.ts'
import { plainAddress } from '../../agents/known-agent.ts'
import { isLowOnSpace, type ShownAgent } from './shown-agent.ts'
import type { CurrentJob } from './running-job.ts'
import type { AgentRow } from './agents-page.ts'
import type { JobPlace } from '../../builds/artifacts/job-folders.ts'
import { duration } from '../parts/duration.ts'
import type { Links } from '../frame/links.ts'

/** The status of an agent, with the job that it runs. */
export function Running({ links, job, now }: { links: Links; job: CurrentJob; now: number }) {
  const { place, since } = job
  return (
    <span class="running">
      {place !== null && <RunningName links={links} place={place} />}{' '}
      <span class="muted" data-since={since}>
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

export function jobOf({
  pipelineName,
  pipelineCounter,
  stageName,
  stageCounter,
  jobName,
}: JobPlace) {
  return { pipeline: pipelineName, pipelineCounter, stage: stageName, stageCounter, job: jobName }
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
      <code>{ipAddress}</code>
      {remoteAddress !== null && plainAddress(remoteAddress) !== ipAddress && (
        <span class="calls-from muted">
          {' calls from '}
          <code>{plainAddress(remoteAddress)}</code>
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
      This server has never heard from this agent. Another machine may be using its UUID: check the
      address before you approve it.
    </p>
  )
}

/** Shows that another machine calls with the uuid of an agent and is refused. */
export function Refused({ row: { refused } }: { row: AgentRow }) {
  if (refused === null) return <></>
  return (
    <p class="machine-note" role="note">
      {`${refused.reason}.`}
    </p>
  )
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
