import type { Revision } from '../../core/revision.ts'

/** The revisions of a day, or of several days if the history is long. */
export interface DayBar {
  /** The first day, as `2015-06-05`, in UTC. */
  readonly from: string
  readonly to: string
  readonly count: number
  /** The number of revisions in the list that are newer than the last one of these days. */
  readonly newer: number
  /** The newest of these days that has a revision. */
  readonly newest: string | null
}

const A_DAY = 86_400_000
const MOST_BARS = 40

/** Counts the revisions of each day, oldest first, from a list that is newest first. */
export function dayBars(revisions: readonly Revision[]): DayBar[] {
  const days = revisions.map(({ time }) => dayOf(time))
  if (days.length === 0) return []
  const first = days.reduce((least, day) => Math.min(least, day), Infinity)
  const last = days.reduce((most, day) => Math.max(most, day), -Infinity)
  const width = Math.ceil((last - first + 1) / MOST_BARS)
  const bars = Array.from({ length: Math.ceil((last - first + 1) / width) }, (_, n) =>
    emptyBar(first + n * width, width),
  )
  for (const [place, day] of days.entries()) {
    const bar = bars[Math.floor((day - first) / width)]
    if (!bar) continue
    bar.count += 1
    bar.newest ??= { place, day }
  }
  return bars.map(({ from, to, count, newest }) => ({
    from: nameOf(from),
    to: nameOf(to),
    count,
    newer: newest?.place ?? 0,
    newest: newest === null ? null : nameOf(newest.day),
  }))
}

/** The day of a time, as `2015-06-05`, in UTC. */
export function dayName(time: number): string {
  return nameOf(dayOf(time))
}

interface Counting {
  readonly from: number
  readonly to: number
  count: number
  newest: { readonly place: number; readonly day: number } | null
}

function emptyBar(from: number, width: number): Counting {
  return { from, to: from + width - 1, count: 0, newest: null }
}

function dayOf(time: number): number {
  return Math.floor(time / A_DAY)
}

function nameOf(day: number): string {
  return new Date(day * A_DAY).toISOString().slice(0, 10)
}
