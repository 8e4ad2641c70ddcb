import { CommitSha } from '../../core/revision.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import type { GitStore } from '../../git/git-store.ts'
import type { CommitRecord } from '../../git/objects/object-reader.ts'
import { listRefsBelow } from '../../git/refs.ts'
import { runGit, SHORT_TIMEOUT_MS } from '../../git/run-git.ts'
import { bodyOf, subjectOf } from '../revision/message.ts'
import type { GitRepository } from '../repository/git-repository.ts'
import type { Problems } from '../revision/problems.ts'

/** The refs of commits that the gate refused: `refs/cairn/refused/BASE/COMMIT`. */
const REFUSED = 'refs/cairn/refused/'

const LIMITED = { timeoutMs: SHORT_TIMEOUT_MS }

/** A commit that the gate refused, and the revision that was current then. */
export interface RefusedCommit {
  readonly ref: string
  readonly commit: CommitSha
  readonly base: CommitSha
}

export interface TakenBackCommit extends RefusedCommit {
  readonly author: string
  readonly subject: string
  /** The reason that it gives; may be empty. */
  readonly message: string
  /** Null where it has none. */
  readonly document: Uint8Array<ArrayBuffer> | null
}

export interface RefusedCommitsOptions {
  readonly store: GitStore
  readonly repository: GitRepository
  /** Null where there is no git program. */
  readonly git: GitExecutable | null
  readonly problems: Problems
}

/**
 * The commits of the machine's owner that were taken back from the branch. Their refs keep them until
 * somebody has decided about them, and are shown as a problem as long.
 */
export class RefusedCommits {
  readonly #options: RefusedCommitsOptions
  /** The refusals that this process has seen, by commit. */
  readonly #reasons = new Map<CommitSha, string>()
  /** A reset of the branch that was undone; it is shown until the branch moves. */
  #undone: { readonly at: CommitSha; readonly message: string } | null = null
  #hasAny = true
  /** Counts what was kept: a list that was read meanwhile does not say that there is none. */
  #kept = 0

  constructor(options: RefusedCommitsOptions) {
    this.#options = options
  }

  /** The commits that nobody has decided about; none are looked for where there were none. */
  async list(): Promise<readonly RefusedCommit[]> {
    if (!this.#hasAny) return []
    const kept = this.#kept
    const refs = await listRefsBelow(this.#options.store, REFUSED)
    if (refs.size === 0 && kept === this.#kept) this.#hasAny = false
    return [...refs].flatMap(([ref, commit]) => {
      const base = CommitSha.safeParse(ref.slice(REFUSED.length).split('/')[0]).data
      return base === undefined ? [] : [{ ref, commit, base }]
    })
  }

  /** The commits that nobody has decided about, with their documents. */
  async read(): Promise<readonly TakenBackCommit[]> {
    const { repository } = this.#options
    const found: TakenBackCommit[] = []
    for (const each of await this.list()) {
      const record = await repository.reader.findCommit(each.commit)
      if (record === null) continue
      const document = await repository.findForeignDocument(each.commit)
      const { author, message: text } = record
      const words = { author, subject: subjectOf(text), message: bodyOf(text) }
      found.push({ ...each, ...words, document })
    }
    return found
  }

  /** Keeps a commit that is about to be taken from the branch. */
  async keep(commit: CommitSha, base: CommitSha, why: { reason: string; time: number }) {
    this.#reasons.set(commit, why.reason)
    await this.#options.repository.keepAs(`${REFUSED}${base}/${commit}`, commit, why.time)
    this.#kept += 1
    this.#hasAny = true
  }

  /** Notes a move back to an older commit, which leaves nothing to keep. */
  noteUndone(at: CommitSha, message: string): void {
    this.#undone = { at, message }
  }

  /** Forgets commits that somebody has decided about. */
  async release(commits: readonly RefusedCommit[]): Promise<void> {
    const { store, git } = this.#options
    for (const { ref, commit } of commits) {
      if (git === null) await store.fs.rm(`${store.gitDir}/${ref}`, { force: true })
      else await runGit(git, store.gitDir, ['update-ref', '-d', ref, commit], LIMITED)
    }
    await this.show()
  }

  /** Shows what nobody has decided about, while the branch is at a commit. */
  async show(head: CommitSha | null = null): Promise<void> {
    const { problems, repository } = this.#options
    if (!this.#hasAny && this.#undone === null) return problems.clear('refused')
    if (head !== null && this.#undone?.at !== head) this.#undone = null
    const refused = await this.list()
    const messages = this.#undone === null ? [] : [this.#undone.message]
    const newest = [...this.#reasons.keys()].findLast((commit) =>
      refused.some((each) => each.commit === commit),
    )
    const named = refused.find(({ commit }) => commit === newest) ?? refused.at(-1)
    for (const each of named === undefined ? [] : [named]) {
      const record = await repository.reader.findCommit(each.commit)
      messages.push(this.#describe(each, record, refused.length - 1))
    }
    if (messages.length === 0) return problems.clear('refused')
    problems.raise({ kind: 'refused', message: messages.join('. '), problems: [] })
  }

  #describe({ ref, commit }: RefusedCommit, record: CommitRecord | null, others: number): string {
    const name = commit.slice(0, 10)
    const what =
      record === null ? name : `${name} by ${record.author} (${subjectOf(record.message)})`
    const reason = this.#reasons.get(commit) ?? 'rules do not let it pass'
    const more = others === 0 ? '' : `, beside ${others} more,`
    return `Commit ${what} was taken back from the branch: ${reason}. It is kept as ${ref}${more} until its proposal is merged or closed, or git update-ref -d removes the ref`
  }
}
