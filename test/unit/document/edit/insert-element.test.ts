import { describe, expect, it } from 'vitest'
import { applyEdits } from '../../../../src/document/edit/apply-edits.ts'
import { newCdata, newElement } from '../../../../src/document/edit/new-element.ts'
import type { InsertionPlace } from '../../../../src/document/edit/xml-edit.ts'
import { elementNamed, xmlDocument } from '../../../support/documents/xml-documents.ts'
import { edited } from '../../../support/documents/edited.ts'

function inserted(
  text: string,
  parent: string,
  place: InsertionPlace = { kind: 'last' },
): string | null {
  const element = newElement('new', { a: '1' }, [newElement('inner')])
  return edited(text, (find) => [{ kind: 'insert', parent: find(parent), element, place }])
}

describe('an inserted element', () => {
  it('takes the indentation of its neighbours', () => {
    expect(inserted('<r>\n    <p>\n        <s/>\n    </p>\n</r>\n', 'p')).toBe(
      '<r>\n    <p>\n        <s/>\n        <new a="1">\n            <inner/>\n        </new>\n    </p>\n</r>\n',
    )
  })

  it('follows tabs and carriage returns', () => {
    expect(inserted('<r>\r\n\t<p>\r\n\t\t<s />\r\n\t</p>\r\n</r>', 'p')).toBe(
      '<r>\r\n\t<p>\r\n\t\t<s />\r\n\t\t<new a="1">\r\n\t\t\t<inner />\r\n\t\t</new>\r\n\t</p>\r\n</r>',
    )
  })

  it('stands flush left where everything does', () => {
    expect(inserted('<r>\n<p>\n<s />\n</p>\n</r>', 'p')).toBe(
      '<r>\n<p>\n<s />\n<new a="1">\n<inner />\n</new>\n</p>\n</r>',
    )
  })

  it('stays on the line of a document of one line', () => {
    expect(inserted('<r><p><s/></p></r>', 'p')).toBe('<r><p><s/><new a="1"><inner/></new></p></r>')
    expect(inserted('<r><p/></r>', 'p')).toBe('<r><p><new a="1"><inner/></new></p></r>')
  })

  it('opens a parent that has no content', () => {
    const opened = '<r>\n  <p b="2">\n    <new a="1">\n      <inner />\n    </new>\n  </p>\n</r>'

    expect(inserted('<r>\n  <p b="2" />\n</r>', 'p')).toBe(opened)
    expect(inserted('<r>\n  <p b="2"></p>\n</r>', 'p')).toBe(opened)
    expect(inserted('<r>\n  <p b="2"> </p>\n</r>', 'p')).toBe(opened)
    expect(inserted('<r>\n  <p b="2">\n  </p>\n</r>', 'p')).toBe(opened)
  })

  it('opens an empty root of a document of several lines', () => {
    expect(inserted('<?xml version="1.0"?>\n<r a="1" />\n', 'r')).toBe(
      '<?xml version="1.0"?>\n<r a="1">\n  <new a="1">\n    <inner />\n  </new>\n</r>\n',
    )
  })

  it('leaves a comment with the element above or below it', () => {
    const text = '<r>\n  <a /> <!-- of a -->\n  <!-- of b -->\n  <b />\n</r>'

    const between =
      '<r>\n  <a /> <!-- of a -->\n  <new a="1">\n    <inner />\n  </new>\n  <!-- of b -->\n  <b />\n</r>'
    const document = xmlDocument(text)
    const element = newElement('new', { a: '1' }, [newElement('inner')])
    for (const place of [
      { kind: 'after', sibling: elementNamed(document.root, 'a') },
      { kind: 'before', sibling: elementNamed(document.root, 'b') },
    ] as const) {
      expect(
        applyEdits(document, [{ kind: 'insert', parent: document.root, element, place }]),
      ).toBe(between)
    }
  })

  it('goes below the comments of a parent that has nothing else', () => {
    expect(inserted('<r>\n  <p>\n    <!-- ours -->\n  </p>\n</r>', 'p')).toBe(
      '<r>\n  <p>\n    <!-- ours -->\n    <new a="1">\n      <inner />\n    </new>\n  </p>\n</r>',
    )
  })

  it('finds its place in the order of the schema', () => {
    const names = ['server', 'new', 'agents']

    expect(inserted('<r>\n  <server />\n  <agents />\n</r>', 'r', { kind: 'order', names })).toBe(
      '<r>\n  <server />\n  <new a="1">\n    <inner />\n  </new>\n  <agents />\n</r>',
    )
    expect(inserted('<r>\n  <agents />\n</r>', 'r', { kind: 'order', names })).toBe(
      '<r>\n  <new a="1">\n    <inner />\n  </new>\n  <agents />\n</r>',
    )
  })

  it('stands in the order given beside others at the same place', () => {
    const edits = ['one', 'two'].map((name) => newElement(name))

    expect(
      edited('<r>\n  <p />\n</r>', (find) =>
        edits.map((element) => ({
          kind: 'insert',
          parent: find('p'),
          element,
          place: { kind: 'last' },
        })),
      ),
    ).toBe('<r>\n  <p>\n    <one />\n    <two />\n  </p>\n</r>')
  })

  it('escapes whatever its values hold', () => {
    const element = newElement('new', { a: `<&>"'\n\t` }, ['a < b & c ]]>'])
    const cdata = newElement('new', {}, [newCdata('a ]]> b')])

    const place = { kind: 'last' } as const
    const written = edited('<r>\n</r>', (find) => [
      { kind: 'insert', parent: find('r'), element, place },
      { kind: 'insert', parent: find('r'), element: cdata, place },
    ])

    expect(written).toBe(
      '<r>\n  <new a="&lt;&amp;&gt;&quot;\'&#xA;&#x9;">a &lt; b &amp; c ]]&gt;</new>' +
        '\n  <new><![CDATA[a ]]]]><![CDATA[> b]]></new>\n</r>',
    )
  })

  it.each(['\u0000', '\u0008', '\u001B', '\uFFFE', '\uD800'])(
    'is refused with the character %j in a value',
    (character) => {
      const element = newElement('new', { a: `x${character}` })

      expect(() =>
        edited('<r/>', (find) => [
          { kind: 'insert', parent: find('r'), element, place: { kind: 'last' } },
        ]),
      ).toThrow(expect.objectContaining({ code: 'malformed-request' }))
    },
  )
})
