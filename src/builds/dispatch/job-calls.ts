import type { Builds } from '../engine/builds.ts'
import { isOnAgent, type JobReport } from '../../core/builds/job.ts'
import { ServiceError } from '../../core/errors.ts'
import type { AgentDirectory } from '../../agents/agent-directory.ts'
import { assertToken } from '../../agents/contact.ts'
import { isApproved } from '../../agents/known-agent.ts'
import type { ArtifactQuota } from '../artifacts/artifact-quota.ts'
import { keepUpload, type UploadLimits } from '../artifacts/upload.ts'
import type { RunningJob, RunningJobs } from './running-jobs.ts'

export interface RunningCallsDeps {
  readonly builds: Builds
  readonly directory: AgentDirectory
  readonly running: RunningJobs
}

export interface JobCallsDeps extends RunningCallsDeps {
  readonly uploads: UploadLimits
  readonly quota: ArtifactQuota
}

/** The calling agent and the job of the call. */
export interface JobCall {
  readonly uuid: string
  readonly token: string
  readonly jobId: number
}

/**
 * Records an agent's report about its job.
 *
 * @throws {ServiceError} `token-refused`, `job-not-yours`.
 */
export async function reportJob(
  { builds, directory, running }: JobCallsDeps,
  call: JobCall & { readonly report: JobReport },
): Promise<void> {
  const { uuid, jobId, report } = call
  assertApproved(directory, call)
  const job = await builds.job(jobId)
  if (job?.agentUuid !== uuid || job.state === 'Rescheduled') throw notYours(call)
  await builds.reportJob({ agentUuid: uuid, jobId, report })
  running.recordContact(jobId)
  if (report.state !== 'Completed') return
  running.remove(jobId)
  directory.apply(uuid, 'report-idle')
}

/**
 * Appends to a job's console, and returns the number of the agent's bytes in it.
 *
 * @throws {ServiceError} `token-refused`, `job-not-yours`, `disk-full`.
 */
export async function appendConsole(
  deps: RunningCallsDeps,
  call: JobCall & { readonly offset: number; readonly bytes: Uint8Array },
): Promise<number> {
  const job = await readRunning(deps, call)
  if (call.bytes.length > 0) deps.running.recordContact(call.jobId)
  return job.console.append(call.offset, call.bytes)
}

/**
 * Stores a file among the artifacts of a job.
 *
 * @throws {ServiceError} `token-refused`, `job-not-yours`, `malformed-request`, `body-too-large`,
 * `disk-full`.
 */
export async function uploadArtifact(
  deps: JobCallsDeps,
  call: JobCall & {
    readonly path: string
    readonly body: AsyncIterable<Uint8Array>
    readonly size: number
  },
): Promise<void> {
  const { path, body, size, jobId } = call
  const { folder, place } = await readRunning(deps, call)
  deps.running.recordContact(jobId)
  const decide = () => readRunning(deps, call)
  deps.quota.add(place, await keepUpload({ folder, path, body, size, decide }, deps.uploads))
  deps.running.recordContact(jobId)
}

/** A cancelled job belongs to the agent until it reports that it has stopped it. */
async function readRunning(
  { builds, directory, running }: RunningCallsDeps,
  call: JobCall,
): Promise<RunningJob> {
  assertApproved(directory, call)
  const assigned = running.find(call.jobId)
  const job = assigned?.agentUuid === call.uuid ? await builds.job(call.jobId) : null
  if (assigned && job && (isOnAgent(job) || job.result === 'Cancelled')) return assigned
  throw notYours(call)
}

/** An unapproved machine has no job, even if another machine with its uuid had one. */
function assertApproved(directory: AgentDirectory, call: JobCall): void {
  const agent = directory.find(call.uuid)
  assertToken(agent, call)
  if (agent === null || !isApproved(agent)) throw notYours(call)
}

function notYours({ uuid, jobId }: JobCall): ServiceError {
  const message = `The agent ${uuid} does not have the job ${jobId}`
  return new ServiceError('job-not-yours', message, { id: jobId, uuid })
}
