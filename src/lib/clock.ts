/** Milliseconds since the UNIX epoch. Time is always injected, so that tests control it. */
export type Clock = () => number

/** How often the time of a process is counted, and how much of it counts at once. */
const COUNT_INTERVAL_MS = 500
const MAX_COUNTED_MS = 1_000

/**
 * A clock of the time for which this process has run, in milliseconds: it measures the silence of others. Nobody sets it, and
 * a freeze of the process, who could hear nobody meanwhile, moves it by a second at most.
 */
export function runningClock(): Clock {
  let last = performance.now()
  let counted = 0
  const count = () => {
    const now = performance.now()
    counted += Math.min(now - last, MAX_COUNTED_MS)
    last = now
    return counted
  }
  setInterval(count, COUNT_INTERVAL_MS).unref()
  return count
}

/** A clock for durations: it goes on steadily when the given one is put back, as people or time servers do. */
export function steadyClock(clock: Clock): Clock {
  let last = clock()
  let putBack = 0
  return () => {
    const now = clock()
    putBack += Math.max(last - now, 0)
    last = now
    return now + putBack
  }
}
