import { escapeHtml } from './escape.ts'

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
