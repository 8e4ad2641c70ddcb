import { attributeSplice } from './attribute-splices.ts'
import { childEditsByParent } from './child-edits.ts'
import { childSplices } from './child-splices.ts'
import { type EditableDocument, layoutOf } from './layout.ts'
import { applySplices, type Splice } from './splice.ts'
import { textSplices } from './text-splices.ts'
import type { ChildEdit, XmlEdit } from './xml-edit.ts'

/**
 * The text of a document after some edits, made in one pass; null when they
 * change nothing. Every character that no edit is about stays what it is:
 * comments, blank lines, quotes, indentation, line endings, byte order mark.
 *
 * @throws {ServiceError} `malformed-request` when a value cannot be written in XML.
 */
export function applyEdits(document: EditableDocument, edits: readonly XmlEdit[]): string | null {
  const edited = applySplices(document.text, splicesOf(document, edits))
  return edited === document.text ? null : edited
}

function splicesOf(document: EditableDocument, edits: readonly XmlEdit[]): Splice[] {
  const splices: Splice[] = []
  const childEdits: ChildEdit[] = []
  for (const edit of edits) {
    if (edit.kind === 'set-text') splices.push(...textSplices(document.text, edit))
    else if (isChildEdit(edit)) childEdits.push(edit)
    else splices.push(...present(attributeSplice(document.text, edit)))
  }
  const layout = layoutOf(document)
  for (const group of childEditsByParent(childEdits)) {
    splices.push(...childSplices(document, layout, group))
  }
  return splices
}

function isChildEdit(edit: XmlEdit): edit is ChildEdit {
  return edit.kind === 'insert' || edit.kind === 'replace' || edit.kind === 'remove'
}

function present(splice: Splice | null): Splice[] {
  return splice ? [splice] : []
}
