import { plural } from '../../lib/plural.ts'
import type { AgentCondition, ConfigStatus, RuntimeStatus } from './agent.ts'
import {
  type AgentOffer,
  type JobNeed,
  maySuit,
  meetsNeed,
  sharesEnvironment,
} from './assignment.ts'

/** The facts about an agent that a waiting job needs. */
export interface Candidate extends AgentOffer {
  readonly condition: AgentCondition
}

/** The requirements of a job of a pipeline. */
export type PlacedNeed = JobNeed & {
  /** The environments that contain the pipeline. */
  readonly environments: readonly string[]
}

/** Why no agent suits a job, and the parts of a configuration by which one would. */
interface Unsuited {
  /** A clause such as `no agent has the resource docker`. */
  readonly reason: string
  /** The resources of the job, where an agent needs only these. */
  readonly resources?: readonly string[]
  /** The environments that keep the pipeline and the agents apart. */
  readonly apart?: readonly string[]
}

/** Why a job waits for an agent. */
export interface Wait extends Unsuited {
  /** Whether no agent matches the job, whatever its status. */
  readonly isUnsuited: boolean
  /**
   * Whether the job waits for an intervention: no agent matches, or no matching one is available.
   */
  readonly isStuck: boolean
}

type Availability = 'idle' | 'busy' | 'absent'

interface Standing {
  readonly availability: Availability
  readonly one: string
  readonly many: string
}

const DISABLED = standing('absent', 'is disabled', 'are disabled')
const PENDING = standing('absent', 'waits for approval', 'wait for approval')
const LOST = standing('absent', 'has lost contact', 'have lost contact')
const MISSING = standing('absent', 'is missing', 'are missing')
const BUSY = standing('busy', 'is busy', 'are busy')
const IDLE = standing('idle', 'is idle', 'are idle')

const REFUSED: Readonly<Record<ConfigStatus, Standing | null>> = {
  Enabled: null,
  Disabled: DISABLED,
  Pending: PENDING,
}
const RUNNING: Readonly<Record<RuntimeStatus, Standing>> = {
  Idle: IDLE,
  Building: BUSY,
  Cancelled: BUSY,
  LostContact: LOST,
  Missing: MISSING,
  Unknown: MISSING,
}

/** Explains why a job waits, by the rule that assigns jobs. */
export function explainWait(need: PlacedNeed, agents: readonly Candidate[]): Wait {
  const suited = agents.filter((agent) => maySuit(need, agent))
  if (suited.length === 0) {
    return { isUnsuited: true, isStuck: true, ...whyNoneSuits(need, agents) }
  }
  const standings = suited.map(({ condition }) => standingOf(condition))
  const isStuck = standings.every(({ availability }) => availability === 'absent')
  return { isUnsuited: false, isStuck, reason: describeStandings(standings) }
}

function whyNoneSuits(need: PlacedNeed, agents: readonly Candidate[]): Unsuited {
  const { environments, resources, pinnedTo } = need
  if (pinnedTo !== null) return { reason: whyNotPinned(need, pinnedTo, agents) }
  if (agents.length === 0) return { reason: 'there is no agent' }
  const near = agents.filter((agent) => sharesEnvironment(environments, agent.environments))
  if (near.length === 0) {
    if (environments.length > 0) {
      const reason = `no agent is in ${named('environment', environments, 'or')}`
      return { reason, apart: environments }
    }
    const reason = 'every agent is in an environment, and the pipeline is in none'
    return { reason, apart: environmentsOf(agents) }
  }
  if (environments.length === 0) return whyNoneOutside(need, near, agents)
  const place = ` in ${named('environment', environments, 'or')}`
  return { reason: whyNoneAmong(resources, near, place), resources }
}

/** For a pipeline in no environment: an agent that is in one may have all that the job needs. */
function whyNoneOutside(
  need: PlacedNeed,
  near: readonly Candidate[],
  agents: readonly Candidate[],
): Unsuited {
  const { resources } = need
  const able = agents.filter((agent) => meetsNeed(need, agent))
  const apart = environmentsOf(able)
  const nowhere = lackingAmong(resources, agents)
  if (able.length === 0) {
    if (nowhere.length > 0) return { reason: whyNoneAmong(nowhere, agents, ''), resources }
    const isInside = lackingAmong(resources, near).length > 0
    const place = isInside ? ' outside the environments' : ''
    return { reason: whyNoneAmong(resources, near, place), resources }
  }
  const has = `${plural(able.length, 'has', 'have')} ${named('resource', resources, 'and')}`
  const is = `${plural(able.length, 'is', 'are')} in ${named('environment', apart, 'and')}`
  const agentsThat = able.length === 1 ? 'the one agent that' : `the ${able.length} agents that`
  return { reason: `${agentsThat} ${has} ${is}, and the pipeline is in none`, apart }
}

function environmentsOf(agents: readonly Candidate[]): readonly string[] {
  return [...new Set(agents.flatMap(({ environments }) => environments))]
}

function whyNoneAmong(
  resources: readonly string[],
  agents: readonly Candidate[],
  place: string,
): string {
  const missing = lackingAmong(resources, agents)
  if (missing.length > 0) return `no agent${place} has ${named('resource', missing, 'or')}`
  return `no agent${place} has all of ${named('resource', resources, 'and')}`
}

/** The resources that none of these agents has. */
function lackingAmong(resources: readonly string[], agents: readonly Candidate[]): string[] {
  return resources.filter(
    (resource) =>
      !agents.some((agent) => meetsNeed({ resources: [resource], pinnedTo: null }, agent)),
  )
}

function whyNotPinned(
  { environments }: PlacedNeed,
  uuid: string,
  agents: readonly Candidate[],
): string {
  const isThere = agents.some((agent) => agent.uuid === uuid)
  const isElsewhere =
    environments.length > 0
      ? 'is not in an environment of the pipeline'
      : 'is in an environment, and the pipeline is in none'
  return `it may run on the agent ${uuid} alone, which ${isThere ? isElsewhere : 'is gone'}`
}

function standingOf({ configStatus, runtimeStatus }: AgentCondition): Standing {
  return REFUSED[configStatus] ?? RUNNING[runtimeStatus]
}

function describeStandings(standings: readonly Standing[]): string {
  const [first, ...others] = [...new Set(standings)].map((each) => ({
    ...each,
    count: standings.filter((other) => other === each).length,
  }))
  if (!first) return ''
  if (others.length > 0) {
    const parts = [first, ...others].map(
      ({ count, one, many }) => `${count} ${plural(count, one, many)}`,
    )
    return `of the ${standings.length} agents that could take it, ${listed(parts, 'and')}`
  }
  if (first.count === 1) return `the one agent that could take it ${first.one}`
  const all = first.count === 2 ? 'both' : `all ${first.count}`
  return `${all} agents that could take it ${first.many}`
}

/** `the resource docker`, `the resources docker and gpu`. */
function named(kind: string, names: readonly string[], word: 'and' | 'or'): string {
  return `the ${plural(names.length, kind)} ${listed(names, word)}`
}

function listed(parts: readonly string[], word: 'and' | 'or'): string {
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} ${word} ${last}`
}

function standing(availability: Availability, one: string, many: string): Standing {
  return { availability, one, many }
}
