import { z } from 'zod'
import { ServiceError } from '../errors.ts'

/** An administrator's decision about an agent. */
export const ConfigStatus = z.enum(['Pending', 'Enabled', 'Disabled'])
export type ConfigStatus = z.infer<typeof ConfigStatus>

/** The last report of the agent, or the meaning of its silence. */
export const RuntimeStatus = z.enum([
  'Idle',
  'Building',
  'Cancelled',
  'LostContact',
  'Missing',
  'Unknown',
])
export type RuntimeStatus = z.infer<typeof RuntimeStatus>

export const AGENT_STATUSES = [
  'Pending',
  'Idle',
  'Building',
  'Building (Cancelled)',
  'LostContact',
  'Missing',
  'Disabled',
] as const
/** The status on the agents page. */
export type AgentStatus = (typeof AGENT_STATUSES)[number]

export interface AgentCondition {
  readonly configStatus: ConfigStatus
  readonly runtimeStatus: RuntimeStatus
}

/** A cancelled build shows even on a Disabled agent, because its end is awaited. */
export function agentStatus({ configStatus, runtimeStatus }: AgentCondition): AgentStatus {
  if (runtimeStatus === 'Cancelled') return 'Building (Cancelled)'
  if (configStatus !== 'Enabled') return configStatus
  return runtimeStatus === 'Unknown' ? 'Missing' : runtimeStatus
}

/** The reason why an agent cannot be deleted, as text, or null. */
export function deletionObstacle({ configStatus, runtimeStatus }: AgentCondition): string | null {
  const obstacles = [
    ...(configStatus === 'Disabled' ? [] : [`is ${configStatus}, not Disabled`]),
    ...(runtimeStatus === 'Building' ? ['is still building a job'] : []),
    ...(runtimeStatus === 'Cancelled' ? ['is still stopping a cancelled job'] : []),
  ]
  return obstacles.length === 0 ? null : obstacles.join(' and ')
}

/** @throws {ServiceError} `agent-not-deletable`, with the violated condition. */
export function assertDeletable(agent: AgentCondition & { readonly uuid: string }): void {
  const reason = deletionObstacle(agent)
  if (reason === null) return
  const { uuid } = agent
  throw new ServiceError('agent-not-deletable', `The agent ${uuid} ${reason}`, { uuid, reason })
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const
const STEP = 1024

/** `12.3 GB`, or `Unknown` for null. */
export function renderFreeSpace(bytes: number | null): string {
  if (bytes === null) return 'Unknown'
  const fitting = UNITS.findIndex((_, power) => Number((bytes / STEP ** power).toFixed(1)) < STEP)
  const power = fitting < 0 ? UNITS.length - 1 : fitting
  return `${(bytes / STEP ** power).toFixed(1)} ${UNITS[power]}`
}
