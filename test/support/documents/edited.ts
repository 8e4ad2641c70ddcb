import { applyEdits } from '../../../src/document/edit/apply-edits.ts'
import type { XmlEdit } from '../../../src/document/edit/xml-edit.ts'
import type { XmlElement } from '../../../src/document/xml/xml-tree.ts'
import { elementNamed, xmlDocument } from './xml-documents.ts'

type Find = (name: string) => XmlElement

/** The text after edits of the elements that they find by name; null when they change nothing. */
export function edited(text: string, edits: (find: Find) => readonly XmlEdit[]): string | null {
  const document = xmlDocument(text)
  return applyEdits(
    document,
    edits((name) => elementNamed(document.root, name)),
  )
}
