import { z } from 'zod'
import { CommitSha, shownSubject } from '../core/revision.ts'
import { unavailable } from '../core/errors.ts'
import { nameKey } from '../core/name-key.ts'
import { summariseChanges } from '../document/changes/summarise-changes.ts'
import { entitiesOf, formerNameOf } from '../document/changes/entities-of.ts'
import type { DocumentChange } from '../document/entities/change.ts'
import {
  entitiesIn,
  ENTITY_KINDS,
  entityName,
  entityOf,
  findNamedEntity,
  foldEntity,
} from '../document/entities/entities.ts'
import { readXml, type XmlDocument } from '../document/xml/xml-reader.ts'
import { gitDirIn } from '../git/git-folder.ts'
import { readHead } from '../git/refs.ts'
import { openObjectReader } from '../git/readers/open-object-reader.ts'
import { hasFileInTree } from '../git/objects/tree-walk.ts'
import type { CommitRecord, ObjectReader } from '../git/objects/object-reader.ts'
import { SERVICE_COMMITTER } from '../history/revision/classify.ts'
import { approvalsIn, OverriddenRule, overridesIn } from '../configuration/gate/override.ts'
import {
  bodyOf,
  parseMessage,
  subjectOf,
  trailersOf,
  trailerValues,
} from '../history/revision/message.ts'
import { runCooperatively } from '../lib/cooperative.ts'
import nodeFs from 'node:fs/promises'

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
  /** The user that merged the proposal of somebody else, or null. */
  mergedBy: z.string().nullable(),
  approvals: z.array(z.object({ by: z.string(), digest: z.string() })).readonly(),
  overrides: z.array(OverriddenRule).readonly(),
})
export type ReportedChange = z.infer<typeof ReportedChange>

const GROUP = 'group/'
const PIPELINES = ENTITY_KINDS.filter(({ word }) => word === 'pipeline')

/**
 * The changes of a branch from git alone, oldest first, so that a clone gives the same. Approvals and
 * overrides are those that the service has written into its commits.
 *
 * @throws {ServiceError} `unavailable` where there is no repository, or no commit has the file.
 */
export async function reportChanges(options: ReportOptions): Promise<readonly ReportedChange[]> {
  const { repository, programPath: path, since, until, entity, fileName } = options
  const store = { fs: nodeFs, gitDir: gitDirIn(repository) }
  await using reader = await openObjectReader({ ...store, path })
  const { commit: head } = await readHead(store)
  const reported: ReportedChange[] = []
  if (head === null) return reported
  const followed =
    entity === null ? null : new FollowedEntity(entity, await readAt(reader, head, fileName))
  let isThere = false
  for await (const commits of reader.listCommits({ from: head, until: null })) {
    for (const commit of commits) {
      isThere ||= await hasFileInTree(reader, { commit: commit.sha, path: fileName })
      const logged = parseCommit(commit)
      if (since !== null && logged.at < since) continue
      const isAsked = followed === null || (await isChanged(followed, { reader, fileName }, logged))
      if (isAsked && (until === null || logged.at <= until)) reported.push(logged.change)
    }
  }
  if (!isThere) throw unavailable(`No commit has ${fileName}: the name of the file may be wrong`)
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
  const [proposal] = trailerValues(trailers, 'Proposal').map(Number).filter(Number.isSafeInteger)
  const change = {
    time: new Date(at).toISOString(),
    commit: sha,
    author: facts?.username ?? author,
    subject: shownSubject(subjectOf(message)),
    reason: bodyOf(message),
    proposal: proposal ?? null,
    mergedBy: trailerValues(trailers, 'Merged-by')[0] ?? null,
    approvals: approvalsIn(trailers),
    overrides: overridesIn(trailers),
  }
  return { at, parent: parents[0] ?? null, change }
}

/** Newer changes are looked at too: they tell the names that it had before. */
async function isChanged(
  followed: FollowedEntity,
  place: { readonly reader: ObjectReader; readonly fileName: string },
  logged: LoggedCommit,
): Promise<boolean> {
  const documents = await comparedBy(place, logged)
  if (documents === null) return false
  const { older, newer } = documents
  return followed.isIn(await runCooperatively(summariseChanges(older, newer)), documents)
}

interface ComparedDocuments {
  /** Null where there was none. */
  readonly older: XmlDocument | null
  readonly newer: XmlDocument
}

/**
 * An entity that is followed from its newest change to its oldest, under its former names. A group takes
 * along what is in it now, and what has left it, from there on back.
 */
class FollowedEntity {
  readonly #names: Set<string>
  /** The names of the group; none where the entity is another thing. */
  readonly #groups: Set<string>

  constructor(entity: string, head: XmlDocument | null) {
    const name = foldEntity(entity)
    this.#names = new Set([name])
    this.#groups = new Set(name.startsWith(GROUP) ? [name] : [])
    const pipelines = PIPELINES.flatMap((kind) =>
      head === null ? [] : entitiesIn(head.root, kind),
    )
    for (const each of pipelines.map(entityName))
      if (head !== null && this.#isIn(each, head)) this.#names.add(foldEntity(each))
  }

  /** Whether changes are about it; names that came with them are left for those that they replaced. */
  isIn(changes: readonly DocumentChange[], { older, newer }: ComparedDocuments): boolean {
    const entities = entitiesOf(changes)
    for (const each of entities) {
      const isMember = [older, newer].some((document) => document && this.#isIn(each, document))
      if (isMember) this.#names.add(foldEntity(each))
    }
    const isAbout = entities.some((each) => this.#names.has(foldEntity(each)))
    for (const change of changes) this.#follow(change)
    return isAbout
  }

  #follow(change: DocumentChange): void {
    const former = formerNameOf(change)
    const name = foldEntity(change.entity)
    for (const names of [this.#names, this.#groups])
      if (former !== null && names.delete(name)) names.add(foldEntity(former))
  }

  #isIn(name: string, document: XmlDocument): boolean {
    return this.#groups.size > 0 && groupsOf(name, document).some((each) => this.#groups.has(each))
  }
}

/** The documents of a commit and the one before it; null where there is none that can be read. */
async function comparedBy(
  { reader, fileName }: { readonly reader: ObjectReader; readonly fileName: string },
  { parent, change }: LoggedCommit,
): Promise<ComparedDocuments | null> {
  const newer = await readAt(reader, change.commit, fileName)
  if (newer === null) return null
  return { older: parent === null ? null : await readAt(reader, parent, fileName), newer }
}

function groupsOf(name: string, { root }: XmlDocument): readonly string[] {
  const parent = findNamedEntity(root, name)?.element.parent
  const group = parent ? entityOf(parent) : null
  return group?.kind.word === 'group' ? [`${GROUP}${nameKey(group.name)}`] : []
}

async function readAt(
  reader: ObjectReader,
  commit: CommitSha,
  fileName: string,
): Promise<XmlDocument | null> {
  const bytes = await reader.findFile(commit, fileName)
  const reading = bytes && (await runCooperatively(readXml(bytes)))
  return reading?.ok === true ? reading : null
}
