import type { DocumentChange } from '../../document/entities/change.ts'
import { runSync } from '../../lib/cooperative.ts'
import { type ListedChanges, listChanges } from '../parts/change-groups.ts'

/** The described changes of a comparison: as many as its page shows, whatever their number. */
export interface ShownChanges {
  readonly listed: ListedChanges
  readonly count: number
  /** The first ones, for previews of links. */
  readonly first: readonly DocumentChange[]
  readonly isAboutAgents: boolean
}

const MAX_LISTED = 300
const MAX_IN_PREVIEW = 3

export function shownChanges(changes: readonly DocumentChange[]): ShownChanges {
  return {
    listed: runSync(listChanges(changes, MAX_LISTED)),
    count: changes.length,
    first: changes.slice(0, MAX_IN_PREVIEW),
    isAboutAgents: changes.some(({ entity }) => entity.startsWith('agent/')),
  }
}
