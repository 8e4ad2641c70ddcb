import type { Told } from '../notice.tsx'
import type { Query } from '../links.ts'

/** What an action has come to, as it stands in the address of the page that comes after it. */
const SAID = {
  scheduled: (of) => `The run ${of} is scheduled.`,
  unlocked: (of) => `The pipeline ${of} is unlocked.`,
  'not-locked': (of) => `The pipeline ${of} was not locked, so nothing was done.`,
  paused: (of) => `The pipeline ${of} is paused.`,
  unpaused: (of) => `The pipeline ${of} is no longer paused.`,
  'not-paused': (of) => `The pipeline ${of} was not paused, so nothing was done.`,
  cancelled: (of) => `The run ${of} is cancelled.`,
  'not-active': (of) => `The run ${of} was not active, so there was nothing to cancel.`,
} as const satisfies Record<string, (of: string) => string>
export type Said = keyof typeof SAID

const UNDONE: readonly Said[] = ['not-locked', 'not-paused', 'not-active']

export function saidQuery(said: Said, of: string): Query {
  return { said, of }
}

/** What the address says has happened, or null. */
export function toldBy(query: Readonly<Record<string, string>>): Told | null {
  for (const [said, text] of Object.entries(SAID)) {
    if (said !== query['said']) continue
    return { isDone: !UNDONE.some((each) => each === said), text: text(query['of'] ?? '') }
  }
  return null
}
