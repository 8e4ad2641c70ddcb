import { malformedRequest } from '../../core/errors.ts'

/**
 * Characters that XML 1.0 cannot hold in any form: most control characters, lone surrogates, U+FFFE
 * and U+FFFF.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for.
const UNWRITABLE = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/u

/** Whether an XML document can hold the text at all. */
export function isXmlText(text: string): boolean {
  return !UNWRITABLE.test(text)
}

/** Text as element content; line feeds become `eol`, so that the lines of a document end alike. */
export function escapeText(text: string, eol: string): string {
  return assertWritable(text)
    .replace(/[&<>\r]/g, reference)
    .replaceAll('\n', eol)
}

/** Text between two quotes. White space other than a space would be lost in reading, so it is referenced. */
export function escapeAttribute(value: string, quote: string): string {
  return assertWritable(value).replace(quote === "'" ? /[&<>'\t\n\r]/g : /[&<>"\t\n\r]/g, reference)
}

/** Text as CDATA; a terminator inside is split over two sections. */
export function cdataSection(text: string, eol: string): string {
  const safe = assertWritable(text).replaceAll(']]>', ']]]]><![CDATA[>').replaceAll('\n', eol)
  return `<![CDATA[${safe}]]>`
}

const NAMED = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&apos;'],
])

function reference(character: string): string {
  return NAMED.get(character) ?? `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`
}

function assertWritable(text: string): string {
  if (isXmlText(text)) return text
  throw malformedRequest('A value holds a character that XML cannot express')
}
