import type { Span } from '../xml/xml-tree.ts'
import { isForgeToken } from './forge-token.ts'

/** The user information of one address in a text: what is between `://` and the last `@`. */
export interface UserInfo extends Span {
  /** In lower case; empty where no scheme comes before the `://`. */
  readonly scheme: string
}

const MAX_SCHEME_LENGTH = 24
/** The end of the part of an address that names user and host. */
const AFTER_HOST = /[/\s"<>]/g
/** Git servers take a token as user name, with this in the place of a password. */
const NO_PASSWORD = /^(?:x-oauth-basic)?$/i
/** How a sealed text begins; see `SecretBox`. */
export const SEALED_START = 'AES:'

/** Every user information in a text, in order. The text is looked at once, however it is made. */
export function* findUserInfos(text: string): Generator<UserInfo> {
  if (!text.includes('@')) return
  let from = 0
  for (;;) {
    const colon = text.indexOf('://', from)
    if (colon < 0) return
    const start = colon + '://'.length
    AFTER_HOST.lastIndex = start
    const end = AFTER_HOST.exec(text)?.index ?? text.length
    const length = text.slice(start, end).lastIndexOf('@')
    if (length > 0) yield { start, end: start + length, scheme: schemeBefore(text, colon) }
    from = end
  }
}

const AT = 0x40
/** The bytes that end the part of an address that names user and host, as far as they are ASCII. */
const AFTER_HOST_BYTES: ReadonlySet<number> = new Set(Buffer.from('/ \t\n\v\f\r"<>'))

/**
 * Whether bytes may have user information: always where {@link findUserInfos} finds one in their text. Each `@` is
 * looked at, which is much rarer than an address.
 */
export function hasUserInfo(bytes: Buffer): boolean {
  let from = 0
  for (let at = bytes.indexOf(AT); at >= 0; at = bytes.indexOf(AT, from)) {
    let before = at - 1
    while (before >= from && !AFTER_HOST_BYTES.has(bytes[before] ?? 0)) before -= 1
    if (bytes.toString('latin1', Math.max(0, before - 2), before + 1) === '://') return true
    from = at + 1
  }
  return false
}

/**
 * The part of a user information that is secret, as offsets in it: the password, or the name where
 * that is a token. Null where nothing is; a reference to a parameter is none either.
 */
export function secretOf(info: string, scheme: string): Span | null {
  const whole = { start: 0, end: info.length }
  if (info.startsWith(SEALED_START)) return whole
  const colon = info.indexOf(':')
  const name = colon < 0 ? info : info.slice(0, colon)
  const password = colon < 0 ? '' : info.slice(colon + 1)
  const isToken = (scheme === 'http' || scheme === 'https') && isForgeToken(name)
  if (!NO_PASSWORD.test(password)) return isToken ? whole : { start: colon + 1, end: info.length }
  return isToken || (name !== '' && password !== '') ? { start: 0, end: name.length } : null
}

/** The secrets in the addresses of a text, in order. */
export function* addressSecrets(text: string): Generator<Span> {
  for (const { start, end, scheme } of findUserInfos(text)) {
    const secret = secretOf(text.slice(start, end), scheme)
    if (secret) yield { start: start + secret.start, end: start + secret.end }
  }
}

function schemeBefore(text: string, colon: number): string {
  const before = text.slice(Math.max(0, colon - MAX_SCHEME_LENGTH), colon)
  return (/[a-z][a-z0-9+.-]*$/i.exec(before)?.[0] ?? '').toLowerCase()
}
