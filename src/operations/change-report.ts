import { z } from 'zod'
import { CommitSha } from '../core/revision.ts'
import { nameKey } from '../core/name-key.ts'
import { summariseChanges } from '../document/changes/summarise-changes.ts'
import { entitiesOf } from '../document/changes/entities-of.ts'
import { entityOf, findNamedEntity, foldEntity } from '../document/entities/entities.ts'
import { readXml, type XmlReading } from '../document/xml/xml-reader.ts'
import { readHead } from '../git/refs.ts'
import { openObjectReader } from '../git/readers/open-object-reader.ts'
import type { CommitRecord, ObjectReader } from '../git/objects/object-reader.ts'
import { SERVICE_COMMITTER } from '../history/revision/classify.ts'
import { OverriddenRule, overridesIn } from '../configuration/gate/override.ts'
import { bodyOf, parseMessage, subjectOf, trailersOf } from '../history/revision/message.ts'
import { runCooperatively } from '../lib/cooperative.ts'
import nodeFs from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export interface ReportOptions {
  /** A repository with the history, or a clone of it. */
  readonly repository: string
  readonly fileName: string
  /** The `PATH` on which git is looked up. */
  readonly programPath: string | undefined
  /** Milliseconds since the UNIX epoch, both included; null for no bound. */
  readonly since: number | null
  readonly until: number | null
  /** Only changes of this entity, of a group also of what is in it; null for all. */
  readonly entity: string | null
}

/** A change of the configuration with those who asked for it, approved it, and overrode rules. */
export const ReportedChange = z.object({
  time: z.string(),
  commit: CommitSha,
  author: z.string(),
  subject: z.string(),
  reason: z.string(),
  /** The number of the proposal that it merged, or null. */
  proposal: z.int().nullable(),
  approvals: z.array(z.object({ by: z.string(), digest: z.string() })).readonly(),
  overrides: z.array(OverriddenRule).readonly(),
})
export type ReportedChange = z.infer<typeof ReportedChange>

/**
 * The changes of a branch from git alone, oldest first, so that a clone gives the same. Approvals and
 * overrides are those that the service has written into its commits.
 *
 * @throws {ServiceError} `unavailable` where there is no repository.
 */
export async function reportChanges(options: ReportOptions): Promise<readonly ReportedChange[]> {
  const { repository, programPath: path, since, until, entity, fileName } = options
  const nested = join(repository, '.git')
  const store = { fs: nodeFs, gitDir: existsSync(nested) ? nested : repository }
  await using reader = await openObjectReader({ ...store, path })
  const { commit: head } = await readHead(store)
  const reported: ReportedChange[] = []
  if (head === null) return reported
  for await (const commits of reader.listCommits({ from: head, until: null })) {
    for (const commit of commits) {
      const logged = parseCommit(commit)
      if ((since !== null && logged.at < since) || (until !== null && logged.at > until)) continue
      const isAsked = entity === null || (await isAbout({ reader, fileName }, logged, entity))
      if (isAsked) reported.push(logged.change)
    }
  }
  return reported.toReversed()
}

interface LoggedCommit {
  readonly at: number
  readonly parent: CommitSha | null
  readonly change: ReportedChange
}

function parseCommit({
  sha,
  parents,
  author,
  time,
  committer,
  message,
}: CommitRecord): LoggedCommit {
  const facts = parseMessage(message)
  const at = facts?.time ?? time
  // The trailers of other committers are anybody's words.
  const { name, email } = SERVICE_COMMITTER
  const isOurs = committer.name === name && committer.email === email
  const trailers = isOurs ? trailersOf(message) : []
  const valuesOf = (wanted: string) =>
    trailers.flatMap(([key, value]) => (key === wanted ? [value] : []))
  const [proposal] = valuesOf('Proposal').map(Number).filter(Number.isSafeInteger)
  const change = {
    time: new Date(at).toISOString(),
    commit: sha,
    author: facts?.username ?? author,
    subject: subjectOf(message),
    reason: bodyOf(message),
    proposal: proposal ?? null,
    approvals: valuesOf('Approved-by').map((value) => {
      const [by, digest] = splitLast(value)
      return { by, digest }
    }),
    overrides: overridesIn(trailers),
  }
  return { at, parent: parents[0] ?? null, change }
}

/** A name may have spaces, and what follows it has none. */
function splitLast(text: string): readonly [string, string] {
  const space = text.lastIndexOf(' ')
  return [text.slice(0, space), text.slice(space + 1)]
}

async function isAbout(
  { reader, fileName }: { readonly reader: ObjectReader; readonly fileName: string },
  { parent, change }: LoggedCommit,
  entity: string,
): Promise<boolean> {
  const after = await readAt(reader, change.commit, fileName)
  const before = parent === null ? null : await readAt(reader, parent, fileName)
  if (after === null || !('root' in after)) return false
  const older = before !== null && 'root' in before ? before : null
  const changes = await runCooperatively(summariseChanges(older, after))
  const wanted = foldEntity(entity)
  return entitiesOf(changes).some((name) =>
    [name, ...groupsOf(name, after), ...(older === null ? [] : groupsOf(name, older))]
      .map(foldEntity)
      .includes(wanted),
  )
}

/** The group that a pipeline is in. */
function groupsOf(name: string, { root }: Extract<XmlReading, { ok: true }>): readonly string[] {
  const parent = findNamedEntity(root, name)?.element.parent
  const group = parent ? entityOf(parent) : null
  return group?.kind.word === 'group' ? [`group/${nameKey(group.name)}`] : []
}

async function readAt(
  reader: ObjectReader,
  commit: CommitSha,
  fileName: string,
): Promise<XmlReading | null> {
  const bytes = await reader.findFile(commit, fileName)
  return bytes && runCooperatively(readXml(bytes))
}
