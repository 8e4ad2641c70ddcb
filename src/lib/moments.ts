const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const TIME = /^(\d{4}-\d\d)(-\d\d)?(T\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/i

/** The first moment of the period that a text names; see {@link lastMomentOf}. */
export function firstMomentOf(text: string): number | null {
  const [, month = '', day = '-01', clock, , , zone] = TIME.exec(text) ?? []
  const start = isDay(`${month}${day}`)
    ? Date.parse(clock && !zone ? `${text}Z` : text)
    : Number.NaN
  return Number.isNaN(start) ? null : start
}

/** `Date.parse` takes 30 February for 2 March. */
function isDay(text: string): boolean {
  const start = Date.parse(text)
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(text)
}

/**
 * The last moment of a month, day, minute or second; null for a text that names none. The state "at
 * 14:03" is the one at the end of that minute, so that changes within it are included. Without a
 * zone it is in UTC, as all times on pages.
 */
export function lastMomentOf(text: string): number | null {
  const [, , day, clock, seconds, fraction] = TIME.exec(text) ?? []
  const start = firstMomentOf(text)
  if (start === null) return null
  if (fraction) return start
  if (seconds) return start + SECOND_MS - 1
  if (clock) return start + MINUTE_MS - 1
  const next = new Date(start)
  if (day) next.setUTCDate(next.getUTCDate() + 1)
  else next.setUTCMonth(next.getUTCMonth() + 1)
  return next.getTime() - 1
}
