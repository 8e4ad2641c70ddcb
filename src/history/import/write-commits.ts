import { LRUCache } from 'lru-cache'
import type { Problem } from '../../core/problem.ts'
import { CommitSha, type Revision } from '../../core/revision.ts'
import { SERVICE_COMMITTER, classify } from '../revision/classify.ts'
import { fitTime } from '../revision/commit-limits.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import { authorName, bodyOf, parseMessage, renderMessage, subjectOf } from '../revision/message.ts'
import { allCommits } from '../../git/objects/commit-walk.ts'
import type { CommitRecord, ObjectReader } from '../../git/objects/object-reader.ts'
import type { RepositoryFolder } from '../repository/repository-folder.ts'
import { findFileInTree, findLargeSize } from '../../git/objects/tree-walk.ts'
import { FastImport } from './fast-import.ts'
import type { ImportOptions } from './import-options.ts'
import { type ImportedBefore, listImported, readGit, IMPORTED_TRAILER } from './imported-commits.ts'
import { type Digest, digestOf } from '../../core/digest.ts'
import type { Inspect, Inspection } from '../revision/inspection.ts'

/** A revision of another repository, with its document in the form that this one accepts. */
interface Importable {
  readonly revision: Revision
  readonly document: Uint8Array<ArrayBuffer>
  /** Whether plain secrets were sealed, which changes the digest. */
  readonly isSealed: boolean
}

interface Unimportable {
  readonly reason: 'older' | 'absent' | 'invalid'
  readonly problems: readonly Problem[]
}

interface Judgement {
  readonly fileName: string
  readonly inspect: Inspect
  readonly serverEdition: string
  /** Milliseconds since the UNIX epoch; older commits are left out. */
  readonly since: number | null
}

/** A commit that was left out because its document is not valid. */
export interface InvalidCommit {
  readonly commit: CommitSha
  readonly author: string
  readonly problems: readonly Problem[]
}

/** A commit that was left out because its document is too large to be read. */
export interface LargeCommit {
  readonly commit: CommitSha
  readonly author: string
  /** In bytes. */
  readonly size: number
}

/** Counts the commits of the other repository by outcome. */
export interface ImportCounts {
  readonly imported: number
  /** Commits that an earlier import has handled. */
  readonly known: number
  readonly sealed: number
  readonly older: number
  readonly absent: number
  readonly unchanged: number
  readonly invalid: readonly InvalidCommit[]
  readonly tooLarge: readonly LargeCommit[]
}

type Counts = { -readonly [Key in keyof ImportCounts]: ImportCounts[Key] }

interface Writing extends ImportOptions {
  readonly git: GitExecutable
  readonly folder: RepositoryFolder
  readonly base: { readonly head: CommitSha | null; readonly digest: string | null }
  readonly ref: string
  readonly source: ObjectReader
  readonly tip: CommitSha
}

interface Run extends Writing {
  readonly writer: FastImport
  readonly graph: SourceGraph
  readonly counts: Counts
  readonly invalid: InvalidCommit[]
  readonly tooLarge: LargeCommit[]
  /** The last documents, by commit. */
  readonly recent: LRUCache<CommitSha, Uint8Array<ArrayBuffer>>
}

/** The number of documents that are cached to summarise the changes of their children. */
const RECENT = 8

/** Writes the new commits, oldest first. `to` is the next position of the branch. */
export async function writeCommits(
  writing: Writing,
): Promise<ImportCounts & { to: CommitSha | null }> {
  const commits = await listOldestFirst(writing)
  const { head, digest } = writing.base
  const graph = new SourceGraph(head === null ? null : { name: head, digest })
  const before = await listBefore(writing, new Set(commits.map(({ sha }) => sha)))
  const done = ancestorsOf(
    commits.flatMap(({ sha }) => (before.has(sha) ? [sha] : [])),
    commits,
  )
  const gitDir = writing.folder.gitDir
  const path = writing.fileName
  const writer = await FastImport.open({ git: writing.git, gitDir, ref: writing.ref, path })
  const counts = { imported: 0, known: done.size, sealed: 0, older: 0, absent: 0, unchanged: 0 }
  const run: Run = {
    ...writing,
    writer,
    graph,
    counts: { ...counts, invalid: [], tooLarge: [] },
    invalid: [],
    tooLarge: [],
    recent: new LRUCache({ max: RECENT }),
  }
  try {
    for (const [index, commit] of commits.entries()) {
      if (done.has(commit.sha)) placeKnown(run, commit, before.get(commit.sha))
      else await writeOne(run, commit)
      writing.onProgress({ done: index + 1, total: commits.length })
    }
    const to = await finish(run)
    const { invalid, tooLarge } = run
    return { ...run.counts, invalid, tooLarge, to }
  } catch (error) {
    await writer.abandon()
    throw error
  }
}

