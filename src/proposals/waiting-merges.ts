import { ServiceError } from '../core/errors.ts'
import type { Log } from '../lib/log.ts'
import { mergeProposal } from './merge-proposal.ts'
import { whyHeld } from './people.ts'
import type { Proposal } from './proposal.ts'
import type { ProposalsDomain } from './proposals-domain.ts'

const LOOK_INTERVAL_MS = 2_000
/** The time after which one that was refused is tried again: a window of a rule may have ended. */
const RETRY_INTERVAL_MS = 60_000

/**
 * Merges proposals that are to be merged by themselves: once they may be, or at a time, by the rights of who
 * wrote the newest version. One that may not be merged at its time stays open with the reason, and is tried
 * again after a review and now and then.
 */
export class WaitingMerges implements AsyncDisposable {
  readonly #deps: ProposalsDomain
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  /** The times of the last attempts. */
  readonly #tried = new Map<number, number>()
  #looking: Promise<void> = Promise.resolve()
  #isLooking = false

  constructor(deps: ProposalsDomain, log: Log) {
    this.#deps = deps
    this.#log = log
    this.#timer = setInterval(() => this.#begin(), LOOK_INTERVAL_MS)
    this.#timer.unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  #begin(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    this.#looking = this.#look()
      .catch((error: unknown) => {
        this.#log({ level: 'warning', message: 'Proposals could not be merged', facts: { error } })
      })
      .finally(() => (this.#isLooking = false))
  }

  async #look(): Promise<void> {
    const now = this.#deps.clock()
    for (const proposal of await this.#deps.store.list()) {
      if (!this.#isDue(proposal, now)) continue
      this.#tried.set(proposal.number, now)
      await this.#merge(proposal)
    }
  }

  async #merge({ number, author, newest: { by: writer, version } }: Proposal): Promise<void> {
    const assertStillGood = async () => {
      for (const person of [author, writer]) {
        if (!(await this.#deps.isStillUser(person))) throw gone(person.username)
      }
    }
    try {
      await assertStillGood()
      const principal = { ...writer, assertStillGood }
      const request = { message: '', version, mergesItself: true }
      await mergeProposal(this.#deps, principal, number, request)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'unavailable') throw error
      const text = whyHeld(error)
      await this.#deps.store.add(null, number, ({ state, held }) =>
        state === 'open' && held !== text ? { type: 'held', by: author, text } : null,
      )
    }
  }

  #isDue({ number, state, when, changed }: Proposal, now: number): boolean {
    if (state !== 'open' || when === null || (when !== 'approved' && when > now)) return false
    const tried = this.#tried.get(number)
    return tried === undefined || changed > tried || now - tried >= RETRY_INTERVAL_MS
  }
}

function gone(username: string): ServiceError {
  const message = `The author ${username} cannot log in any more`
  return new ServiceError('not-permitted', message, { permission: 'propose' })
}
