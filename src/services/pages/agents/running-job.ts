import type { Builds } from '../../../builds/builds.ts'
import type { JobInstance } from '../../../builds/documents.ts'
import type { Principal } from '../../../core/principal.ts'
import type { JobPlace } from '../../builds/artifacts/job-folders.ts'
import { placeOfJob } from '../../builds/artifacts/job-folders.ts'
import type { Access } from '../../permission.ts'

/** What an agent works on. */
export interface RunningJob {
  readonly place: JobPlace
  /** When the agent got it, in milliseconds since the UNIX epoch. */
  readonly since: number
  readonly mayView: boolean
}

export interface RunningJobsDeps {
  readonly builds: Builds
  readonly access: Access
}

/** The jobs that these agents work on, by uuid. */
export async function runningJobs(
  { builds, access }: RunningJobsDeps,
  principal: Principal,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, RunningJob>> {
  const wanted = new Set(uuids)
  const owned = (await builds.agentJobs()).filter(({ agentUuid }) => wanted.has(agentUuid))
  const jobs = await Promise.all(owned.map(({ jobId }) => builds.job(jobId)))
  return new Map(
    jobs.flatMap((job): [string, RunningJob][] => {
      if (job?.agentUuid == null) return []
      const { pipelineName: pipeline } = job
      const mayView = access.may(principal, { action: 'view-pipeline', pipeline })
      return [[job.agentUuid, { place: placeOfJob(job), since: assignedAt(job), mayView }]]
    }),
  )
}

function assignedAt({ transitions, scheduledDate }: JobInstance): number {
  return transitions.find(({ state }) => state === 'Assigned')?.time ?? scheduledDate
}