async function listOldestFirst({ source, tip }: Writing): Promise<readonly CommitRecord[]> {
  const commits = await allCommits(source, { from: tip, until: null })
  return commits.toReversed()
}

/** For new commits, everything in the existing history counts as its newest commit. */
async function listBefore(
  { git, folder: { gitDir }, base: { head }, ref, fileName, sourceFile }: Writing,
  wanted: ReadonlySet<CommitSha>,
): Promise<ReadonlyMap<CommitSha, ImportPlace>> {
  const found = new Map<CommitSha, ImportPlace>()
  const ownToo = sourceFile === fileName
  const refs = (await readGit({ git, gitDir }, ['for-each-ref', '--format=%(refname)', ref])).trim()
  const notHead = head === null ? [] : [`^${head}`]
  const written =
    refs === ''
      ? []
      : await listImported({ git, gitDir }, [ref, ...notHead], { wanted, ownToo: false })
  for (const [sha, { commit, digest }] of written) found.set(sha, { name: commit, digest })
  const inHead: Iterable<readonly [CommitSha, ImportedBefore]> =
    head === null ? [] : await listImported({ git, gitDir }, [head], { wanted, ownToo })
  for (const [sha, { digest }] of inHead) found.set(sha, { name: head ?? '', digest })
  return found
}

function placeKnown({ graph }: Run, commit: CommitRecord, place: ImportPlace | undefined): void {
  if (place === undefined) graph.leaveOut(commit)
  else graph.place(commit, place)
}

async function writeOne(run: Run, commit: CommitRecord): Promise<void> {
  const { graph, counts, source, sourceFile } = run
  const file = { commit: commit.sha, path: sourceFile }
  const bytes = await findFileInTree(source, file)
  const judged = await judgeCommit(commit, bytes, { ...run, fileName: sourceFile })
  const before = graph.placesBefore(commit)
  if ('reason' in judged) {
    const size = judged.reason === 'absent' ? await findLargeSize(source, file) : null
    if (size !== null) run.tooLarge.push({ commit: commit.sha, author: commit.author, size })
    else if (judged.reason !== 'invalid') counts[judged.reason] += 1
    else run.invalid.push({ commit: commit.sha, author: commit.author, problems: judged.problems })
    return graph.leaveOut(commit)
  }
  const { digest } = judged.revision
  if (before.length > 0 && before.every((place) => place.digest === digest)) {
    counts.unchanged += 1
    return graph.leaveOut(commit)
  }
  const name = await writeRevision(run, { commit, judged, before })
  counts.imported += 1
  if (judged.isSealed) counts.sealed += 1
  graph.place(commit, { name, digest })
}

async function writeRevision(
  run: Run,
  {
    commit,
    judged,
    before,
  }: { commit: CommitRecord; judged: Importable; before: readonly ImportPlace[] },
): Promise<string> {
  const { revision, document } = judged
  const changes = await describeChanges(run, commit, document)
  const { email, zone } = await authorOf(run, commit)
  return run.writer.write({
    parents: before.map(({ name }) => name),
    author: { name: authorName(revision.username), email, time: revision.time },
    zone,
    committer: { ...SERVICE_COMMITTER, time: fitTime(commit.committer.time) },
    message: renderImported(revision, { ...commit, changes }),
    document,
  })
}

/** Summarises the changes against the parent, where the original wrote no text. */
async function describeChanges(
  { source, sourceFile, summarise, inspect, recent }: Run,
  { sha, message, parents: [parent] }: CommitRecord,
  document: Uint8Array<ArrayBuffer>,
): Promise<string> {
  if (parseMessage(message)?.form !== 'original') return ''
  const before = parent === undefined ? null : recent.get(parent)
  const found = before === undefined && parent ? await source.findFile(parent, sourceFile) : null
  const inspection = found === null ? null : await inspect(found)
  recent.set(sha, document)
  return summarise(before ?? (inspection?.ok ? inspection.document : null), document)
}

/** The author of a commit apart from the name. */
async function authorOf(
  { source }: Run,
  { sha }: CommitRecord,
): Promise<{ email: string; zone: string }> {
  const raw = await source.findObject(sha)
  const line = /^author (.*)$/m.exec(Buffer.from(raw?.content ?? []).toString('utf8'))?.[1] ?? ''
  const [, email = '', zone = ''] = /<([^<>]*)>\s*(?:\d+\s*)?([+-]\d{4})?$/.exec(line) ?? []
  return { email, zone: /^[+-](0\d|1[0-4])[0-5]\d$/.test(zone) ? zone : '+0000' }
}

