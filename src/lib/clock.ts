/** Milliseconds since the UNIX epoch. Time is always injected, so that tests control it. */
export type Clock = () => number

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
