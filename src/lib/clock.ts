/** Milliseconds since the UNIX epoch. Time is always injected, so that tests control it. */
export type Clock = () => number