/** Null when the branch has everything already. */
async function finish({ writer, graph, tip, base, ...run }: Run): Promise<CommitSha | null> {
  const place = graph.placeOf(tip)
  if (place === null || place.name === base.head) {
    await writer.abandon()
    return null
  }
  await writer.finish(place.name)
  const { gitDir } = run.folder
  return CommitSha.parse((await readGit({ git: run.git, gitDir }, ['rev-parse', run.ref])).trim())
}

/**
 * The message of an imported commit: its own text, or a summary of the changes where the original
 * wrote a line of facts; then the facts as trailers, and the name of the source commit.
 */
function renderImported(
  revision: Revision,
  { sha, message, changes }: { sha: CommitSha; message: string; changes: string },
): string {
  const isOriginal = parseMessage(message)?.form === 'original'
  const words = message.trimStart()
  const subject = isOriginal ? changes : subjectOf(words)
  const facts = renderMessage({ ...revision, subject, message: bodyOf(words) })
  return `${facts}${IMPORTED_TRAILER}: ${sha}\n`
}

/** Decides whether a commit of another repository can become a revision, and which. */
async function judgeCommit(
  commit: CommitRecord,
  bytes: Uint8Array<ArrayBuffer> | null,
  judgement: Judgement,
): Promise<Importable | Unimportable> {
  const { since, inspect } = judgement
  if (since !== null && commit.time < since) return { reason: 'older', problems: [] }
  if (bytes === null) return { reason: 'absent', problems: [] }
  const inspection = await inspect(bytes)
  if (!inspection.ok) return { reason: 'invalid', problems: inspection.problems }
  const revision = await asItWas(commit, bytes, { ...judgement, inspection })
  if (revision === null) return { reason: 'invalid', problems: [] }
  const digest: Digest = digestOf(inspection.document)
  return {
    revision: { ...revision, digest },
    document: inspection.document,
    isSealed: digest !== revision.digest,
  }
}

/** The revision in its own repository. */
function asItWas(
  commit: CommitRecord,
  bytes: Uint8Array<ArrayBuffer>,
  { inspection, ...judgement }: Judgement & { inspection: Inspection },
): Promise<Revision | null> {
  return classify(commit, bytes, { ...judgement, inspect: async () => inspection })
}

/** A commit that the target repository has or is about to get, with the digest of its document. */
interface ImportPlace {
  readonly name: string
  readonly digest: string | null
}

/**
 * Maps the commits of another repository to their copies here. A commit that is left out maps to
 * the copies of its parents.
 */
class SourceGraph {
  readonly #places = new Map<CommitSha, readonly ImportPlace[]>()
  /** The parent for commits without parents; null begins a history. */
  readonly #base: ImportPlace | null

  constructor(base: ImportPlace | null) {
    this.#base = base
  }

  /**
   * The parents of a commit here. The base is an ancestor of every copy, so it is a parent only
   * where there is no other.
   */
  placesBefore({ parents }: Pick<CommitRecord, 'parents'>): readonly ImportPlace[] {
    if (parents.length === 0) return this.#base === null ? [] : [this.#base]
    const places = parents.flatMap((parent) => this.#places.get(parent) ?? [])
    const unique = [...new Map(places.map((place) => [place.name, place])).values()]
    const own = unique.filter(({ name }) => name !== this.#base?.name)
    return own.length > 0 ? own : unique
  }

  place(commit: Pick<CommitRecord, 'sha'>, place: ImportPlace): void {
    this.#places.set(commit.sha, [place])
  }

  leaveOut(commit: CommitRecord): void {
    this.#places.set(commit.sha, this.placesBefore(commit))
  }

  /** The place of a commit, the first where there are several. */
  placeOf(commit: CommitSha): ImportPlace | null {
    return this.#places.get(commit)?.[0] ?? null
  }
}

/** The named commits and all their ancestors. */
function ancestorsOf(
  names: Iterable<CommitSha>,
  commits: readonly CommitRecord[],
): ReadonlySet<CommitSha> {
  const parents = new Map(commits.map((commit) => [commit.sha, commit.parents]))
  const found = new Set<CommitSha>()
  const waiting = [...names]
  for (let sha = waiting.pop(); sha !== undefined; sha = waiting.pop()) {
    if (found.has(sha)) continue
    found.add(sha)
    waiting.push(...(parents.get(sha) ?? []))
  }
  return found
}
