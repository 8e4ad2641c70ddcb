import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import { digestOf } from '../../core/digest.ts'
import { CommitSha } from '../../core/revision.ts'
import { believe, SERVICE_COMMITTER } from '../revision/classify.ts'
import { trailersOf } from '../revision/message.ts'
import { findUnfit } from '../revision/commit-limits.ts'
import { isReachable } from '../../git/objects/commit-walk.ts'
import { DamageError } from '../../git/objects/damage.ts'
import type { Inspect } from '../revision/inspection.ts'
import type { CommitRecord, ObjectReader } from '../../git/objects/object-reader.ts'
import { openObjectReader } from '../../git/readers/open-object-reader.ts'
import { readHead } from '../../git/refs.ts'
import { findTreeFault } from '../../git/objects/tree-faults.ts'
import { listTreeChanges, MAX_DIFFERENCES } from '../../git/objects/tree-changes.ts'
import { describeNoFile, findFileInTree, findTree } from '../../git/objects/tree-walk.ts'

export interface PushCheckOptions {
  /** The folder of the repository. */
  readonly repository: string
  readonly fileName: string
  readonly inspect: Inspect
  /** The `PATH` on which git is looked up. */
  readonly programPath: string | undefined
  /** Whether refs other than the served branch may be pushed. */
  readonly otherRefs: 'accept' | 'refuse'
  /** `GIT_OBJECT_DIRECTORY` and `GIT_ALTERNATE_OBJECT_DIRECTORIES` as git gave them to the hook. */
  readonly quarantine: Readonly<Record<string, string>>
}

export interface PushReport {
  readonly isAccepted: boolean
  /** Lines for the client's terminal. */
  readonly lines: readonly string[]
}

interface RefMove {
  readonly from: CommitSha | null
  readonly to: CommitSha | null
  /** Whether the branch stays where it is, as the commits are proposed. */
  readonly isProposal: boolean
}

interface ServedBranch {
  readonly branch: string | null
  readonly served: CommitSha | null
}

/** Where commits are pushed that are proposed: this and the name of the branch. */
const FOR_REVIEW = 'refs/for/'
const BRANCHES = 'refs/heads/'

/** Whether a push to this ref proposes its commits. */
export function isForReview(ref: string): boolean {
  return ref.startsWith(FOR_REVIEW)
}

/** The limit of bad commits that are named. */
const MAX_COMMITS = 10
const MAX_PROBLEMS = 20
const TOO_MANY = `The folders that the push changes have more than ${MAX_DIFFERENCES} entries: push it in smaller parts`

/**
 * Checks a push as git's `pre-receive` hook. Every new commit of the served branch needs a valid
 * configuration without plain secrets, and other files must fit into a work tree; the branch can
 * only move forward. `input` is the input of the hook: a line `old new ref` for each ref.
 */
export async function checkPush(options: PushCheckOptions, input: string): Promise<PushReport> {
  const gitDir = join(options.repository, '.git')
  const { branch, commit: served } = await readHead({ fs: nodeFs, gitDir })
  const lines = input.split('\n').filter((line) => line !== '')
  const moves = lines.flatMap((line) => parseMove(line, { branch, served }))
  const { programPath: path, quarantine } = options
  await using reader = await openObjectReader({ fs: nodeFs, gitDir, path, quarantine })
  const refusals =
    options.otherRefs === 'refuse' ? lines.flatMap((line) => refuseOther(line, branch)) : []
  for (const move of moves) refusals.push(...(await judge(options, { reader, move })))
  if (refusals.length === 0) return { isAccepted: true, lines: [] }
  return { isAccepted: false, lines: [...refusals, 'Nothing was changed'] }
}

/** A created or deleted ref has zeros on one side. Proposed commits are those that the branch lacks. */
function parseMove(line: string, { branch, served }: ServedBranch): RefMove[] {
  const [from, to, ref] = line.split(' ')
  if (ref === undefined || branch === null) return []
  if (ref === branch) return [{ from: parseSide(from), to: parseSide(to), isProposal: false }]
  if (ref !== reviewRefOf(branch)) return []
  return [{ from: served, to: parseSide(to), isProposal: true }]
}

