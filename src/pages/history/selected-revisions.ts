import { revisionsAt } from '../../configuration/search/in-turns.ts'
import type { Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { bisect } from '../../lib/bisect.ts'
import type { NumberList } from '../../lib/compact/number-list.ts'
import { dayNumber, nameOfDay } from '../kit/when.tsx'

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

const MAX_BARS = 40

/** Some of the revisions of a history, and how many of them each day has. */
export class SelectedRevisions {
  readonly #history: History
  readonly #places: NumberList
  readonly #bars: readonly DayBar[]

  /** @param places The numbers of older revisions of those that are selected, ascending. */
  constructor(history: History, places: NumberList) {
    this.#history = history
    this.#places = places
    this.#bars = barsOf(countDays(places, history.columns.times()), places.length)
  }

  get size(): number {
    return this.#places.length
  }

  bars(): readonly DayBar[] {
    return this.#bars
  }

  /** How many of them are newer than the revision of a place. */
  newerThan(place: number): number {
    const older = bisect({ high: this.size }, (n) => (this.#places.at(n) ?? 0) <= place)
    return this.size - older
  }

  /** A part of them, newest first. */
  list({ offset, limit }: { readonly offset: number; readonly limit: number }): Revision[] {
    const end = Math.max(0, this.size - offset)
    const places = this.#places.slice(Math.max(0, end - limit), end).toReversed()
    return revisionsAt(this.#history, places)
  }
}

/** How many of a list of revisions a day has, and the last of these in the list. */
interface CountedDay {
  readonly day: number
  count: number
  last: number
}

/** The days of a list of revisions. Neighbours mostly are of one day. */
function countDays(places: NumberList, times: ArrayLike<number>): readonly CountedDay[] {
  const days = new Map<number, CountedDay>()
  const selected = places.view()
  let counted: CountedDay | undefined
  for (let n = 0; n < selected.length; n += 1) {
    const day = dayNumber(times[selected[n] ?? 0] ?? 0)
    if (counted?.day !== day) {
      counted = days.get(day) ?? { day, count: 0, last: 0 }
      days.set(day, counted)
    }
    counted.count += 1
    counted.last = n
  }
  return [...days.values()].toSorted((one, other) => other.last - one.last)
}

/** Oldest first, from days of which the one with the newest revision comes first. */
function barsOf(days: readonly CountedDay[], size: number): readonly DayBar[] {
  if (days.length === 0) return []
  const first = days.reduce((least, { day }) => Math.min(least, day), Infinity)
  const last = days.reduce((most, { day }) => Math.max(most, day), -Infinity)
  const width = Math.ceil((last - first + 1) / MAX_BARS)
  return Array.from({ length: Math.ceil((last - first + 1) / width) }, (_, n) => {
    const [from, to] = [first + n * width, first + (n + 1) * width - 1]
    const counted = days.filter(({ day }) => day >= from && day <= to)
    const [newest] = counted
    return {
      from: nameOfDay(from),
      to: nameOfDay(to),
      count: counted.reduce((sum, { count }) => sum + count, 0),
      newer: newest === undefined ? 0 : size - 1 - newest.last,
      newest: newest === undefined ? null : nameOfDay(newest.day),
    }
  })
}
