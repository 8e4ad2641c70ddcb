import { setTimeout as wait } from 'node:timers/promises'

/** How many revisions an index has, and how many there are. */
export interface IndexProgress {
  readonly indexed: number
  readonly of: number
}

/** `Indexing history: 418 of 5,218` */
export function renderProgress({ indexed, of }: IndexProgress): string {
  return `Indexing history: ${indexed.toLocaleString('en')} of ${of.toLocaleString('en')}`
}

/** The progress of an index that is not complete; null of one that is. */
export function unfinished(progress: IndexProgress): IndexProgress | null {
  return progress.indexed < progress.of ? progress : null
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
