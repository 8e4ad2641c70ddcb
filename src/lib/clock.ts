/** Milliseconds since the UNIX epoch. Time is always injected, so that tests control it. */
export type Clock = () => number

/** A clock for durations: it goes on where the given one, which people set, is put back. */
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
