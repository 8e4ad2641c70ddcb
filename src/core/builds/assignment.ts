import { z } from 'zod'
import { nameKey } from '../name-key.ts'

/** An agent that asks for work. */
export interface AgentOffer {
  readonly uuid: string
  readonly resources: readonly string[]
  /** The environments that contain the agent. */
  readonly environments: readonly string[]
}

/** The requirements of a job on its agent. */
export interface JobNeed {
  readonly resources: readonly string[]
  /** The one agent that may run it, or null for any. */
  readonly pinnedTo: string | null
}

/** The number of instances of a job: one, one on each matching agent, or a fixed number. */
export const JobSpread = z.discriminatedUnion('type', [
  z.object({ type: z.literal('one') }),
  z.object({ type: z.literal('on-all') }),
  z.object({ type: z.literal('instances'), count: z.int().positive() }),
])
export type JobSpread = Readonly<z.infer<typeof JobSpread>>

export interface SpreadJob {
  readonly name: string
  readonly pinnedTo: string | null
}

/** Whether both have an environment in common, or neither has any. Names compare without case. */
export function sharesEnvironment(pipeline: readonly string[], agent: readonly string[]): boolean {
  if (pipeline.length === 0 && agent.length === 0) return true
  const resources = new Set(agent.map(plain))
  return pipeline.some((name) => resources.has(plain(name)))
}

/** A pinned job requires its agent; any other only resources, in any case and order. */
export function meetsNeed({ resources, pinnedTo }: JobNeed, agent: AgentOffer): boolean {
  if (pinnedTo !== null) return pinnedTo === agent.uuid
  const offered = new Set(agent.resources.map(plain))
  return resources.every((resource) => offered.has(plain(resource)))
}

/** Whether an agent may run a job of a pipeline in these environments. */
export function maySuit(
  job: JobNeed & { readonly environments: readonly string[] },
  agent: AgentOffer,
): boolean {
  return sharesEnvironment(job.environments, agent.environments) && meetsNeed(job, agent)
}

/** Oldest first; jobs scheduled at the same time in the order of their ids. */
export function byAge(
  a: { readonly scheduledDate: number; readonly id: number },
  b: { readonly scheduledDate: number; readonly id: number },
): number {
  return a.scheduledDate - b.scheduledDate || a.id - b.id
}

/** The instances of a configured job; none when it runs on all agents and none matches. */
export function spreadJob(
  job: {
    readonly name: string
    readonly spread: JobSpread
    readonly resources: readonly string[]
    readonly environments: readonly string[]
  },
  agents: readonly AgentOffer[],
): SpreadJob[] {
  const { name, spread } = job
  if (spread.type === 'one') return [{ name, pinnedTo: null }]
  if (spread.type === 'instances') {
    return Array.from({ length: spread.count }, (_, index) => ({
      name: `${name}-runInstance-${index + 1}`,
      pinnedTo: null,
    }))
  }
  return agents
    .filter((agent) => maySuit({ ...job, pinnedTo: null }, agent))
    .map(({ uuid }, index) => ({ name: `${name}-runOnAll-${index + 1}`, pinnedTo: uuid }))
}

function plain(name: string): string {
  return nameKey(name.trim())
}
