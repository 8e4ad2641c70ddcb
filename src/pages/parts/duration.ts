const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** `12 min`, `1 min 40 s`, `2 h 5 min`; below ten seconds with one decimal. */
export function duration(milliseconds: number): string {
  const time = Math.max(0, milliseconds)
  if (time < 10 * SECOND) return `${(Math.floor(time / 100) / 10).toFixed(1)} s`
  if (time < MINUTE) return `${Math.floor(time / SECOND)} s`
  if (time < 10 * MINUTE) {
    const seconds = Math.floor((time % MINUTE) / SECOND)
    return `${Math.floor(time / MINUTE)} min${seconds === 0 ? '' : ` ${seconds} s`}`
  }
  if (time < HOUR) return `${Math.floor(time / MINUTE)} min`
  const minutes = Math.floor((time % HOUR) / MINUTE)
  return `${Math.floor(time / HOUR)} h${minutes === 0 ? '' : ` ${minutes} min`}`
}
