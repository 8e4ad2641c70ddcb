/**
 * Aborted by the first SIGTERM or SIGINT. Later ones change nothing: a terminal signals every
 * process, and npm forwards what it gets.
 */
export function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort())
  return stop.signal
}
