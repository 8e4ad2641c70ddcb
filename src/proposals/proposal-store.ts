import { unavailable } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { CommitSha } from '../core/revision.ts'
import type { SideMove, SideRefs } from '../history/refs/side-refs.ts'
import type { Clock } from '../lib/clock.ts'
import { Emitter } from '../lib/emitter.ts'
import type { NonEmptyArray } from '../lib/non-empty-array.ts'
import { type Proposal, proposalOf } from './proposal.ts'
import { parseEvents, type ProposalEvent, renderEvents } from './proposal-event.ts'

const PREFIX = 'refs/proposals/'
const NUMBER = /^refs\/proposals\/([1-9]\d{0,8})\//
/** The file of the events of a proposal in the commits of its `meta`. */
const EVENTS_FILE = 'events.jsonl'
/** Tries of a change while other servers change proposals. */
const ATTEMPTS = 20

/** An event without what the store knows: its time. */
export type NewEvent = ProposalEvent extends infer Event
  ? Event extends ProposalEvent
    ? Omit<Event, 'time'>
    : never
  : never

/** The content of a new version, as the document upon its revision. */
export interface NewContent {
  readonly base: CommitSha
  readonly document: Uint8Array<ArrayBuffer>
  readonly author: string
  /** The message of its commit. */
  readonly message: string
}

/** A version that is being added. */
export interface NewVersion {
  readonly number: number
  readonly version: number
  readonly commit: CommitSha
}

export interface ProposalStoreOptions {
  readonly refs: SideRefs
  /** The name of the document in the repository. */
  readonly fileName: string
  readonly clock: Clock
}

/** The caller that makes a change, and may have been shut out while it waited for its turn; null for the service. */
type Caller = Pick<Principal, 'assertStillGood'> | null

/** A proposal with the events that have made it, oldest first. */
export interface ProposalHistory {
  readonly proposal: Proposal
  readonly events: readonly ProposalEvent[]
}

interface Stored {
  readonly meta: CommitSha
  readonly events: readonly ProposalEvent[]
  readonly proposal: Proposal
}

/**
 * The proposals, in git alone: `refs/proposals/N/VERSION` is a version of the content, as a commit upon the
 * revision that it was made from; `refs/proposals/N/head` is the newest one. Each commit of
 * `refs/proposals/N/meta` adds an event to the lines of its file. The move of `meta` decides: what it does
 * not name has not happened.
 */
export class ProposalStore {
  readonly #options: ProposalStoreOptions
  readonly #stored = new Map<number, Stored>()
  /** The proposals of which a ref has another commit than when they were read. */
  readonly #unread = new Set<number>()
  /** The last number that a ref names; all up to it are taken. */
  #last = 0
  /** All proposals that were read, the newest first; null after one has changed. */
  #sorted: readonly Stored[] | null = null
  readonly #changed = new Emitter<[number: number]>()

