import type { Span } from '../xml/xml-tree.ts'
import { findUserInfos, secretOf, SEALED_START } from './user-info.ts'

/** The span of the secret in an address; null where it has none. */
export function secretIn(address: string): Span | null {
  const [info] = findUserInfos(address)
  const secret = info && secretOf(address.slice(info.start, info.end), info.scheme)
  return secret ? { start: info.start + secret.start, end: info.start + secret.end } : null
}

/** The plain secret of an address; null where there is none, or it is sealed or a parameter. */
export function plainSecretIn(address: string): Span | null {
  const span = secretIn(address)
  const secret = span ? address.slice(span.start, span.end) : ''
  return secret.startsWith(SEALED_START) || secret.includes('#{') ? null : span
}

/** An address without its secret, equal for addresses that differ only in their passwords. */
export function withoutSecret(address: string): string {
  const span = secretIn(address)
  return span ? address.slice(0, span.start) + address.slice(span.end) : address
}

/** The sealed secret of an address; null where it has none that is sealed. */
export function sealedSecretIn(
  address: string,
): { readonly span: Span; readonly text: string } | null {
  const span = secretIn(address)
  const text = span ? address.slice(span.start, span.end) : ''
  return span && text.startsWith(SEALED_START) ? { span, text } : null
}

/** The address with its secret in the open; null when it is sealed by a key that is not ours. */
export function openAddress(
  address: string,
  open: (sealed: string) => string | null,
): string | null {
  const sealed = sealedSecretIn(address)
  if (!sealed) return address
  const opened = open(sealed.text)
  return opened === null ? null : replaced(address, sealed.span, opened)
}

/** An address with another text in the place of its secret. */
export function replaced(address: string, { start, end }: Span, by: string): string {
  return address.slice(0, start) + by + address.slice(end)
}

/** A sealed text as it may be in an address. */
export function forAddress(sealed: string): string {
  return sealed.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
