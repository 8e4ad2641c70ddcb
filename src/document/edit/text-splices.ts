import { breakOf, isSpace, isWhiteSpace, leadBefore } from './layout.ts'
import { newCdata, newText } from './new-element.ts'
import { renderText } from './render-element.ts'
import type { Splice } from './splice.ts'
import type { EditOf } from './xml-edit.ts'

/** The new text is where the old one began, as CDATA if that was CDATA. */
export function textSplices(document: string, edit: EditOf<'set-text'>): Splice[] {
  const { element, text } = edit
  const runs = element.children.filter((child) => child.kind === 'text')
  if (runs.map((run) => run.text).join('') === text) return []
  const eol = breakOf(document, leadBefore(document, element.span.start))
  const heir = runs.find((run) => !isWhiteSpace(run)) ?? runs[0]
  const written = renderText(heir?.cdata ? newCdata(text) : newText(text), eol)
  if (heir) return runs.map((run) => ({ ...run.span, text: run === heir ? written : '' }))
  if (element.closeTag) {
    const { start } = element.closeTag
    return [{ start, end: start, text: written }]
  }
  return [openedTag(document, edit, written)]
}

/** Gives an empty-element tag some content and a closing tag. */
export function openedTag(
  document: string,
  { element }: Pick<EditOf<'set-text'>, 'element'>,
  content: string,
): Splice {
  const { end } = element.openTag
  let start = end - '/>'.length
  while (isSpace(document.charCodeAt(start - 1))) start -= 1
  return { start, end, text: `>${content}</${element.name}>` }
}
