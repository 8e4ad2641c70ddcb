/** A span of time, its start included and its end not, in milliseconds since the UNIX epoch. */
export interface Moments {
  readonly start: number
  readonly end: number
}

/** A time at which a rule applies. */
export interface RuleWindow {
  /** The span of the window that contains a moment, or null. */
  spanAt(now: number): Moments | null
}

/** A time as clocks show it, in milliseconds as if it were UTC. */
export type LocalTime = number

/** A moment of the week as clocks show it: milliseconds since Monday, 00:00. */
export type WeekTime = number

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
/** 1970-01-05 was a Monday. */
const FIRST_MONDAY: LocalTime = 4 * DAY_MS
/** Windows that follow one another without end are followed so far. */
const MAX_FOLLOWED = 60

/** The moment from which none of the windows applies, if one does at `now`; null if none does. */
export function endOfWindows(windows: readonly RuleWindow[], now: number): number | null {
  let end: number | null = null
  for (let followed = 0; followed < MAX_FOLLOWED; followed += 1) {
    const ends = windows.flatMap((window) => window.spanAt(end ?? now)?.end ?? [])
    if (ends.length === 0) return end
    end = Math.max(...ends)
  }
  return end
}

/** A window from one moment to another. */
export function fixedWindow(from: LocalTime, to: LocalTime, zone: string): RuleWindow {
  const span = { start: instantsOf(from, zone).first, end: instantsOf(to, zone).last }
  return { spanAt: (now) => (isIn(span, now) ? span : null) }
}

/** A window of every week; one that ends before it begins goes on into the next week. */
export function weeklyWindow(from: WeekTime, to: WeekTime, zone: string): RuleWindow {
  const length = to > from ? to - from : to - from + WEEK_MS
  let known: readonly Moments[] = []
  return {
    spanAt(now) {
      const [first, last] = [known[0], known.at(-1)]
      if (!first || !last || now < first.start || now >= last.start) {
        known = spansAround(now, { from, length, zone })
      }
      return known.find((span) => isIn(span, now)) ?? null
    },
  }
}

/** The spans of the weeks before, of and after a moment. */
function spansAround(
  now: number,
  {
    from,
    length,
    zone,
  }: { readonly from: WeekTime; readonly length: number; readonly zone: string },
): readonly Moments[] {
  const local = now + offsetAt(now, zone)
  const week = Math.floor((local - FIRST_MONDAY) / WEEK_MS)
  return [-2, -1, 0, 1, 2].map((n) => {
    const start = FIRST_MONDAY + (week + n) * WEEK_MS + from
    return { start: instantsOf(start, zone).first, end: instantsOf(start + length, zone).last }
  })
}

function isIn({ start, end }: Moments, now: number): boolean {
  return start <= now && now < end
}

/**
 * The first and the last moment at which clocks show a time. They show some times twice when they are put
 * back; one that is left out is taken as any in the hour that is, so that windows are rather too long.
 */
function instantsOf(
  local: LocalTime,
  zone: string,
): { readonly first: number; readonly last: number } {
  const offsets = [offsetAt(local - DAY_MS, zone), offsetAt(local + DAY_MS, zone)]
  const moments = offsets.map((offset) => local - offset)
  const shown = moments.filter((moment) => moment + offsetAt(moment, zone) === local)
  const found = shown.length > 0 ? shown : moments
  return { first: Math.min(...found), last: Math.max(...found) }
}

/** How far the clocks of a zone are ahead of UTC. */
function offsetAt(moment: number, zone: string): number {
  const parts = formatOf(zone).formatToParts(moment)
  const numbers = new Map(parts.map(({ type, value }) => [type, Number(value)]))
  const of = (type: Intl.DateTimeFormatPartTypes) => numbers.get(type) ?? 0
  const day = Date.UTC(of('year'), of('month') - 1, of('day'))
  const shown = day + of('hour') * HOUR_MS + of('minute') * MINUTE_MS + of('second') * 1000
  return Math.round((shown - moment) / MINUTE_MS) * MINUTE_MS
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(zone, format)
  return format
}
