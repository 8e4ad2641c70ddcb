import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyEdits } from '../../../src/document/edit/apply-edits.ts'
import { realRevisions, validDocuments } from '../../support/documents/config-corpus.ts'
import { SHARED_DATA } from '../../support/programs/shared-data.ts'
import { xmlDocument } from '../../support/documents/xml-documents.ts'
import { editsOf, freshElement, laidOutDocument, wish } from './edit-arbitraries.ts'
import { countInOrder, untouchedLines } from './edit-lines.ts'
import { commentsAfter, plainAfter } from './edit-model.ts'

type Wishes = Parameters<typeof editsOf>[1]

const wishes = fc.array(wish, { minLength: 1, maxLength: 6 })

function expectLosslessEdits(text: string, wanted: Wishes): void {
  const before = xmlDocument(text)
  const edits = editsOf(before.root, wanted)

  const after = xmlDocument(applyEdits(before, edits) ?? text)

  expect(plainAfter(after.root, [])).toEqual(plainAfter(before.root, edits))
  expect(commentsAfter(after, [])).toEqual(commentsAfter(before, edits))
  const kept = untouchedLines(before, edits)
  expect(countInOrder(kept, after.text)).toBe(kept.length)
}

describe('edits', () => {
  it('change what they are about and no other line, however a document is laid out', () => {
    fc.assert(fc.property(laidOutDocument, wishes, expectLosslessEdits), { numRuns: 800 })
  })

  it.skipIf(SHARED_DATA === null)('do so in real documents', { tags: ['long'] }, () => {
    const documents = [...realRevisions(6), ...validDocuments()]

    fc.assert(fc.property(fc.constantFrom(...documents), wishes, expectLosslessEdits), {
      numRuns: 300,
    })
  })

  it('of one element inserted only add text at one place', () => {
    fc.assert(
      fc.property(laidOutDocument, freshElement, (text, element) => {
        const { root } = xmlDocument(text)
        fc.pre(root.closeTag !== null && root.children.some((child) => child.kind === 'element'))
        const place = { kind: 'last' } as const

        const edited = applyEdits({ text, root }, [
          { kind: 'insert', parent: root, element, place },
        ])

        expect(edited).not.toBeNull()
        expect(isTextWithInsertion(text, edited ?? '')).toBe(true)
      }),
    )
  })

  it('take back an inserted element without a trace', () => {
    fc.assert(
      fc.property(laidOutDocument, freshElement, (text, element) => {
        const before = xmlDocument(text)
        fc.pre(before.root.children.some((child) => child.kind === 'element'))
        const insert = {
          kind: 'insert',
          parent: before.root,
          element,
          place: { kind: 'last' },
        } as const

        const after = xmlDocument(applyEdits(before, [insert]) ?? '')
        const added = after.root.children.findLast((child) => child.kind === 'element')

        expect(
          added && applyEdits(after, [{ kind: 'remove', element: added, emptied: 'close' }]),
        ).toBe(text)
      }),
    )
  })
})

function isTextWithInsertion(before: string, after: string): boolean {
  let head = 0
  while (head < before.length && before[head] === after[head]) head += 1
  return after.endsWith(before.slice(head))
}
