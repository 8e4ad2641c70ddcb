import type { ProposalWriter } from '../core/change-origin.ts'
import { nameKey } from '../core/name-key.ts'
import { isSamePerson } from '../core/principal.ts'
import type { CommitSha } from '../core/revision.ts'
import type {
  EventOf,
  ProposalPerson,
  ProposalEvent,
  TouchedPlace,
  MergeTime,
} from './proposal-event.ts'

export const PROPOSAL_STATES = ['open', 'merged', 'closed'] as const
export type ProposalState = (typeof PROPOSAL_STATES)[number]

/** A version of the content of a proposal. */
export interface ProposalVersion {
  readonly version: number
  readonly commit: CommitSha
  /** The revision that it was made from. */
  readonly base: CommitSha
  readonly by: ProposalPerson
  readonly time: number
  readonly touches: readonly TouchedPlace[]
  /** The commit of git, or the digest of the live file, that it comes from; null for any other. */
  readonly source: string | null
}

/** A proposal as its events have made it. */
export interface Proposal {
  readonly number: number
  readonly title: string
  readonly message: string
  readonly author: ProposalPerson
  /** The people who changed its content, the author first. */
  readonly contributors: readonly string[]
  /** The author of each version, oldest first. */
  readonly writers: readonly ProposalWriter[]
  readonly state: ProposalState
  readonly when: MergeTime
  readonly opened: number
  /** The time of the newest event. */
  readonly changed: number
  /** Oldest first. */
  readonly versions: readonly ProposalVersion[]
  readonly newest: ProposalVersion
  /** The newest review of each person, oldest first. */
  readonly reviews: readonly EventOf<'approve' | 'reject'>[]
  readonly comments: readonly EventOf<'comment'>[]
  /** The first merge of which the outcome is not known; null for none. */
  readonly merging: EventOf<'merging'> | null
  readonly merged: EventOf<'merged'> | null
  readonly closed: EventOf<'close'> | null
  /** The reason for which it was not merged by itself; null where nothing holds it up. */
  readonly held: string | null
  /** The door of changes outside of the service that it has; null for one that somebody has made. */
  readonly door: string | null
}

/** @throws {RangeError} for events that do not begin with the opening of a proposal. */
export function proposalOf(number: number, events: readonly ProposalEvent[]): Proposal {
  const [first, ...others] = events
  if (first?.type !== 'open') throw new RangeError(`The proposal ${number} does not begin`)
  return others.reduce(applied, opened(number, first))
}

function opened(number: number, event: EventOf<'open'>): Proposal {
  const version = versionOf(event)
  return {
    number,
    title: event.title,
    message: event.message,
    author: event.by,
    contributors: [event.by.username],
    writers: [writerOf(event)],
    state: 'open',
    when: event.when,
    opened: event.time,
    changed: event.time,
    versions: [version],
    newest: version,
    reviews: [],
    comments: [],
    merging: null,
    merged: null,
    closed: null,
    held: null,
    door: event.door ?? null,
  }
}

function applied(proposal: Proposal, event: ProposalEvent): Proposal {
  const changed = { ...proposal, changed: event.time }
  switch (event.type) {
    case 'open':
      return proposal
    case 'update':
      return updated(changed, event)
    case 'approve':
    case 'reject':
      return { ...changed, reviews: [...reviewsOfOthers(proposal, event.by), event], held: null }
    case 'take-back':
      return { ...changed, reviews: reviewsOfOthers(proposal, event.by) }
    case 'comment':
      return { ...changed, comments: [...proposal.comments, event] }
    case 'merging':
      return { ...changed, merging: proposal.merging ?? event }
    case 'held':
      return { ...changed, held: event.text, merging: null }
    case 'merged':
      return { ...changed, state: 'merged', merged: event, merging: null, held: null }
    case 'close':
      return { ...changed, state: 'closed', closed: event, merging: null, held: null }
  }
}

function updated(proposal: Proposal, event: EventOf<'update'>): Proposal {
  const version = versionOf(event)
  const { username } = event.by
  const isKnown = proposal.contributors.some((each) => nameKey(each) === nameKey(username))
  return {
    ...proposal,
    title: event.title ?? proposal.title,
    message: event.message ?? proposal.message,
    when: event.when === undefined ? proposal.when : event.when,
    versions: [...proposal.versions, version],
    newest: version,
    writers: [...proposal.writers, writerOf(event)],
    contributors: isKnown ? proposal.contributors : [...proposal.contributors, username],
    held: null,
  }
}

function writerOf({ by, credential }: EventOf<'open' | 'update'>): ProposalWriter {
  return { ...by, credential: credential ?? 'password' }
}

function versionOf(event: EventOf<'open' | 'update'>): ProposalVersion {
  const { version, commit, base, by, time, touches, source = null } = event
  return { version, commit, base, by, time, touches, source }
}

function reviewsOfOthers({ reviews }: Proposal, person: ProposalPerson) {
  return reviews.filter(({ by }) => !isSamePerson(by, person))
}
