import { ServiceError } from '../../core/errors.ts'
import type { CommitSha } from '../../core/revision.ts'
import { damagedObject } from '../../git/objects/damage.ts'
import type { CommitRecord, ObjectReader } from '../../git/objects/object-reader.ts'
import { shownName } from '../../git/objects/tree-faults.ts'
import { listTreeChanges, MAX_DIFFERENCES } from '../../git/objects/tree-changes.ts'
import { findFileInTree, findTree } from '../../git/objects/tree-walk.ts'
import { bodyOf } from '../revision/message.ts'
import type { PushedChange, PushedCommit, PushToJudge } from '../revision/prepared-change.ts'

/** A push whose commits are in the repository, and the document that is current before it. */
interface PushedCommits {
  readonly from: CommitSha | null
  readonly to: CommitSha
  readonly fileName: string
  readonly before: Uint8Array<ArrayBuffer>
}

/** All of them are judged while others wait to save. */
const MAX_COMMITS = 100

/** A push for the gate, which judges it as a whole and commit by commit. */
export function pushToJudge(
  reader: ObjectReader,
  pushed: PushedCommits,
  found: Pick<PushToJudge, 'message' | 'findBeside' | 'findPushed'>,
): PushToJudge {
  return {
    before: pushed.before,
    ...found,
    listChanges: () => listPushedChanges(reader, pushed),
    listCommits: () => listPushedCommits(reader, pushed),
  }
}

/**
 * The changes of a push, commit by commit, the oldest first: each changes the document and nothing
 * else of the commit before it.
 *
 * @throws {ServiceError} `not-permitted` for a merge, for a commit that changes other files, and for
 * too many commits.
 */
async function* listPushedChanges(
  reader: ObjectReader,
  { from, to, fileName, before }: PushedCommits,
): AsyncGenerator<PushedChange> {
  let last = { document: before, commit: from }
  for (const { sha: commit, parents, message } of await listPushed(reader, { from, to })) {
    const name = commit.slice(0, 10)
    if (parents.length !== 1) throw beyond(`Commit ${name} is a merge: rebase it, and push again`)
    const other = await findOtherFile(reader, { before: last.commit, after: commit }, fileName)
    if (other !== null) throw beyond(`Commit ${name} changes ${other}`)
    const document = await findFileInTree(reader, { commit, path: fileName })
    if (document === null) throw damagedObject(commit)
    yield { before: last.document, after: document, message: bodyOf(message) }
    last = { document, commit }
  }
}

/**
 * The commits of a push, the oldest first, with the documents of those that they came upon; one without
 * a document counts as one upon the current document.
 *
 * @throws {ServiceError} `not-permitted` for too many commits.
 */
async function* listPushedCommits(
  reader: ObjectReader,
  { from, to, fileName: path, before }: PushedCommits,
): AsyncGenerator<PushedCommit> {
  const documentOf = (commit: CommitSha) => findFileInTree(reader, { commit, path })
  for (const { sha, parents: bases, message } of await listPushed(reader, { from, to })) {
    const after = await documentOf(sha)
    if (after === null) throw damagedObject(sha)
    const parents: Uint8Array<ArrayBuffer>[] = []
    for (const base of bases) parents.push((await documentOf(base)) ?? before)
    yield { parents, after, message: bodyOf(message) }
  }
}

async function listPushed(
  reader: ObjectReader,
  { from, to }: Pick<PushedCommits, 'from' | 'to'>,
): Promise<readonly CommitRecord[]> {
  const pushed: CommitRecord[] = []
  for await (const commits of reader.listCommits({ from: to, until: from })) {
    pushed.push(...commits)
    if (pushed.length > MAX_COMMITS) throw beyond(`A push has at most ${MAX_COMMITS} commits`)
  }
  return pushed.toReversed()
}

/** A file besides the document that differs between two commits, or the document where its mode does. */
export async function findOtherFile(
  reader: ObjectReader,
  pair: { readonly before: CommitSha | null; readonly after: CommitSha },
  fileName: string,
): Promise<string | null> {
  const before = pair.before === null ? null : await findTree(reader, pair.before)
  const trees = { before, after: await findTree(reader, pair.after) }
  const changes = await listTreeChanges(reader, trees, MAX_DIFFERENCES)
  if (changes === null) return `more than ${MAX_DIFFERENCES} files`
  const own = Buffer.from(fileName).toString('latin1')
  for (const [path, change] of changes) {
    const isContent = path === own && change.before?.mode === change.after?.mode
    if (!isContent) return shownName(path)
  }
  return null
}

function beyond(reason: string): ServiceError<'not-permitted'> {
  const message = `${reason}; more than a change of the configuration, commit by commit, is for administrators of the server`
  return new ServiceError('not-permitted', message, { permission: 'administer' })
}
