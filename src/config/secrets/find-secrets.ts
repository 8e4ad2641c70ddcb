import type { Span } from '../xml-tree.ts'

/** Each finds what is secret in its last group. */
const SECRETS: readonly RegExp[] = [
  /\b[\w.-]*(?:password|secret|token|agentAutoRegisterKey)\s*=\s*(?:"([^"]*)|'([^']*))/dgi,
  /<encryptedValue>([^<]*)/dg,
  /\bsecure\s*=\s*["'](?:true|1)["'][^<>]*>\s*<value>([^<]*)/dg,
  /(AES:[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+)/dg,
  /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@"'<>]*:([^\s/@"'<>]+)@/dgi,
]

/** Where the secrets of a text stand, sealed or not, in order; none of them touches another. */
export function findSecrets(text: string): Span[] {
  const found = SECRETS.flatMap((secret) => Array.from(text.matchAll(secret), secretOf))
  const spans: Span[] = []
  for (const span of found.toSorted((one, other) => one.start - other.start)) {
    const last = spans.at(-1)
    if (span.end > span.start && (!last || span.start >= last.end)) spans.push(span)
  }
  return spans
}

function secretOf({ indices }: RegExpExecArray): Span {
  const [start = 0, end = 0] = indices?.slice(1).find((group) => group !== undefined) ?? []
  return { start, end }
}
