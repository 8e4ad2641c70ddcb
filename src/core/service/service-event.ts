import { z } from 'zod'
import { CommitSha } from '../revision.ts'
import { Digest } from '../digest.ts'
import type { DocumentKind } from '../document-kind.ts'

export const RUN_EVENTS = [
  'run.passed',
  'run.fixed',
  'run.failed',
  'run.broken',
  'run.cancelled',
] as const
export type RunEventType = (typeof RUN_EVENTS)[number]

/** The end of a run of a stage. `broken`: the run before it passed; `fixed`: the run before it failed. */
const RunEvent = z.object({
  type: z.enum(RUN_EVENTS),
  time: z.int(),
  pipeline: z.string(),
  pipelineCounter: z.int(),
  label: z.string(),
  stage: z.string(),
  stageCounter: z.int(),
  /** A user, or `changes`. */
  approvedBy: z.string(),
  cancelledBy: z.string().nullable(),
  /** The revision of the configuration by which it ran; null for runs that did not record it. */
  configuration: z.object({ digest: Digest, commit: CommitSha }).nullable(),
})
export type RunEvent = Readonly<z.infer<typeof RunEvent>>

export const PROPOSAL_EVENTS = [
  'proposal.opened',
  'proposal.updated',
  'proposal.approved',
  'proposal.rejected',
  'proposal.review-taken-back',
  'proposal.commented',
  'proposal.held',
  'proposal.merged',
  'proposal.closed',
] as const

const ProposalChanged = z.object({
  type: z.enum(PROPOSAL_EVENTS),
  time: z.int(),
  number: z.int(),
  title: z.string(),
  author: z.string(),
  by: z.string(),
  /** The words of a review or a comment, or the reason of what else happened; may be empty. */
  text: z.string(),
})
export type ProposalChanged = Readonly<z.infer<typeof ProposalChanged>>

const AgentLost = z.object({
  type: z.literal('agent.lost'),
  time: z.int(),
  uuid: z.string(),
  hostname: z.string(),
  /** The time of its last contact, in milliseconds since the UNIX epoch. */
  lastContact: z.int(),
})

/** An event that receivers outside of the service may want to hear of. */
export const ServiceEvent = z.discriminatedUnion('type', [RunEvent, ProposalChanged, AgentLost])
export type ServiceEvent = Readonly<z.infer<typeof ServiceEvent>>

export const NumberedEvent = z.object({ number: z.int().positive(), event: ServiceEvent })
export type NumberedEvent = Readonly<z.infer<typeof NumberedEvent>>

export const EVENTS: DocumentKind<NumberedEvent> = { name: 'event', schema: NumberedEvent }
/** The list of all events in the store, oldest first. */
export const EVENT_LIST = 'events'
const NUMBER_LENGTH = 12

/** How many events of a proposal are in the log, by its number. */
const ToldProposal = z.object({ events: z.int().nonnegative() })
export const TOLD_PROPOSALS: DocumentKind<z.infer<typeof ToldProposal>> = {
  name: 'told-proposal',
  schema: ToldProposal,
}

/** The parts of a change of the store that writing an event takes. */
interface EventTransaction {
  put<Value>(kind: DocumentKind<Value>, key: string, value: Value): Promise<void>
  next(counter: string): Promise<number>
  append(list: string, id: string): Promise<void>
}

/** Adds an event to the log, in the change of the store that makes it true. */
export async function appendEvent(tx: EventTransaction, event: ServiceEvent): Promise<void> {
  // Grows with the list, so that a number is also the place in it.
  const number = await tx.next('event')
  const key = eventKey(number)
  await tx.put(EVENTS, key, { number, event })
  await tx.append(EVENT_LIST, key)
}

export function eventKey(number: number): string {
  return `${number}`.padStart(NUMBER_LENGTH, '0')
}
