const SPECIAL = /[&<>"'\p{Cc}\ufffe\uffff]/gu
const REPLACEMENTS = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
  ['\t', '\t'],
  ['\n', '\n'],
])

/** A text for HTML or XML, inside an element or a quoted attribute. What XML cannot hold becomes U+FFFD. */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replace(SPECIAL, (character) => REPLACEMENTS.get(character) ?? '\ufffd')
}