  constructor(options: ProposalStoreOptions) {
    this.#options = options
    options.refs.onPlaced((ref) => this.#noteRef(ref))
  }

  /** All proposals, the newest first. */
  async list(): Promise<readonly Proposal[]> {
    return (await this.histories()).map(({ proposal }) => proposal)
  }

  /** The same with their events. */
  async histories(): Promise<readonly ProposalHistory[]> {
    return this.#options.refs.change(async (refs) => {
      for (const number of this.#unread) {
        await this.#read(refs, number)
        this.#unread.delete(number)
      }
      this.#sorted ??= [...this.#stored.values()].toSorted(
        (one, other) => other.proposal.number - one.proposal.number,
      )
      return this.#sorted
    })
  }

  /** Some proposals with their events; those that are not there are left out. */
  async historiesOf(numbers: Iterable<number>): Promise<readonly ProposalHistory[]> {
    return this.#options.refs.change(async (refs) => {
      const found: ProposalHistory[] = []
      for (const number of numbers) {
        const stored = await this.#read(refs, number)
        if (stored !== null) found.push(stored)
      }
      return found
    })
  }

  /**
   * Calls the listener with the number of a proposal that has changed here, or is read; returns a function
   * that unsubscribes it.
   */
  onChange(listener: (number: number) => void): () => void {
    return this.#changed.on(listener)
  }

  async find(number: number): Promise<Proposal | null> {
    const [found] = await this.historiesOf([number])
    return found?.proposal ?? null
  }

  /** The document of a version. */
  async readDocument(commit: CommitSha): Promise<Uint8Array<ArrayBuffer>> {
    const document = await this.#options.refs.findFile(commit, this.#options.fileName)
    if (document !== null) return document
    throw unavailable(`The repository has no document in commit ${commit} of a proposal`)
  }

  /**
   * Opens a proposal under the next number. A number that was taken before a crash is not given again.
   *
   * @throws {ServiceError} what `assertStillGood` of the caller throws, as all changes do.
   */
  async open(
    caller: Caller,
    content: NewContent,
    eventOf: (version: NewVersion) => NewEvent,
  ): Promise<Proposal> {
    return this.#changing(caller, async () => {
      const number = this.#last + 1
      const { commit, event } = await this.#withVersion({ number, version: 1 }, content, eventOf)
      const meta = await this.#writeEvents(number, null, [event])
      const place = `${PREFIX}${number}`
      const { base: upon } = content
      return this.#moved(number, { meta, events: [event] }, [
        { ref: `${place}/1`, from: null, to: commit, upon },
        { ref: `${place}/head`, from: null, to: commit, upon },
        { ref: `${place}/meta`, from: null, to: meta, upon: null },
      ])
    })
  }

  /**
   * Adds a version to a proposal. `eventOf` is given the proposal as it is then, and may refuse by
   * throwing.
   */
  async update(
    caller: Caller,
    number: number,
    content: NewContent,
    eventOf: (proposal: Proposal, version: NewVersion) => NewEvent,
  ): Promise<Proposal | null> {
    return this.#changing(caller, async (refs) => {
      const stored = await this.#read(refs, number)
      if (stored === null) return null
      const version = stored.proposal.newest.version + 1
      const made = await this.#withVersion({ number, version }, content, (facts) =>
        eventOf(stored.proposal, facts),
      )
      const events = [...stored.events, made.event]
      const meta = await this.#writeEvents(number, stored.meta, events)
      const place = `${PREFIX}${number}`
      const ofVersion = { to: made.commit, upon: content.base }
      // A crash may have left a version that no event names, and a head that is behind.
      return this.#moved(number, { meta, events }, [
        { ref: `${place}/${version}`, from: refs.get(`${place}/${version}`) ?? null, ...ofVersion },
        { ref: `${place}/meta`, from: stored.meta, to: meta, upon: null },
        { ref: `${place}/head`, from: refs.get(`${place}/head`) ?? null, ...ofVersion },
      ])
    })
  }

  /**
   * Adds an event to a proposal; null where there is none of that number. `eventOf` is given the proposal
   * as it is then, and may refuse by throwing, or return null to add nothing.
   */
  async add(
    caller: Caller,
    number: number,
    eventOf: (proposal: Proposal) => NewEvent | null,
  ): Promise<Proposal | null> {
    return this.#changing(caller, async (refs) => {
      const stored = await this.#read(refs, number)
      const added = stored && eventOf(stored.proposal)
      if (stored === null || added === null) return stored?.proposal ?? null
      const events = [...stored.events, this.#timed(added)]
      const meta = await this.#writeEvents(number, stored.meta, events)
      const move = { ref: `${PREFIX}${number}/meta`, from: stored.meta, to: meta, upon: null }
      return this.#moved(number, { meta, events }, [move])
    })
  }

  /** Changes proposals at the caller's turn, and tries again while another server is faster. */
  async #changing<Result>(
    caller: Caller,
    work: (refs: ReadonlyMap<string, CommitSha>) => Promise<Result | 'stale'>,
  ): Promise<Result> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const result = await this.#options.refs.change(async (refs) => {
        await caller?.assertStillGood?.()
        return work(refs)
      })
      if (result !== 'stale') return result
    }
    throw unavailable('Others keep changing proposals')
  }

  #noteRef(ref: string): void {
    const number = Number(NUMBER.exec(ref)?.[1] ?? 0)
    if (number === 0) return
    this.#last = Math.max(this.#last, number)
    this.#unread.add(number)
  }

  async #read(refs: ReadonlyMap<string, CommitSha>, number: number): Promise<Stored | null> {
    const meta = refs.get(`${PREFIX}${number}/meta`)
    if (meta === undefined) return null
    const known = this.#stored.get(number)
    if (known?.meta === meta) return known
    const bytes = await this.#options.refs.findFile(meta, EVENTS_FILE)
    if (bytes === null) throw unavailable(`The events of the proposal ${number} are not there`)
    const stored = this.#keep(number, meta, parseEvents(bytes))
    this.#changed.emit(number)
    await this.#placeHead(refs, stored.proposal)
    return stored
  }

  /** Moves the head to the newest version, where a crash has left it behind. */
  async #placeHead(
    refs: ReadonlyMap<string, CommitSha>,
    { number, newest: { commit: to, base: upon } }: Proposal,
  ): Promise<void> {
    const ref = `${PREFIX}${number}/head`
    const from = refs.get(ref) ?? null
    if (from !== to) await this.#options.refs.move([{ ref, from, to, upon }])
  }

  #keep(number: number, meta: CommitSha, events: readonly ProposalEvent[]): Stored {
    const stored = { meta, events, proposal: proposalOf(number, events) }
    this.#stored.set(number, stored)
    this.#sorted = null
    return stored
  }

  async #withVersion(
    { number, version }: { readonly number: number; readonly version: number },
    { base, document, author, message }: NewContent,
    eventOf: (facts: NewVersion) => NewEvent,
  ): Promise<{ readonly commit: CommitSha; readonly event: ProposalEvent }> {
    const { refs, fileName: path, clock } = this.#options
    const time = clock()
    const commit = await refs.write({ parent: base, path, document, author, time, message })
    return { commit, event: this.#timed(eventOf({ number, version, commit })) }
  }

  #timed(event: NewEvent): ProposalEvent {
    return { ...event, time: this.#options.clock() }
  }

  async #writeEvents(
    number: number,
    parent: CommitSha | null,
    events: readonly ProposalEvent[],
  ): Promise<CommitSha> {
    const newest = events.at(-1)
    return this.#options.refs.write({
      parent,
      path: EVENTS_FILE,
      document: renderEvents(events),
      author: newest?.by.username ?? '',
      time: newest?.time ?? 0,
      message: `Proposal ${number}: ${newest?.type ?? ''}\n`,
    })
  }

  async #moved(
    number: number,
    { meta, events }: Pick<Stored, 'meta' | 'events'>,
    moves: NonEmptyArray<SideMove>,
  ): Promise<Proposal | 'stale'> {
    if (!(await this.#options.refs.move(moves))) return 'stale'
    const { proposal } = this.#keep(number, meta, events)
    this.#changed.emit(number)
    return proposal
  }
}
