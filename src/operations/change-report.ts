import { z } from 'zod'
import { CommitSha } from '../core/revision.ts'
import { nameKey } from '../core/name-key.ts'
import { summariseChanges } from '../document/changes/summarise-changes.ts'
import { entitiesOf } from '../document/changes/entities-of.ts'
import { entityOf, findNamedEntity, foldEntity } from '../document/entities/entities.ts'
import { readXml, type XmlReading } from '../document/xml/xml-reader.ts'
import { requireGit, runGit } from '../git/run-git.ts'
import { openObjectReader } from '../git/readers/open-object-reader.ts'
import type { ObjectReader } from '../git/objects/object-reader.ts'
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

const FIELDS = ['%H', '%P', '%an', '%at', '%cn', '%ce', '%B']

/**
 * The changes of a branch from git alone, oldest first, so that a clone gives the same. Approvals and
 * overrides are those that the service has written into its commits.
 *
 * @throws {ServiceError} `unavailable` without git, or where there is no repository.
 */
export async function reportChanges(options: ReportOptions): Promise<readonly ReportedChange[]> {
  const { repository, programPath: path, since, until, entity } = options
  const nested = join(repository, '.git')
  const gitDir = existsSync(nested) ? nested : repository
  const git = await requireGit(path)
  const args = ['log', '-z', '--reverse', `--format=${FIELDS.join('%x1f')}`, 'HEAD']
  const output = await runGit(git, gitDir, args)
  const all = output.toString('utf8').split('\0').flatMap(parseCommit)
  const asked = all.filter(
    ({ at }) => (since === null || at >= since) && (until === null || at <= until),
  )
  if (entity === null) return asked.map(({ change }) => change)
  await using reader = await openObjectReader({ fs: nodeFs, gitDir, path })
  const reported: ReportedChange[] = []
  for (const commit of asked) {
    if (await isAbout({ reader, fileName: options.fileName }, commit, entity)) {
      reported.push(commit.change)
    }
  }
  return reported
}

interface LoggedCommit {
  readonly at: number
  readonly parent: CommitSha | null
  readonly change: ReportedChange
}

function parseCommit(line: string): readonly LoggedCommit[] {
  const [sha, parents = '', name = '', seconds, committer, email, ...body] = line.split('\x1f')
  const commit = CommitSha.safeParse(sha)
  if (!commit.success) return []
  const message = body.join('\x1f')
  const facts = parseMessage(message)
  const at = facts?.time ?? Number(seconds) * 1_000
  // The trailers of other committers are anybody's words.
  const { name: service, email: address } = SERVICE_COMMITTER
  const isOurs = committer === service && email === address
  const trailers = isOurs ? trailersOf(message) : []
  const valuesOf = (wanted: string) =>
    trailers.flatMap(([key, value]) => (key === wanted ? [value] : []))
  const [proposal] = valuesOf('Proposal').map(Number).filter(Number.isSafeInteger)
  const change = {
    time: new Date(at).toISOString(),
    commit: commit.data,
    author: facts?.username ?? name,
    subject: subjectOf(message),
    reason: bodyOf(message),
    proposal: proposal ?? null,
    approvals: valuesOf('Approved-by').map((value) => {
      const [by, digest] = splitLast(value)
      return { by, digest }
    }),
    overrides: overridesIn(trailers),
  }
  return [{ at, parent: CommitSha.safeParse(parents.split(' ')[0]).data ?? null, change }]
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
