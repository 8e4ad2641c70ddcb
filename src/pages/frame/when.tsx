const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const WEEKDAYS = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ')

/** A time relative to now, with the exact time as its title. `enhance.js` keeps it up to date. */
export function When({ time, now }: { time: number; now: number }) {
  return (
    <time datetime={new Date(time).toISOString()} title={exactTime(time)} data-ago="">
      {relativeTime(time, now)}
    </time>
  )
}

export function relativeTime(time: number, now: number): string {
  const age = now - time
  if (age < MINUTE) return age > -MINUTE ? 'just now' : exactTime(time)
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`
  if (age < DAY) return `${Math.floor(age / HOUR)} h ago`
  const days = Math.floor(age / DAY)
  if (days === 1) return 'yesterday'
  return days < 30 ? `${days} days ago` : dateOf(time)
}

/** `5 Jun 2015, 14:03:22 UTC` */
export function exactTime(time: number): string {
  return `${dateOf(time)}, ${new Date(time).toISOString().slice(11, 19)} UTC`
}

/** `5 Jun 2015` */
export function dateOf(time: number): string {
  const date = new Date(time)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** `05 Jun`, of a day such as `2015-06-05`. */
export function shortDay(day: string): string {
  return `${day.slice(8)} ${MONTHS[Number(day.slice(5, 7)) - 1]}`
}

/** `Fri, 05 Jun 2015`, of a day such as `2015-06-05`; the current year is left out. */
export function longDay(day: string, now: number): string {
  const year = day.slice(0, 4)
  const weekday = WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()]
  const isThisYear = year === String(new Date(now).getUTCFullYear())
  return `${weekday}, ${shortDay(day)}${isThisYear ? '' : ` ${year}`}`
}
