import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Builds } from '../engine/builds.ts'
import type { JobInstance } from '../engine/documents.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUnfinished } from '../../core/builds/job.ts'
import type { Principal } from '../../core/principal.ts'
import type { AgentDirectory } from '../../agents/agent-directory.ts'
import { assertToken } from '../../agents/contact.ts'
import { isApproved, type KnownAgent } from '../../agents/known-agent.ts'
import { hashSecret } from '../../agents/secrets.ts'
import { artifactSegments, CONSOLE_PATH } from '../artifacts/artifact-path.ts'
import type { ConsoleTail, LineFinder } from '../artifacts/console-lines.ts'
import { findInside, openRegular } from '../artifacts/folders.ts'
import {
  isSamePlace,
  jobFolder,
  type JobPlace,
  placeOfJob,
  renderPlace,
} from '../artifacts/job-folders.ts'
import {
  type FolderEntry,
  type ListedFile,
  listFiles,
  listFolder,
  zipOf,
} from '../artifacts/listing.ts'
import type { JobDispatcher } from '../dispatch/job-dispatcher.ts'
import { readViewableRun, type RunRightsDeps } from './run-rights.ts'

export interface FilesDeps extends RunRightsDeps {
  readonly directory: AgentDirectory
  /** The folder of the artifacts of all jobs. */
  readonly artifactsDir: string
  readonly lines: LineFinder
  readonly dispatcher: Pick<JobDispatcher, 'fetchesOf'>
}

/** A user, or an agent by its token. */
export type FileCaller = { readonly principal: Principal } | { readonly token: string }

export interface FileCall {
  readonly caller: FileCaller
  readonly job: JobPlace
  /** Below the job's folder; empty for the folder itself. */
  readonly path: string
}

/** An open file, which the caller closes; or the content of a folder. */
export type Found =
  | { readonly type: 'file'; readonly handle: FileHandle; readonly name: string }
  | {
      readonly type: 'folder'
      /** The job of the folder, and the path below it. */
      readonly job: JobPlace
      readonly path: string
      readonly entries: readonly FolderEntry[]
    }

/** A folder with its content as one file, created while it is read. */
export interface Archive {
  readonly type: 'archive'
  readonly name: string
  readonly open: () => Promise<Readable>
}

/**
 * A file or a folder of a job. `.json` after the name of a folder also requests the folder.
 *
 * @throws {ServiceError} `not-permitted`, `token-refused`, `malformed-request`, `file-not-found`.
 */
export async function openFile(deps: FilesDeps, call: FileCall): Promise<Found> {
  await assertMayRead(deps, call)
  const found = await findFile(deps, call.job, artifactSegments(call.path))
  if (found) return found
  throw await fileNotFound(deps, call)
}

/**
 * A file, a folder, or with `.zip` after the name of a folder, an archive of its content.
 *
 * @throws {ServiceError} as {@link openFile}
 */
export async function openDownload(deps: FilesDeps, call: FileCall): Promise<Found | Archive> {
  await assertMayRead(deps, call)
  const segments = artifactSegments(call.path)
  const found =
    (await findFile(deps, call.job, segments)) ?? (await findArchive(deps, call.job, segments))
  if (found) return found
  throw await fileNotFound(deps, call)
}

/** A console from one of its lines on. */
export interface OpenConsole extends ConsoleTail {
  readonly handle: FileHandle
}

/**
 * The console of a job from a line on, counted from 0; only complete lines while the job runs.
 *
 * @throws {ServiceError} as {@link openFile}
 */
export async function openConsole(
  deps: FilesDeps,
  call: Omit<FileCall, 'path'>,
  line: number,
): Promise<OpenConsole> {
  await assertMayRead(deps, { ...call, path: CONSOLE_PATH })
  const job = await findJob(deps.builds, call.job)
  const found = job && (await openBelow(deps, job, CONSOLE_PATH.split('/')))
  if (found?.type !== 'file') throw await fileNotFound(deps, { ...call, path: CONSOLE_PATH })
  const isComplete = job !== null && !isUnfinished(job)
  return { handle: found.handle, ...(await deps.lines.tail(found.handle, { line, isComplete })) }
}

