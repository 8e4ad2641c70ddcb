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

/** A text as HTML, in which characters that a global pattern finds are shown by their names. */
export function withNamedCharacters(text: string, odd: RegExp): string {
  let html = ''
  let from = 0
  for (const { index, 0: character } of text.matchAll(odd)) {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    html += `${escapeHtml(text.slice(from, index))}<span class="odd" title="Invisible character">U+${code}</span>`
    from = index + character.length
  }
  return html + escapeHtml(text.slice(from))
}
