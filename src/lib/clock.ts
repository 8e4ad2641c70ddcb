/** Milliseconds since the UNIX epoch. Time is always injected, so that tests own it. */
export type Clock = () => number
