/** What the system says when the service cannot go on for a while, and what callers are told of it. */
const OUTAGES: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'The disk of the server is full'],
  ['EDQUOT', 'The disk of the server is full'],
  ['EROFS', 'The disk of the server is read-only'],
  ['EIO', 'The disk of the server does not work'],
  ['EMFILE', 'The server has too many files open'],
  ['ENFILE', 'The server has too many files open'],
])

/** The outage that an error, or what caused it, is a sign of; null for a bug. */
export function outageOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return OUTAGES.get(code) ?? outageOf(error.cause)
}
