import type { Principal } from './principal.ts'

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
] as const
export type DoorOfPeople = (typeof DOORS_OF_PEOPLE)[number]

/** The doors without a caller: an edit of the live file, agents, and the service itself. */
export const DOORS_WITHOUT_CALLER = [
  'live-file',
  'agent-registration',
  'sealing',
  'adoption',
] as const
export type DoorWithoutCaller = (typeof DOORS_WITHOUT_CALLER)[number]

export type Door = DoorOfPeople | DoorWithoutCaller

/** The door by which a change comes, and its author. */
export type ChangeOrigin =
  | { readonly door: DoorOfPeople; readonly principal: Principal }
  | { readonly door: DoorWithoutCaller; readonly author: string }

/** A change that was made, as far as its revision does not say it. */
export interface ChangeFacts {
  readonly door: Door
  /** The entities that it is about, such as `pipeline/shop`; at most {@link MAX_ENTITIES}. */
  readonly entities: readonly string[]
}

/** Entities of a change that are recorded by name. */
export const MAX_ENTITIES = 20

/** The name that the revision of a change records. */
export function authorOf(origin: ChangeOrigin): string {
  return 'principal' in origin ? origin.principal.username : origin.author
}
