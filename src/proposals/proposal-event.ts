import { z } from 'zod'
import { Digest } from '../core/digest.ts'
import { UserSource } from '../core/principal.ts'
import { CommitSha } from '../core/revision.ts'

/** A person as an event names them. Users of a directory or provider come with their roles of that time. */
const ProposalPerson = z.object({
  username: z.string(),
  userId: z.string().exactOptional(),
  external: z
    .object({ source: UserSource.exclude(['users-file']), roles: z.array(z.string()).readonly() })
    .exactOptional(),
})
export type ProposalPerson = z.infer<typeof ProposalPerson>

/** An entity that a proposal touches; of a pipeline also the group that it is in. */
const Touched = z.object({ entity: z.string(), group: z.string().exactOptional() })
export type TouchedPlace = z.infer<typeof Touched>

/** MergeTime an open proposal is merged by itself: as soon as it may, or at a time in milliseconds; null for never. */
export const MergeTime = z.union([z.literal('approved'), z.int().min(0)]).nullable()
export type MergeTime = z.infer<typeof MergeTime>

const common = { time: z.int(), by: ProposalPerson }

const VersionFields = {
  version: z.int().min(1),
  /** The credential of its author; absent in older ones. */
  credential: z.enum(['password', 'session', 'token']).exactOptional(),
  /** The commit of the version, upon the revision that it was made from. */
  commit: CommitSha,
  base: CommitSha,
  /** The commit of git, or the digest of the live file, that it comes from. */
  source: z.string().exactOptional(),
  touches: z.array(Touched).readonly(),
}

const Words = { title: z.string(), message: z.string(), when: MergeTime }

/** The effects of a change that an approval has seen: what it starts and whom it gives rights. */
const SeenEffects = z.object({
  starts: z.array(z.string()).readonly(),
  gains: z.array(z.string()).readonly(),
})
export type SeenEffects = z.infer<typeof SeenEffects>

const Opened = z.object({
  type: z.literal('open'),
  ...common,
  ...Words,
  ...VersionFields,
  /** The door that a proposal of changes outside of the service comes from. */
  door: z.string().exactOptional(),
})

const Updated = z.object({
  type: z.literal('update'),
  ...common,
  ...VersionFields,
  title: z.string().exactOptional(),
  message: z.string().exactOptional(),
  when: MergeTime.exactOptional(),
})

const Reviewed = z.object({
  type: z.enum(['approve', 'reject']),
  ...common,
  version: z.int().min(1),
  /** The digest of the change that was reviewed, and the version of the rules. */
  digest: z.string(),
  rules: z.string(),
  effects: SeenEffects,
  text: z.string(),
})

/** Takes a review back. */
const TakenBack = z.object({ type: z.literal('take-back'), ...common })

const Commented = z.object({
  type: z.literal('comment'),
  ...common,
  version: z.int().min(1),
  text: z.string(),
  /** The entity or the line of the document that it is about. */
  entity: z.string().exactOptional(),
  line: z.int().min(1).exactOptional(),
})

/** A merge begins: its commit is looked for among the revisions after `from`, should nothing follow. */
const Merging = z.object({ type: z.literal('merging'), ...common, from: CommitSha })

const Merged = z.object({
  type: z.literal('merged'),
  ...common,
  commit: CommitSha,
  digest: Digest,
})

/** The reason for which a proposal that merges by itself stays open. */
const Held = z.object({ type: z.literal('held'), ...common, text: z.string() })

const Closed = z.object({ type: z.literal('close'), ...common, text: z.string() })

/** A line of the history of a proposal. */
export const ProposalEvent = z.discriminatedUnion('type', [
  Opened,
  Updated,
  Reviewed,
  TakenBack,
  Commented,
  Merging,
  Merged,
  Held,
  Closed,
])
export type ProposalEvent = z.infer<typeof ProposalEvent>
export type EventOf<Type extends ProposalEvent['type']> = Extract<ProposalEvent, { type: Type }>

/** One JSON object a line, oldest first. */
export function renderEvents(events: readonly ProposalEvent[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(events.map((each) => `${JSON.stringify(each)}\n`).join('')))
}

/** @throws {RangeError} for a line that is no event. */
export function parseEvents(bytes: Uint8Array): readonly ProposalEvent[] {
  const lines = Buffer.from(bytes).toString('utf8').split('\n')
  return lines.filter((line) => line !== '').map(parseEvent)
}

function parseEvent(line: string, at: number): ProposalEvent {
  try {
    return ProposalEvent.parse(JSON.parse(line))
  } catch (cause) {
    throw new RangeError(`Line ${at + 1} of the proposal is not one of its events`, { cause })
  }
}
