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

const DAY_MS = 86_400_000
const MAX_BARS = 40

/** How many revisions of a list each day has. They are added oldest first, in the order of the list. */
export class DayCounts {
  readonly #days = new Map<number, { count: number; last: number }>()
  #size = 0

  /** @param time Of the next newer revision, in milliseconds. */
  add(time: number): void {
    const day = dayOf(time)
    const counted = this.#days.get(day) ?? { count: 0, last: 0 }
    counted.count += 1
    counted.last = this.#size
    this.#days.set(day, counted)
    this.#size += 1
  }

  /** Oldest first. */
  bars(): DayBar[] {
    if (this.#size === 0) return []
    const days = [...this.#days].toSorted(([, one], [, other]) => other.last - one.last)
    const first = days.reduce((least, [day]) => Math.min(least, day), Infinity)
    const last = days.reduce((most, [day]) => Math.max(most, day), -Infinity)
    const width = Math.ceil((last - first + 1) / MAX_BARS)
    const bars = Array.from({ length: Math.ceil((last - first + 1) / width) }, (_, n) =>
      emptyBar(first + n * width, width),
    )
    for (const [day, counted] of days) {
      const bar = bars[Math.floor((day - first) / width)]
      if (!bar) continue
      bar.count += counted.count
      bar.newest ??= { place: this.#size - 1 - counted.last, day }
    }
    return bars.map(({ from, to, count, newest }) => ({
      from: nameOf(from),
      to: nameOf(to),
      count,
      newer: newest?.place ?? 0,
      newest: newest === null ? null : nameOf(newest.day),
    }))
  }
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
  return Math.floor(time / DAY_MS)
}

function nameOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}
