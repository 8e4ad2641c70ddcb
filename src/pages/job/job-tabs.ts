import { findJob } from '../../builds/assignment/job-assignment.ts'
import type { JobInstance } from '../../builds/engine/documents.ts'
import { type Found, type FilesDeps, openFile } from '../../builds/runs/files.ts'
import { ServiceError } from '../../core/errors.ts'
import { normalPath } from '../../document/rules/paths.ts'
import type { PipelinesPageDeps } from '../pipelines/pipelines-page.ts'
import type { ArtifactCall } from './artifact-tree.ts'

export type JobTabsDeps = FilesDeps & Pick<PipelinesPageDeps, 'pipelines'>

/** An artifact that the configuration wants to be seen on the page of its job. */
export interface JobTab {
  readonly name: string
  /** The path among the artifacts, as the configuration has it. */
  readonly path: string
}

/** The tab that is open. */
export interface OpenTab extends JobTab {
  /** The file to show; null where the job has not left it. */
  readonly file: string | null
}

/** The page of a folder, as servers of files have it. */
const INDEX = 'index.html'

/** The tabs of a job, by the configuration in force. */
export function tabsOf({ pipelines }: JobTabsDeps, job: JobInstance): readonly JobTab[] {
  const found = findJob(pipelines.find(job.pipelineName)?.pipeline ?? null, job)
  return found?.config.tabs.map(({ name, path }) => ({ name, path })) ?? []
}

/** The file that a tab shows: what its path names, or the index of that folder. */
export async function openTab(
  deps: JobTabsDeps,
  call: ArtifactCall,
  { name, path }: JobTab,
): Promise<OpenTab> {
  const wanted = normalPath(path).replace(/^\//, '')
  const inside = wanted === '.' ? INDEX : `${wanted}/${INDEX}`
  for (const file of [wanted, inside])
    if (await isFile(deps, call, file)) return { name, path, file }
  return { name, path, file: null }
}

async function isFile(deps: FilesDeps, call: ArtifactCall, path: string): Promise<boolean> {
  const found = await openOrNull(deps, call, path)
  if (found?.type === 'file') await found.handle.close()
  return found?.type === 'file'
}

/** Null for what is not there, and for a path that leaves the folder of the job. */
async function openOrNull(
  deps: FilesDeps,
  call: ArtifactCall,
  path: string,
): Promise<Found | null> {
  try {
    return await openFile(deps, { ...call, path })
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : null
    if (code === 'file-not-found' || code === 'malformed-request') return null
    throw error
  }
}
