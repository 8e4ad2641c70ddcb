import { nameKey } from '../../core/name-key.ts'
import type { Agent, Job } from '../model/model.ts'

const PREFIX = 'profile:'

/** The resources that the agent of a job needs. Elastic agents of a profile are those that have it as a resource. */
export function neededResources({ resources, elasticProfile }: Job): readonly string[] {
  const names = resources.map(({ name }) => name)
  return elasticProfile === null ? names : [...names, profileResource(elasticProfile)]
}

/** Whether a resource says that its agent runs the jobs of an elastic profile. */
export function isProfileResource(resource: string): boolean {
  return /^profile:[-\w.]+$/i.test(resource)
}

/** Whether one of the agents runs the jobs of an elastic profile. */
export function hasAgentOf(profile: string, agents: readonly Agent[]): boolean {
  const wanted = nameKey(profileResource(profile))
  return agents.some(({ resources }) => resources.some(({ name }) => nameKey(name) === wanted))
}

function profileResource(profile: string): string {
  return `${PREFIX}${profile}`
}
