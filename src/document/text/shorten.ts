import { maskSecrets } from './mask-secrets.ts'

const LONGEST = 80
/** More than this of a text is never looked at. */
const LOOKED_AT = 4_000

/** A piece of a document as a message may repeat it: on one line, of bounded length, without secrets. */
export function shorten(text: string): string {
  const masked = maskSecrets(text.slice(0, LOOKED_AT))
  const head = masked.length > LONGEST ? `${masked.slice(0, LONGEST)}…` : masked
  return head.replace(/[\r\n\t]+/g, ' ')
}
