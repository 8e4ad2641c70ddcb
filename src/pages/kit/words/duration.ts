const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** `12 min`, `1 min 40 s`, `2 h 5 min`; below ten seconds with one decimal. */
export function duration(milliseconds: number): string {
  const time = Math.max(0, milliseconds)
  if (time < 10 * SECOND_MS) return `${(Math.floor(time / 100) / 10).toFixed(1)} s`
  if (time < MINUTE_MS) return `${Math.floor(time / SECOND_MS)} s`
  if (time < 10 * MINUTE_MS) {
    const seconds = Math.floor((time % MINUTE_MS) / SECOND_MS)
    return `${Math.floor(time / MINUTE_MS)} min${seconds === 0 ? '' : ` ${seconds} s`}`
  }
  if (time < HOUR_MS) return `${Math.floor(time / MINUTE_MS)} min`
  const minutes = Math.floor((time % HOUR_MS) / MINUTE_MS)
  return `${Math.floor(time / HOUR_MS)} h${minutes === 0 ? '' : ` ${minutes} min`}`
}
