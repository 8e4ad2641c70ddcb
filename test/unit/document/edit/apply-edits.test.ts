import { describe, expect, it } from 'vitest'
import { newElement } from '../../../../src/document/edit/new-element.ts'
import { edited } from '../../../support/documents/edited.ts'

function removed(text: string, name: string, emptied: 'close' | 'remove' = 'close') {
  return edited(text, (find) => [{ kind: 'remove', element: find(name), emptied }])
}

function withAttribute(text: string, name: string, value: string) {
  return edited(text, (find) => [{ kind: 'set-attribute', element: find('e'), name, value }])
}

function withText(text: string, value: string) {
  return edited(text, (find) => [{ kind: 'set-text', element: find('e'), text: value }])
}

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
