import { MASK, maskSecrets } from '../text/shown-text.ts'
import { commonPrefix } from '../text/common-ends.ts'
import { HIDDEN } from './change.ts'

/** Control, format and separator characters, and halves of characters. */
const UNSHOWABLE = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu
const MAX_VALUE_LENGTH = 80
const MAX_NAME_LENGTH = 48
/** How much of what is shown of two long values is what they have in common before they differ. */
const LEAD = 1 / 3
/** More than this of a text is never looked at. */
const LOOKED_AT = 20_000

const SECRET_ATTRIBUTE = /(?:password|secret|key)$/i

/** Whether the value of an attribute of this name is never shown. */
export function isSecretName(name: string): boolean {
  return SECRET_ATTRIBUTE.test(name)
}

/** A text on one line, without what a terminal does not show. */
export function showable(text: string): string {
  return text.replace(UNSHOWABLE, ' ').trim()
}

/** A name as it is shown: on one line, of bounded length, without secrets. */
export function displayedName(text: string): string {
  return cutMiddle(shownText(text), MAX_NAME_LENGTH)
}

/** Keeps both ends of a text, which tell most in names. */
export function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, length / 2).trimEnd()}…${text.slice(-length / 2 + 1)}`
}

/** A value that is alone. */
export function shownValue(text: string): string {
  return cut(shownText(text), 0, MAX_VALUE_LENGTH)
}

/** Two values such that what differs between them is seen, however long they are. */
export function shownPair(from: string, to: string): { from: string; to: string } {
  if (maskSecrets(from) === maskSecrets(to)) return { from: HIDDEN, to: HIDDEN }
  const [older, newer] = [shownText(from), shownText(to)]
  if (older === newer) return { from: withLength(from), to: withLength(to) }
  return cutPair(older, newer, MAX_VALUE_LENGTH)
}

/** The identities of one thing before and after, in the same way: equal where no difference is shown. */
export function displayedPair(from: string, to: string): { from: string; to: string } {
  return cutPair(shownText(from), shownText(to), MAX_VALUE_LENGTH)
}

/** Cuts two texts to a length such that the first difference is seen. */
export function cutPair(from: string, to: string, length: number): { from: string; to: string } {
  if (Math.max(from.length, to.length) <= length) return { from, to }
  const start = Math.max(0, commonPrefix(from, to) - Math.floor(length * LEAD))
  return { from: cut(from, start, length), to: cut(to, start, length) }
}

/** For values that differ in white space, or far behind what is shown. */
function withLength(text: string): string {
  return `${shownValue(text)} (${text.length} characters)`
}

/** A text as it is shown where there is room for all of it. */
export function shownText(text: string): string {
  const looked = text.slice(0, LOOKED_AT)
  return showable(maskSecrets(looked).replaceAll(MASK, HIDDEN))
}

function cut(text: string, start: number, length: number): string {
  const end = start + length
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}
