import type { ExternalUser, IssuedCredential, Principal } from './principal.ts'

/** The doors by which people change the configuration through the service, each as a caller with rights. */
export const DOORS_OF_PEOPLE = [
  'put',
  'post',
  'form',
  'entity',
  'create-pipeline',
  'restore',
  'undo',
  'push',
  'agent-administration',
  'proposal',
] as const
export type DoorOfPeople = (typeof DOORS_OF_PEOPLE)[number]

/** The doors without a caller: edits and commits by the machine's owner, agents, and the service itself. */
export const DOORS_WITHOUT_CALLER = [
  'live-file',
  'native-commit',
  'agent-registration',
  'sealing',
  'adoption',
] as const
export type DoorWithoutCaller = (typeof DOORS_WITHOUT_CALLER)[number]

export type Door = DoorOfPeople | DoorWithoutCaller

/** The newest review of a person about a proposal. */
export interface Review {
  readonly by: string
  /** Distinguishes users who had the same name one after the other. */
  readonly userId?: string
  /** Absent for a user of the users file. */
  readonly external?: ExternalUser
  readonly decision: 'approve' | 'reject'
  /** The digest of the reviewed change: of the bytes of its entities, before and after. */
  readonly digest: string
  /** The version of the rules at that time. */
  readonly rules: string
}

/** A person who wrote content of a proposal, with the credential of that time. */
export interface ProposalWriter {
  readonly username: string
  /** Stays where the source gives the person another name; absent where it has no such id. */
  readonly userId?: string
  /** Absent for a user of the users file. */
  readonly external?: ExternalUser
  readonly credential: IssuedCredential['kind'] | 'password'
}

/** The proposal that a change comes from. */
export interface ReviewedProposal {
  readonly number: number
  readonly author: string
  /** The users who changed its content, the author included. */
  readonly contributors: readonly string[]
  /** The same with what rules ask about callers. */
  readonly writers: readonly ProposalWriter[]
  readonly reviews: readonly Review[]
  /** Whether it merges by itself. Nobody answers for it but who wrote its newest version, who is its caller then. */
  readonly mergesItself?: true
  /** The entities that it is about by its text, which all who may view it may view; of one that merges itself. */
  readonly entities?: readonly string[]
}

/** A change by a caller with rights. */
export interface OriginOfPeople {
  readonly door: DoorOfPeople
  readonly principal: Principal
  /** The proposal that is merged; absent for a change that comes at once. */
  readonly proposal?: ReviewedProposal
}

/** The door by which a change comes, and its author. */
export type ChangeOrigin =
  | OriginOfPeople
  | { readonly door: DoorWithoutCaller; readonly author: string }

/** A change that was made, as far as its revision does not say it. */
export interface ChangeFacts {
  readonly door: Door
  /** The entities that it is about, such as `pipeline/shop`; at most {@link MAX_ENTITIES}. */
  readonly entities: readonly string[]
}

/** Entities of a change that are recorded by name. */
export const MAX_ENTITIES = 20

/** The name that the revision of a change records: of a merged proposal, its author's. */
export function authorOf(origin: ChangeOrigin): string {
  if (!('principal' in origin)) return origin.author
  return origin.proposal?.author ?? origin.principal.username
}
