import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { plural } from '../../lib/plural.ts'
import type { AssignedArtifact } from '../../wire/agent/work.ts'
import { resolveInside } from '../host/sandbox-path.ts'
import type { JobUser } from '../process/job-user.ts'
import { ServerRefusal } from '../server/server-errors.ts'
import { type FoundArtifact, findArtifacts } from './find-artifacts.ts'
import type { JobContext } from './job-context.ts'
import { reasonForConsole } from '../host/console-reason.ts'

const AT_ONCE = 4

/** The answers that refuse a file for its name or its size. */
const OF_ONE_FILE: readonly number[] = [400, 413]

const MAX_SHOWN_LENGTH = 300

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'It is no longer there'],
  ['EACCES', 'The agent may not read it'],
  ['EPERM', 'The agent may not read it'],
  ['ENAMETOOLONG', 'Its path is too long'],
])

/**
 * Sends the job's artifacts to the server. Each is sent even if another one fails: a file that
 * cannot be read, or has a name that the server refuses, is reported in the console.
 *
 * @throws when one was not sent, or a build artifact selects nothing.
 */
export async function uploadArtifacts(context: JobContext): Promise<void> {
  const { assignment, console } = context
  if (assignment.artifacts.length === 0) return
  console.note('Start to upload artifacts')
  const missing: string[] = []
  const lost: string[] = []
  for (const artifact of assignment.artifacts) {
    const found = await ofOneArtifact(context, artifact.src, () => find(context, artifact))
    if (found?.length === 0 && artifact.kind === 'artifact') missing.push(artifact.src)
    lost.push(...(found === null ? [artifact.src] : await uploadAll(context, artifact, found)))
  }
  const faults = [
    missing.length > 0 ? `There is no artifact ${missing.join(', ')}` : [],
    lost.length > 0
      ? `${lost.length} ${plural(lost.length, 'artifact is', 'artifacts are')} lost, such as ${shown(lost[0] ?? '')}`
      : [],
  ].flat()
  if (faults.length > 0) throw new Error(faults.join('; '))
}

async function find(
  { folder, console }: JobContext,
  artifact: AssignedArtifact,
): Promise<readonly FoundArtifact[]> {
  const found = await findArtifacts(folder, artifact)
  if (found.length === 0) console.note(`Nothing in ${folder} matches ${artifact.src}`)
  return found
}

/** Sends the files of an artifact, and returns the files that failed. */
async function uploadAll(
  context: JobContext,
  { kind, src, dest }: AssignedArtifact,
  found: readonly FoundArtifact[],
): Promise<readonly string[]> {
  const { console, calls, signal, user, folder } = context
  if (found.length > 0) console.note(`Uploading ${found.length} of ${src} to ${dest ?? '.'}`)
  const waiting = [...found]
  const lost: string[] = []
  const uploads = Array.from({ length: AT_ONCE }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { file, path } = next
      const isSent = await ofOneArtifact(context, path, async () => {
        await assertOwn(folder, file, user)
        await calls.upload({ kind, file, path }, signal)
        return true
      })
      if (isSent === null) lost.push(path)
    }
  })
  await Promise.all(uploads)
  return lost
}

/** The result of work for one artifact, or null with a line in the console when it fails. */
async function ofOneArtifact<Result>(
  { console, signal, folder }: JobContext,
  path: string,
  work: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await work()
  } catch (error) {
    const isOfAll = error instanceof ServerRefusal && !OF_ONE_FILE.includes(error.status)
    if (signal.aborted || isOfAll) throw error
    console.note(
      `The artifact ${shown(path)} cannot be kept: ${shown(whyNot(folder, error, path))}`,
    )
    return null
  }
}

/** A name may contain line breaks and terminal control sequences, and a path thousands of characters. */
function shown(name: string): string {
  const text = name.replaceAll(/\p{Cc}/gu, '?')
  return text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH)}…`
}

/** Why a file cannot be sent. A name of other bytes than those of UTF-8 was read with marks in their place, which no file has. */
function whyNot(folder: string, error: unknown, path: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT' && path.includes('\uFFFD')) return 'Its name is not text in UTF-8'
  return REASONS.get(code) ?? reasonForConsole(folder, error)
}

/**
 * Asserts that the agent reads no file for the job that is not the job's.
 *
 * @throws for a link that leaves the working folder, and for a file of another user than the jobs'.
 */
async function assertOwn(folder: string, file: string, user: JobUser | null): Promise<void> {
  const path = relative(folder, file)
  await resolveInside(folder, path)
  if (user === null || (await stat(file)).uid === user.uid) return
  throw new Error(`${path} does not belong to ${user.name}`)
}