/**
 * Every file at or below a path, for an agent whose job fetches them.
 *
 * @throws {ServiceError} `token-refused`, `not-permitted`, `malformed-request`, `file-not-found`
 * for a job whose files were removed.
 */
export async function listArtifacts(
  deps: FilesDeps,
  call: {
    readonly uuid: string
    readonly token: string
    readonly job: JobPlace
    readonly path: string
  },
): Promise<readonly ListedFile[]> {
  const agent = deps.directory.find(call.uuid)
  assertToken(agent, call)
  await assertMayFetch(deps, agent, call)
  const job = await findJob(deps.builds, call.job)
  const segments = artifactSegments(call.path)
  if (!job) return []
  if (!(await isKept(deps, job))) throw await fileNotFound(deps, call)
  return listFiles(folderOf(deps, job), segments)
}

/** Whether the console and the artifacts of a job still exist where it ran. */
export async function areFilesKept(deps: FilesDeps, place: JobPlace): Promise<boolean> {
  const job = await findJob(deps.builds, place)
  return job === null || isKept(deps, job)
}

async function assertMayRead(deps: FilesDeps, call: FileCall): Promise<void> {
  const { caller, job } = call
  if ('principal' in caller) {
    const { pipelineName: pipeline, pipelineCounter: counter } = job
    await readViewableRun(deps, caller.principal, { pipeline, counter })
    return
  }
  await assertMayFetch(deps, agentOf(deps, caller), call)
}

/**
 * Asserts that a token is still that of an approved agent.
 *
 * @throws {ServiceError} `token-refused`
 */
export function assertAgent(
  deps: Pick<FilesDeps, 'directory'>,
  caller: { readonly token: string },
): void {
  approved(agentOf(deps, caller))
}

function agentOf(
  { directory }: Pick<FilesDeps, 'directory'>,
  { token }: { readonly token: string },
): KnownAgent | null {
  const hash = hashSecret(token)
  return directory.list().find(({ record }) => record?.tokenHash === hash) ?? null
}

function approved(agent: KnownAgent | null): KnownAgent {
  if (agent !== null && isApproved(agent)) return agent
  const uuid = agent?.uuid ?? ''
  throw new ServiceError('token-refused', 'The token is not that of an approved agent', { uuid })
}

/** An agent may only read what the fetch tasks of its job name. */
async function assertMayFetch(
  { dispatcher }: FilesDeps,
  agent: KnownAgent | null,
  { job, path }: Pick<FileCall, 'job' | 'path'>,
): Promise<void> {
  const { uuid } = approved(agent)
  const fetches = await dispatcher.fetchesOf(uuid)
  if (fetches.some((fetch) => isSamePlace(fetch.job, job) && isAtOrBelow(fetch.path, path))) return
  const what = `${renderPlace(job)}/${path}`
  const message = `No fetch task of the job of the agent ${uuid} names ${what}`
  throw new ServiceError('not-permitted', message, { permission: 'fetch' })
}

