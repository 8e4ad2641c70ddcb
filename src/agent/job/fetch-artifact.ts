import { mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { FetchCommand } from '../../wire/agent-task.ts'
import { resolveInside } from '../host/sandbox-path.ts'
import type { JobContext } from './job-context.ts'

/**
 * Gets an artifact of an earlier job: a file into the destination folder, a folder with its name.
 *
 * @throws when there is no such run, or nothing of that name.
 */
export async function fetchArtifact(
  {
    assignment,
    folder,
    calls,
    console,
  }: Pick<JobContext, 'assignment' | 'folder' | 'calls' | 'console'>,
  { from, src, srcKind, dest }: FetchCommand,
  signal: AbortSignal,
): Promise<void> {
  if (from === null) throw new Error(`There is no run of which ${src} could be fetched`)
  const path = src.replace(/\/+$/, '')
  const listed = await calls.listArtifacts(from, path, signal)
  const files = srcKind === 'file' ? listed.filter((file) => file.path === path) : listed
  if (files.length === 0) throw new Error(`${assignment.pipelineName}: there is no artifact ${src}`)
  const below = dirname(path) === '.' ? '' : `${dirname(path)}/`
  for (const file of files) {
    const name = srcKind === 'file' ? basename(path) : file.path.slice(below.length)
    const target = await resolveInside(folder, join(dest ?? '.', name))
    await mkdir(dirname(target), { recursive: true })
    await calls.download(from, { ...file, file: target }, signal)
  }
  console.note(`Fetched ${files.length} file${files.length === 1 ? '' : 's'} of ${path}`)
}
