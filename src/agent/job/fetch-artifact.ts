import { mkdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { FetchCommand } from '../../wire/agent/task.ts'
import { resolveInside } from '../host/sandbox-path.ts'
import type { JobContext } from './job-context.ts'
import { runAsUser } from './run-as-user.ts'

const WRITE = 'mkdir -p -- "${1%/*}" && cat >"$1"'

/**
 * Fetches an artifact of an earlier job: a file into the destination folder, a folder with its
 * name, and everything of the job, which `.` names, without one.
 *
 * @throws when there is no such run or artifact.
 */
export async function fetchArtifact(
  context: JobContext,
  { from, src, srcKind, dest }: FetchCommand,
  signal: AbortSignal,
): Promise<void> {
  const { assignment, folder, calls, console } = context
  if (from === null) throw new Error(`There is no run of which ${src} could be fetched`)
  const path = src === '.' ? '' : src.replace(/\/+$/, '')
  const listed = await calls.listArtifacts(from, path, signal)
  const files = srcKind === 'file' ? listed.filter((file) => file.path === path) : listed
  if (files.length === 0) throw new Error(`${assignment.pipelineName}: there is no artifact ${src}`)
  const below = dirname(path) === '.' ? '' : `${dirname(path)}/`
  for (const file of files) {
    const name = srcKind === 'file' ? basename(path) : file.path.slice(below.length)
    const target = await resolveInside(folder, join(dest ?? '.', name))
    await place(context, target, (to) => calls.download(from, { ...file, file: to }, signal))
  }
  console.note(`Fetched ${files.length} file${files.length === 1 ? '' : 's'} of ${src}`)
}

/**
 * Writes a file. A job user writes it itself, from a copy of the agent: its processes may replace
 * the target.
 */
async function place(
  context: JobContext,
  target: string,
  write: (file: string) => Promise<void>,
): Promise<void> {
  const { folders, user } = context
  if (user === null) {
    await mkdir(dirname(target), { recursive: true })
    return write(target)
  }
  const file = join(folders.notes, 'fetched')
  await write(file)
  await runAsUser(context, [WRITE, target], { file })
  return rm(file)
}
