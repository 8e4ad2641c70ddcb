import { describeFault } from '../core/faults.ts'
import { appendEvent, type ProposalChanged, TOLD_PROPOSALS } from '../core/service/service-event.ts'
import type { Log } from '../lib/log.ts'
import { RetryLoop } from '../lib/retry.ts'
import type { StateStore } from '../state/state-store.ts'
import type { ProposalEvent } from './proposal-event.ts'
import type { ProposalHistory, ProposalStore } from './proposal-store.ts'

/** The document that exists once the log has begun; proposals from before are not told. */
const BEGINNING = 'beginning'
const PAUSES = { fromMs: 500, toMs: 60_000 }

const TYPES: Readonly<Record<ProposalEvent['type'], ProposalChanged['type'] | null>> = {
  open: 'proposal.opened',
  update: 'proposal.updated',
  approve: 'proposal.approved',
  reject: 'proposal.rejected',
  'take-back': 'proposal.review-taken-back',
  comment: 'proposal.commented',
  merging: null,
  held: 'proposal.held',
  merged: 'proposal.merged',
  close: 'proposal.closed',
}

export interface ToldProposalsOptions {
  readonly proposals: ProposalStore
  readonly store: StateStore
  readonly log: Log
  /** Called when events were added. */
  readonly told: () => void
}

/** How many events of each proposal were told, by its number as a key. */
interface ToldBefore {
  readonly before: ReadonlyMap<string, number>
  /** Whether nothing was ever told: what there is then is not told. */
  readonly isFirst: boolean
}

/**
 * Copies the events of proposals from git into the log of events, each once: how far it came is stored in
 * the same change, so that a crash behind a change of a proposal loses none.
 */
export class ToldProposals implements AsyncDisposable {
  readonly #options: ToldProposalsOptions
  readonly #loop: RetryLoop
  readonly #unlisten: () => void
  /** The proposals that have changed since they were told; null before all were looked at. */
  #due: Set<number> | null = null

  constructor(options: ToldProposalsOptions) {
    this.#options = options
    this.#loop = new RetryLoop({
      round: () => this.#tellDue(),
      pauses: PAUSES,
      problemOf: describeFault,
      report: (problem, error) => {
        const message = 'The events of proposals could not be recorded'
        if (problem !== null) options.log({ level: 'warning', message, facts: { error } })
      },
    })
    this.#unlisten = options.proposals.onChange((number) => {
      this.#due?.add(number)
      this.#loop.wake()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unlisten()
    await this.#loop[Symbol.asyncDispose]()
  }

  async #tellDue(): Promise<void> {
    const due = this.#due
    this.#due = new Set()
    try {
      await (due === null ? this.#tellAll() : this.#tellSome(due))
    } catch (error) {
      this.#due = due && new Set([...due, ...this.#due])
      throw error
    }
  }

  async #tellAll(): Promise<void> {
    const { store, proposals } = this.#options
    const isFirst = (await store.find(TOLD_PROPOSALS, BEGINNING)) === null
    const before = new Map(
      (await store.list(TOLD_PROPOSALS)).map(({ key, value }) => [key, value.events]),
    )
    await this.#tell(await proposals.histories(), { before, isFirst })
  }

  async #tellSome(due: ReadonlySet<number>): Promise<void> {
    const { store, proposals } = this.#options
    const numbers = [...due].toSorted((one, other) => other - one)
    const before = new Map<string, number>()
    for (const number of numbers) {
      const key = `${number}`
      before.set(key, (await store.find(TOLD_PROPOSALS, key))?.events ?? 0)
    }
    await this.#tell(await proposals.historiesOf(numbers), { before, isFirst: false })
  }

  async #tell(
    histories: readonly ProposalHistory[],
    { before, isFirst }: ToldBefore,
  ): Promise<void> {
    const { store, told } = this.#options
    const news = histories.filter(
      ({ proposal, events }) => (before.get(`${proposal.number}`) ?? 0) < events.length,
    )
    if (news.length === 0 && !isFirst) return
    await store.change(async (tx) => {
      if (isFirst) await tx.put(TOLD_PROPOSALS, BEGINNING, { events: 0 })
      for (const { proposal, events } of news.toReversed()) {
        const key = `${proposal.number}`
        const fresh = isFirst ? [] : events.slice(before.get(key) ?? 0)
        for (const event of fresh.flatMap((each) => changedBy({ proposal, events }, each)))
          await appendEvent(tx, event)
        await tx.put(TOLD_PROPOSALS, key, { events: events.length })
      }
    })
    told()
  }
}

function changedBy({ proposal }: ProposalHistory, event: ProposalEvent): ProposalChanged[] {
  const type = TYPES[event.type]
  if (type === null) return []
  const { number, title, author } = proposal
  const { time, by } = event
  const text = 'text' in event ? event.text : ''
  const names = { author: author.username, by: by.username }
  return [{ type, time, number, title, ...names, text }]
}
