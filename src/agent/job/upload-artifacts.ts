import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import type { AssignedArtifact } from '../../wire/agent/work.ts'
import { resolveInside } from '../host/sandbox-path.ts'
import type { JobUser } from '../process/job-user.ts'
import { type FoundArtifact, findArtifacts } from './find-artifacts.ts'
import type { JobContext } from './job-context.ts'

const AT_ONCE = 4

/**
 * Sends the job's artifacts to the server.
 *
 * @throws when one cannot be sent, or a build artifact selects nothing.
 */
export async function uploadArtifacts(context: JobContext): Promise<void> {
  const { assignment, console } = context
  if (assignment.artifacts.length === 0) return
  console.note('Start to upload artifacts')
  const missing: string[] = []
  for (const artifact of assignment.artifacts) {
    const found = await findArtifacts(context.folder, artifact)
    if (found.length === 0) {
      console.note(`Nothing in ${context.folder} matches ${artifact.src}`)
      if (artifact.kind === 'artifact') missing.push(artifact.src)
    }
    if (context.user !== null) await assertOwn(context.folder, found, context.user)
    await uploadAll(context, artifact, found)
  }
  if (missing.length > 0) throw new Error(`There is no artifact ${missing.join(', ')}`)
}

async function uploadAll(
  { console, calls, signal }: JobContext,
  { kind, src, dest }: AssignedArtifact,
  found: readonly FoundArtifact[],
): Promise<void> {
  if (found.length > 0) console.note(`Uploading ${found.length} of ${src} to ${dest ?? '.'}`)
  const waiting = [...found]
  const uploads = Array.from({ length: AT_ONCE }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await calls.upload({ kind, ...next }, signal)
    }
  })
  await Promise.all(uploads)
}

/**
 * Asserts that the agent reads no file for the job that the job may not read itself.
 *
 * @throws for a link that leaves the working folder, and for a file of another user.
 */
async function assertOwn(
  folder: string,
  found: readonly FoundArtifact[],
  { name, uid }: JobUser,
): Promise<void> {
  for (const { file } of found) {
    const path = relative(folder, file)
    await resolveInside(folder, path)
    if ((await stat(file)).uid !== uid) throw new Error(`${path} does not belong to ${name}`)
  }
}