function isAtOrBelow(folder: string, path: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

async function findFile(
  deps: FilesDeps,
  job: JobPlace,
  segments: readonly string[],
): Promise<Found | null> {
  return (await openIn(deps, job, segments)) ?? openListing(deps, job, segments)
}

/** The folder that was requested with `.json` after its name. */
async function openListing(
  deps: FilesDeps,
  job: JobPlace,
  segments: readonly string[],
): Promise<Found | null> {
  const named = withoutSuffix('.json', job, segments)
  const found = named && (await openIn(deps, named.job, named.segments))
  if (found?.type === 'file') await found.handle.close()
  return found?.type === 'folder' ? found : null
}

/** The folder that was requested with `.zip` after its name. */
async function findArchive(
  deps: FilesDeps,
  place: JobPlace,
  path: readonly string[],
): Promise<Archive | null> {
  const named = withoutSuffix('.zip', place, path)
  const job = named && (await findJob(deps.builds, named.job))
  if (!job) return null
  const { segments } = named
  const root = folderOf(deps, job)
  const listed = await listFiles(root, segments)
  const isFile = listed.length === 1 && listed[0]?.path === segments.join('/')
  if (listed.length === 0 || isFile) return null
  const name = segments.at(-1) ?? job.name
  const files = listed.map((file) => ({
    file,
    name: [name, ...file.path.split('/').slice(segments.length)].join('/'),
  }))
  return { type: 'archive', name: `${name}.zip`, open: () => zipOf(root, files) }
}

function withoutSuffix(
  suffix: string,
  job: JobPlace,
  segments: readonly string[],
): { readonly job: JobPlace; readonly segments: readonly string[] } | null {
  const last = segments.at(-1)
  const full = last ?? job.jobName
  if (!full.endsWith(suffix) || full === suffix) return null
  const name = full.slice(0, -suffix.length)
  return last === undefined
    ? { job: { ...job, jobName: name }, segments }
    : { job, segments: [...segments.slice(0, -1), name] }
}

async function openIn(
  deps: FilesDeps,
  place: JobPlace,
  segments: readonly string[],
): Promise<Found | null> {
  const job = await findJob(deps.builds, place)
  if (!job) return null
  const found = await openBelow(deps, job, segments)
  return found?.type === 'folder' ? { ...found, job: place, path: segments.join('/') } : found
}

type FoundBelow =
  | Extract<Found, { type: 'file' }>
  | Pick<Extract<Found, { type: 'folder' }>, 'type' | 'entries'>

async function openBelow(
  deps: FilesDeps,
  job: JobInstance,
  segments: readonly string[],
): Promise<FoundBelow | null> {
  const folder = folderOf(deps, job)
  const real = await findInside(folder, segments)
  if (real === null && segments.length === 0 && (await isKept(deps, job))) {
    return { type: 'folder', entries: [] }
  }
  if (real === null) return null
  const handle = await openRegular(real)
  if (handle) return { type: 'file', handle, name: segments.at(-1) ?? '' }
  const entries = await listFolder(folder, segments)
  return entries && { type: 'folder', entries }
}

/** The job that ran: a copy in a later run has its files where the original ran. */
async function findJob(builds: Builds, place: JobPlace): Promise<JobInstance | null> {
  const { pipelineName, pipelineCounter, stageName, stageCounter, jobName } = place
  const run = await builds.stage({
    pipeline: pipelineName,
    pipelineCounter,
    stage: stageName,
    stageCounter,
  })
  const job = run && (await builds.jobNamed(run, jobName))
  return job?.originalJobId == null ? job : builds.job(job.originalJobId)
}

function folderOf({ artifactsDir }: FilesDeps, job: JobInstance): string {
  return jobFolder(artifactsDir, placeOfJob(job))
}

/** Whether the files of a job still exist: every job that ran had a console at first. */
async function isKept(deps: FilesDeps, job: JobInstance): Promise<boolean> {
  const hasRun = job.transitions.some(({ state }) => state === 'Building')
  return isUnfinished(job) || !hasRun || (await findInside(folderOf(deps, job), [])) !== null
}

async function fileNotFound(
  deps: FilesDeps,
  { job: place, path }: Pick<FileCall, 'job' | 'path'>,
): Promise<ServiceError> {
  const [named = null] = ['.json', '.zip'].flatMap(
    (suffix) => withoutSuffix(suffix, place, []) ?? [],
  )
  const job =
    (await findJob(deps.builds, place)) ?? (named && (await findJob(deps.builds, named.job)))
  const message =
    job === null || (await isKept(deps, job))
      ? `There is no file ${path || 'of such a job'}`
      : `The console and artifacts of ${renderPlace(placeOfJob(job))} are no longer kept`
  return new ServiceError('file-not-found', message, { path })
}
