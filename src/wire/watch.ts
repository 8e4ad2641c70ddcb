import { z } from 'zod'
import { RevisionEntry } from './revision-entry.ts'

/**
 * The answer of `/api/config/watch`: the revisions newer than `since`, newest first as in the list;
 * none after a timeout. The `commitSHA` of the first one is the next `since`.
 */
export const WatchAnswer = z.array(RevisionEntry)
export type WatchAnswer = z.infer<typeof WatchAnswer>

/**
 * The types of streamed events. `revision`: a new one, oldest first. `rewritten`: the reader's last
 * commit no longer exists; the event has the current revision, and the list has to be read again.
 */
export const WATCH_EVENTS = ['revision', 'rewritten'] as const
export type WatchEvent = (typeof WATCH_EVENTS)[number]
