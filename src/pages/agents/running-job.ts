import type { JobInstance } from '../../builds/engine/documents.ts'
import type { Principal } from '../../core/principal.ts'
import { type JobPlace, placeOfJob } from '../../builds/artifacts/job-folders.ts'
import { type RunRightsDeps, viewableJobs } from '../../builds/runs/run-rights.ts'

/** The job that an agent works on. */
export interface CurrentJob {
  /** Null for a caller who may not view it. */
  readonly place: JobPlace | null
  /** When it was assigned to the agent, in milliseconds since the UNIX epoch. */
  readonly since: number
}

/** The current jobs of these agents, by uuid. */
export async function runningJobs(
  deps: RunRightsDeps,
  principal: Principal,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, CurrentJob>> {
  const { builds } = deps
  const wanted = new Set(uuids)
  const owned = (await builds.agentJobs()).filter(({ agentUuid }) => wanted.has(agentUuid))
  const found = await Promise.all(owned.map(({ jobId }) => builds.job(jobId)))
  const jobs = found.flatMap((job) => job ?? [])
  const viewable = new Set(await viewableJobs(deps, principal, jobs))
  return new Map(
    jobs.flatMap((job): [string, CurrentJob][] => {
      if (job.agentUuid === null) return []
      const place = viewable.has(job) ? placeOfJob(job) : null
      return [[job.agentUuid, { place, since: assignedAt(job) }]]
    }),
  )
}

function assignedAt({ transitions, scheduledDate }: JobInstance): number {
  return transitions.find(({ state }) => state === 'Assigned')?.time ?? scheduledDate
}