function refuseOther(line: string, branch: string | null): string[] {
  const ref = line.split(' ').slice(2).join(' ')
  if (ref === branch || (branch !== null && ref === reviewRefOf(branch))) return []
  return [`Only ${branch ?? 'a branch'} can be pushed here, not ${ref}`]
}

function reviewRefOf(branch: string): string {
  return `${FOR_REVIEW}${branch.slice(BRANCHES.length)}`
}

function parseSide(text: string | undefined): CommitSha | null {
  const commit = CommitSha.parse(text)
  return /^0+$/.test(commit) ? null : commit
}

async function judge(
  options: PushCheckOptions,
  { reader, move: { from, to, isProposal } }: { reader: ObjectReader; move: RefMove },
): Promise<readonly string[]> {
  if (to === null) return ['The branch that is served cannot be deleted']
  if (!isProposal && from !== null && !(await isReachable(reader, from, to))) {
    return ['The branch that is served only moves forward: fetch and merge or rebase first']
  }
  const lines: string[] = []
  let refused = 0
  const trees = { before: from && (await findTree(reader, from)), seen: new Set<string>() }
  for await (const commits of reader.listCommits({ from: to, until: from })) {
    for (const commit of commits) {
      const reasons = await judgeCommit(options, { reader, commit, trees })
      if (reasons.length > 0 && (refused += 1) > MAX_COMMITS) return [...lines, 'and others']
      lines.push(...reasons)
    }
  }
  return lines.length > 0 || (await canFollow(reader, { from, to })) ? lines : [TOO_MANY]
}

/** Whether a commit has facts that only the service writes, with the service as its committer. */
function claimsDecisions({ committer, message }: CommitRecord): boolean {
  return committer.email === SERVICE_COMMITTER.email && trailersOf(message).length > 0
}

/** Whether git's index can take the files beside the document, so that `git commit -a` keeps them. */
async function canFollow(
  reader: ObjectReader,
  { from, to }: { from: CommitSha | null; to: CommitSha },
): Promise<boolean> {
  const [before, after] = [from && (await findTree(reader, from)), await findTree(reader, to)]
  try {
    return (await listTreeChanges(reader, { before, after }, MAX_DIFFERENCES)) !== null
  } catch (error) {
    // The new trees are sound; the one before may be older than this check.
    if (error instanceof DamageError || error instanceof RangeError) return true
    throw error
  }
}

interface PushedCommit {
  readonly reader: ObjectReader
  readonly commit: CommitRecord
  /** The tree that is served now, and the trees of this push that have been read. */
  readonly trees: { readonly before: string | null; readonly seen: Set<string> }
}

async function judgeCommit(
  { fileName, inspect }: PushCheckOptions,
  { reader, commit, trees }: PushedCommit,
): Promise<readonly string[]> {
  const name = commit.sha.slice(0, 10)
  const raw = await reader.findObject(commit.sha)
  const unfit = raw === null ? [] : findUnfit(raw.content)
  if (unfit.length > 0) return unfit.map((reason) => `Commit ${name} ${reason}`)
  const pair = { before: trees.before, after: await findTree(reader, commit.sha) }
  const fault = await findTreeFault(reader, pair, trees.seen)
  if (fault !== null) return [`Commit ${name}: ${fault}`]
  const place = { commit: commit.sha, path: fileName }
  const document = await findFileInTree(reader, place)
  if (document === null) {
    const kind = await describeNoFile(reader, place)
    return [`Commit ${name} has ${kind === null ? `no ${fileName}` : `${kind} as ${fileName}`}`]
  }
  const recorded = believe(commit)
  if (recorded !== null && recorded.digest !== digestOf(document)) {
    return [`Commit ${name} records the digest ${recorded.digest}, which ${fileName} does not have`]
  }
  if (claimsDecisions(commit)) {
    return [`Commit ${name} says in the name of the service who approved or overrode something`]
  }
  const inspection = await inspect(document)
  if (inspection.ok) {
    const isSealed = Buffer.compare(inspection.document, document) === 0
    return isSealed ? [] : [`Commit ${name} has plain secrets in ${fileName}`]
  }
  return inspection.problems.slice(0, MAX_PROBLEMS).map(({ message, line, column }) => {
    const at = line === undefined ? '' : `:${line}:${column ?? 1}`
    return `Commit ${name}: ${fileName}${at}: ${message}`
  })
}
