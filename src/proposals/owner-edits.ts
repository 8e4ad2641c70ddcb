import type { NewAuditEntry } from '../core/service/audit.ts'
import { digestOf } from '../core/digest.ts'
import { ServiceError, unavailable } from '../core/errors.ts'
import type { HealthProblem } from '../core/service/health-problem.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import type { ReadableDocuments } from '../configuration/current/readable-documents.ts'
import type { TakenBackCommit } from '../history/sync/refused-commits.ts'
import { oneLine } from '../history/revision/message.ts'
import type { RefusedEdit } from '../history/sync/reconciler.ts'
import type { Log } from '../lib/log.ts'
import { type PreparedContent, prepareContent } from './content.ts'
import { mergedUpon } from './proposed-result.ts'
import type { Proposal } from './proposal.ts'
import type { ProposalsDomain } from './proposals-domain.ts'
import { versionContent } from './propose.ts'
import { rightsNow } from './visibility.ts'

export interface OwnerEditsDeps extends Omit<
  ProposalsDomain,
  'plan' | 'isStillUser' | 'queues' | 'writer'
> {
  readonly readable: Pick<ReadableDocuments, 'seal'>
  /** Records an entry once; false while it is not durable. */
  readonly keepEntry: (entry: NewAuditEntry) => Promise<boolean>
}

type OwnerDoor = keyof typeof DOORS

/** A change of the machine's owner that the gate refused. */
interface OwnerEdit {
  readonly door: OwnerDoor
  readonly title: string
  /** The reason; may be empty. */
  readonly message: string
  readonly content: PreparedContent
  /** Identifies the change among others by this door. */
  readonly source: string
}

/** Milliseconds between two looks where nothing has happened in this process. */
const LOOK_INTERVAL_MS = 1_000
const MAX_TITLE_LENGTH = 200
/** The author of changes outside of the service, as of revisions that come from the live file. */
const OWNER = { username: 'Filesystem' } as const
const DOORS = {
  'live-file': 'an edit of the live file',
  'native-commit': 'a commit of git',
} as const

/**
 * Proposes what rules do not let pass of the live file and of commits of git: one open proposal for each
 * of the two doors, of which the next edit is the next version. Each server does so for its own folder, as
 * soon as the history refuses a change, and lets go of it as soon as its proposal has ended.
 */
export class OwnerEdits implements AsyncDisposable {
  readonly #deps: OwnerEditsDeps
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  readonly #unsubscribe: readonly (() => void)[]
  /** The open proposals of both doors at the last look; null before the first one. */
  #open: readonly Proposal[] | null = null
  /** The digest of the edit of the live file that was dealt with last. */
  #settledEdit: string | null = null
  /** Commits of which there is no proposal, because they are not valid or change other files alone. */
  readonly #unfit = new Set<CommitSha>()
  /** The commits that the history names as a problem, with the reason. */
  #named: ReadonlySet<string> = new Set()
  /** The newest version of an open proposal with the revision that it was compared with last. */
  readonly #compared = new Map<number, string>()
  #looking: Promise<void> | null = null
  /** Whether something has happened since the look under way began. */
  #isDue = false

  constructor(deps: OwnerEditsDeps, log: Log) {
    this.#deps = deps
    this.#log = log
    const begin = () => this.#begin()
    const { history, store } = deps
    this.#unsubscribe = [history.onProblem(begin), store.onChange(begin)]
    this.#timer = setInterval(begin, LOOK_INTERVAL_MS)
    this.#timer.unref()
  }

