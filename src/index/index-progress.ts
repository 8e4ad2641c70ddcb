import { setTimeout as wait } from 'node:timers/promises'
import { ServiceError } from '../core/errors.ts'

/** How many revisions an index has, and how many there are. */
export interface IndexProgress {
  readonly indexed: number
  readonly of: number
}

const PATIENCE = 10_000
/** After how many seconds it is worth asking again. */
const RETRY_AFTER_SECONDS = 3

/** `Indexing history: 418 of 5,218` */
export function renderProgress({ indexed, of }: IndexProgress): string {
  return `Indexing history: ${indexed.toLocaleString('en')} of ${of.toLocaleString('en')}`
}

/** Of indexes that are not complete, the one that has the least. */
export function slowest(progress: readonly IndexProgress[]): IndexProgress | null {
  const [first] = progress
    .filter(({ indexed, of }) => indexed < of)
    .toSorted((one, other) => one.indexed - other.indexed)
  return first ?? null
}

/**
 * Waits until an index is complete, for so many milliseconds at most.
 *
 * @throws {ServiceError} `unavailable`, with the progress.
 */
export async function waitForIndex(
  settled: Promise<void>,
  progress: () => IndexProgress,
  patience: number = PATIENCE,
): Promise<void> {
  if (!(await isSettled(settled, patience))) throw stillIndexing(progress())
}

/** Whether an index is complete within so many milliseconds. */
export async function isSettled(settled: Promise<void>, patience: number): Promise<boolean> {
  const stop = new AbortController()
  const isDone = settled.then(() => true)
  const isLate = wait(patience, false, { signal: stop.signal, ref: false })
  try {
    return await Promise.race([isDone, isLate])
  } finally {
    stop.abort()
  }
}

/** Tells the caller to ask again, with the progress. */
export function stillIndexing(progress: IndexProgress): ServiceError<'unavailable'> {
  const reason = renderProgress(progress)
  return new ServiceError('unavailable', reason, { reason, retryAfter: RETRY_AFTER_SECONDS })
}
