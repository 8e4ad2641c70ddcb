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

/**
 * Copies the events of proposals from git into the log of events, each once: how far it came is stored in
 * the same change, so that a crash behind a change of a proposal loses none.
 */
export class ToldProposals implements AsyncDisposable {
  readonly #options: ToldProposalsOptions
  readonly #loop: RetryLoop
  readonly #unlisten: () => void

  constructor(options: ToldProposalsOptions) {
    this.#options = options
    this.#loop = new RetryLoop({
      round: () => this.#tellAll(),
      pauses: PAUSES,
      problemOf: describeFault,
      report: (problem, error) => {
        const message = 'The events of proposals could not be recorded'
        if (problem !== null) options.log({ level: 'warning', message, facts: { error } })
      },
    })
    this.#unlisten = options.proposals.onChange(() => this.#loop.wake())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unlisten()
    await this.#loop[Symbol.asyncDispose]()
  }

  async #tellAll(): Promise<void> {
    const { store, proposals, told } = this.#options
    const isFirst = (await store.find(TOLD_PROPOSALS, BEGINNING)) === null
    const before = new Map(
      (await store.list(TOLD_PROPOSALS)).map(({ key, value }) => [key, value.events]),
    )
    const histories = await proposals.histories()
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