  problems(): readonly HealthProblem[] {
    const unnamed = (this.#open ?? []).filter(({ newest }) => !this.#named.has(newest.source ?? ''))
    return unnamed.map(({ number, door, title }) => {
      const what = isOwnerDoor(door) ? DOORS[door] : 'a change'
      const subject = `The rules hold up ${what}, which is waiting as proposal ${number}: ${title}`
      return { subject, errors: [] }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    this.#isDue = false
    await this.#looking
  }

  #begin(): void {
    if (this.#looking !== null) {
      this.#isDue = true
      return
    }
    this.#isDue = false
    this.#looking = this.#look()
      .catch((error: unknown) => {
        if (error instanceof ServiceError && error.code === 'unavailable') return
        const message = 'Changes outside of the service could not be proposed'
        this.#log({ level: 'warning', message, facts: { error } })
      })
      .finally(() => {
        this.#looking = null
        if (this.#isDue) this.#begin()
      })
  }

  async #look(): Promise<void> {
    const { history, store } = this.#deps
    const { refusedEdit } = history
    const commits = await history.listRefused()
    if (this.#open?.length === 0 && refusedEdit === null && commits.length === 0) return
    for (const each of commits) await this.#settleCommit(each)
    this.#named = new Set(commits.map(({ commit }) => commit))
    if (refusedEdit !== null) await this.#settleEdit(refusedEdit)
    const all = await store.list()
    this.#open = all.filter(({ state, door }) => state === 'open' && isOwnerDoor(door))
    for (const each of this.#open) await this.#closeIfOver(each)
  }

  /** Proposes a commit, or lets go of it when its proposal has ended. */
  async #settleCommit(taken: TakenBackCommit): Promise<void> {
    const { history, store } = this.#deps
    const { commit: source, author, subject, message, document } = taken
    const own = (await store.list()).find(({ versions }) =>
      versions.some((version) => version.source === source),
    )
    if (own !== undefined && own.state !== 'open') await history.releaseRefused([taken])
    if (own !== undefined || document === null || this.#unfit.has(source)) return
    const base = await history.findCommitEver(taken.base)
    const content = base && (await this.#contentOf(document, base))
    if (content === null) {
      this.#unfit.add(source)
      return
    }
    const title = `Commit ${source.slice(0, 10)} by ${author}: ${subject}`
    await this.#propose({ door: 'native-commit', title, message, content, source })
  }

  /** An edit that stays as it is was proposed already, also where its proposal was closed. */
  async #settleEdit({ document: bytes, base }: RefusedEdit): Promise<void> {
    const { readable, store } = this.#deps
    const digest = digestOf(bytes)
    if (digest === this.#settledEdit) return
    // Sealed the same each time: a plain secret makes no new version.
    const document = await readable.seal({ digest, document: bytes })
    const source = digestOf(document)
    const last = (await store.list()).find(({ door }) => door === 'live-file')
    if (last?.newest.source !== source) {
      const content = await this.#contentOf(document, base)
      const words = { title: 'An edit of the live file', message: '' }
      if (content !== null) await this.#propose({ door: 'live-file', ...words, content, source })
    }
    this.#settledEdit = digest
  }

  async #propose({ door, title: text, message, content, source }: OwnerEdit): Promise<void> {
    const { store } = this.#deps
    const title = oneLine(text).slice(0, MAX_TITLE_LENGTH)
    const next = versionContent(content, OWNER, { title, message })
    const { base, touches } = content
    const facts = { by: OWNER, title, message, base: base.commit, touches, source }
    const isOpen = ({ state, door: other }: Proposal) => state === 'open' && other === door
    const known = (await store.list()).find(isOpen)
    if (known === undefined) {
      const { number } = await store.open(null, next, ({ version, commit }) => {
        return { type: 'open', ...facts, when: null, door, version, commit }
      })
      await this.#note('propose', { number, door })
      return
    }
    await store.update(null, known.number, next, (proposal, { version, commit }) => {
      // A merge that has begun commits the version that it has seen: the edit waits for its end.
      if (!isOpen(proposal) || proposal.merging !== null)
        throw unavailable(`The proposal ${known.number} is being merged`)
      return { type: 'update', ...facts, version, commit }
    })
    await this.#note('update-proposal', { number: known.number, door })
  }

  /** The proposal holds whether or not the audit log takes the entry. */
  async #note(
    action: 'propose' | 'update-proposal' | 'close-proposal',
    { number, door }: Pick<Proposal, 'number'> & { readonly door: string | null },
  ): Promise<void> {
    await this.#deps.keepEntry({
      time: this.#deps.clock(),
      user: OWNER.username,
      action,
      target: `proposal ${number}`,
      address: '',
      outcome: 'done',
      ...(door === null ? {} : { door }),
    })
  }

  /** Null for a document that is not valid, and for one that changes nothing. */
  async #contentOf(
    document: Uint8Array<ArrayBuffer>,
    { digest }: Revision,
  ): Promise<PreparedContent | null> {
    const rights = rightsNow(this.#deps, OWNER)
    try {
      return await prepareContent(this.#deps, {
        content: { document },
        digest,
        principal: null,
        rights,
      })
    } catch (error) {
      const isUnfit =
        error instanceof ServiceError &&
        (error.code === 'config-invalid' || error.code === 'malformed-request')
      if (isUnfit) return null
      throw error
    }
  }

  /** Closes a proposal whose change is there already, as when a window has ended. */
  async #closeIfOver({ number, newest, door }: Proposal): Promise<void> {
    const { history, store } = this.#deps
    const current = history.current()
    const state = `${newest.commit} ${current.commit}`
    if (this.#compared.get(number) === state) return
    const document = await history.readDocument(current)
    const result = await mergedUpon(this.#deps, newest, document)
    if (result.kind === 'clean' && Buffer.compare(result.document, document) === 0) {
      const text = 'The configuration has this change'
      const closed = await store.add(null, number, (proposal) => {
        const isIdle = proposal.state === 'open' && proposal.merging === null
        return isIdle ? { type: 'close', by: OWNER, text } : null
      })
      if (closed !== null) await this.#note('close-proposal', { number, door })
    }
    this.#compared.set(number, state)
  }
}

function isOwnerDoor(door: string | null): door is OwnerDoor {
  return door !== null && Object.hasOwn(DOORS, door)
}
