import { z } from 'zod'
import { RevisionEntry } from './revision-entry.ts'

/**
 * The answer of `/api/config/watch`: the revisions newer than `since`, newest first as in the list,
 * or none when there was none for a while. The first one's `commitSHA` is the next `since`.
 */
export const WatchAnswer = z.array(RevisionEntry)
export type WatchAnswer = z.infer<typeof WatchAnswer>

/**
 * What the stream of events tells. `revision`: one that is new, oldest first. `rewritten`: the commit
 * that the reader was at is gone; the revision is the current one, and the list is to be read anew.
 */
export const WATCH_EVENTS = ['revision', 'rewritten'] as const
export type WatchEvent = (typeof WATCH_EVENTS)[number]
