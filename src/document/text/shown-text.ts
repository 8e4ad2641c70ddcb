import { findSecrets } from '../secrets/find-secrets.ts'
import { withoutForgeTokens } from '../secrets/forge-token.ts'

/** The mask of a secret, sealed or not, in a shown text. */
export const MASK = '••••••'

const MAX_LENGTH = 80
/** More than this of a text is never looked at. */
const LOOKED_AT = 4_000

/** One line, or several, of a document with every secret hidden. No line is lost. */
export function maskSecrets(text: string): string {
  let masked = ''
  let from = 0
  for (const { start, end } of findSecrets(text)) {
    masked += text.slice(from, start) + hidden(text.slice(start, end))
    from = end
  }
  return masked + text.slice(from)
}

/** The mask, with as many line feeds as what it hides, so that the lines below keep their numbers. */
function hidden(secret: string): string {
  return MASK + secret.replace(/[^\n]/g, '')
}

/** A message with pieces of a document in quotes, each as {@link shorten} has it; numbers stay as they are. */
export function quoting(
  texts: TemplateStringsArray,
  ...values: readonly (string | number)[]
): string {
  const shown = values.map((each) => (typeof each === 'number' ? each : `"${shorten(each)}"`))
  return String.raw({ raw: texts }, ...shown)
}

/** A piece of a document as a message may repeat it: on one line, of bounded length, without secrets. */
export function shorten(text: string): string {
  const start = maskSecrets(text.slice(0, LOOKED_AT)).slice(0, 2 * MAX_LENGTH)
  const masked = withoutForgeTokens(start, MASK)
  const head = masked.length > MAX_LENGTH ? `${masked.slice(0, MAX_LENGTH)}…` : masked
  return head.replace(/[\r\n\t]+/g, ' ')
}
