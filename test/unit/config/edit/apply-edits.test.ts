import { describe, expect, it } from 'vitest'
import { applyEdits } from '../../../../src/config/edit/apply-edits.ts'
import { newCdata, newElement } from '../../../../src/config/edit/new-element.ts'
import type { Place, XmlEdit } from '../../../../src/config/edit/xml-edit.ts'
import type { XmlElement } from '../../../../src/config/xml-tree.ts'
import { elementNamed, xmlDocument } from '../../../support/xml-documents.ts'

type Find = (name: string) => XmlElement

function edited(text: string, edits: (find: Find) => readonly XmlEdit[]): string | null {
  const document = xmlDocument(text)
  return applyEdits(
    document,
    edits((name) => elementNamed(document.root, name)),
  )
}

function inserted(text: string, parent: string, place: Place = { kind: 'last' }): string | null {
  const element = newElement('new', { a: '1' }, [newElement('inner')])
  return edited(text, (find) => [{ kind: 'insert', parent: find(parent), element, place }])
}

function removed(text: string, name: string, emptied: 'close' | 'remove' = 'close') {
  return edited(text, (find) => [{ kind: 'remove', element: find(name), emptied }])
}

function withAttribute(text: string, name: string, value: string) {
  return edited(text, (find) => [{ kind: 'set-attribute', element: find('e'), name, value }])
}

function withText(text: string, value: string) {
  return edited(text, (find) => [{ kind: 'set-text', element: find('e'), text: value }])
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

describe('a removed element', () => {
  it('takes its own lines along and no other', () => {
    expect(removed('<r>\n  <!-- a -->\n\n  <a>\n    <b />\n  </a>  \n  <c />\n</r>', 'a')).toBe(
      '<r>\n  <!-- a -->\n\n  <c />\n</r>',
    )
  })

  it('takes only itself where it shares its line', () => {
    expect(removed('<r>\n  <a/><b/>\n  <c/> <!-- c -->\n</r>', 'a')).toBe(
      '<r>\n  <b/>\n  <c/> <!-- c -->\n</r>',
    )
    expect(removed('<r>\n  <a/><b/>\n  <c/> <!-- c -->\n</r>', 'c')).toBe(
      '<r>\n  <a/><b/>\n   <!-- c -->\n</r>',
    )
  })

  it('closes the parent that it leaves empty, or takes it along', () => {
    const text = '<r>\n  <p a="1">\n    <s />\n  </p>\n  <q />\n</r>'

    expect(removed(text, 's')).toBe('<r>\n  <p a="1" />\n  <q />\n</r>')
    expect(removed(text, 's', 'remove')).toBe('<r>\n  <q />\n</r>')
  })

  it('leaves a parent that holds a comment', () => {
    const text = '<r>\n  <p>\n    <!-- ours -->\n    <s />\n  </p>\n</r>'

    expect(removed(text, 's', 'remove')).toBe('<r>\n  <p>\n    <!-- ours -->\n  </p>\n</r>')
  })

  it('makes room for another in the same pass', () => {
    expect(
      edited('<r>\n  <p>\n    <s />\n  </p>\n</r>', (find) => [
        { kind: 'remove', element: find('s'), emptied: 'close' },
        { kind: 'insert', parent: find('p'), element: newElement('t'), place: { kind: 'last' } },
      ]),
    ).toBe('<r>\n  <p>\n    <t />\n  </p>\n</r>')
  })
})

describe('a replaced element', () => {
  it('keeps its place and indentation', () => {
    const by = newElement('t', {}, [newElement('u')])

    expect(
      edited('<r>\n  <p>\n    <s a="1"/> <!-- s -->\n  </p>\n</r>', (find) => [
        { kind: 'replace', element: find('s'), by },
      ]),
    ).toBe('<r>\n  <p>\n    <t>\n      <u/>\n    </t> <!-- s -->\n  </p>\n</r>')
  })
})

describe('an attribute', () => {
  it('keeps its quotes when its value changes', () => {
    expect(withAttribute(`<e  b = 'x'   a="y"/>`, 'b', `it's "<`)).toBe(
      `<e  b = 'it&apos;s "&lt;'   a="y"/>`,
    )
  })

  it('is added behind the others, in their quotes and lines', () => {
    expect(withAttribute('<e/>', 'n', '1')).toBe('<e n="1"/>')
    expect(withAttribute(`<e a='1' />`, 'n', '2')).toBe(`<e a='1' n='2' />`)
    expect(withAttribute('<e a="1"\n   b="2"\n>\n</e>', 'n', '3')).toBe(
      '<e a="1"\n   b="2"\n   n="3"\n>\n</e>',
    )
  })

  it('changes nothing when it has the value already', () => {
    expect(withAttribute('<e a="1&#x20;"/>', 'a', '1 ')).toBeNull()
  })

  it('is removed with the space before it', () => {
    expect(
      edited('<e a="1"  b="2" c="3" />', (find) => [
        { kind: 'remove-attribute', element: find('e'), name: 'b' },
        { kind: 'remove-attribute', element: find('e'), name: 'd' },
      ]),
    ).toBe('<e a="1" c="3" />')
  })

  it('gives its place to another', () => {
    const rename = { kind: 'replace-attribute', from: 'b', name: 'd', value: '4' } as const

    expect(edited(`<e a="1"  b='2' c="3" />`, (find) => [{ ...rename, element: find('e') }])).toBe(
      `<e a="1"  d='4' c="3" />`,
    )
  })
})

describe('the text of an element', () => {
  it('is replaced as a whole', () => {
    expect(withText('<e>old</e>', 'a & b')).toBe('<e>a &amp; b</e>')
    expect(withText('<e/>', 'a')).toBe('<e>a</e>')
    expect(withText('<e a="1"></e>', 'a')).toBe('<e a="1">a</e>')
  })

  it('stays a CDATA section and keeps the comments beside it', () => {
    expect(withText('<e>\n<!-- c --><![CDATA[x]]>\n</e>', 'a ]]> b')).toBe(
      '<e><!-- c --><![CDATA[a ]]]]><![CDATA[> b]]></e>',
    )
  })

  it('ends its lines as the document does', () => {
    expect(withText('<r>\r\n<e>a</e></r>', 'b\nc')).toBe('<r>\r\n<e>b\r\nc</e></r>')
  })

  it('changes nothing when it is the text already', () => {
    expect(withText('<e>&#97;</e>', 'a')).toBeNull()
  })
})
