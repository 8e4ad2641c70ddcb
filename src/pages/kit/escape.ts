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

/** Escapes a text for a textarea, where only these two begin something: cheap for a text of megabytes. */
export function escapeForTextarea(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/**
 * Escapes a text for HTML or XML elements and quoted attributes. Characters that XML forbids become
 * U+FFFD.
 */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replace(SPECIAL, (character) => REPLACEMENTS.get(character) ?? '\ufffd')
}
