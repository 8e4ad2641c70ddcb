import { describe, expect, it } from 'vitest'
import { condensePair, scanMembers } from '../../../src/document/changes/condense.ts'
import { readXml } from '../../../src/document/xml/xml-reader.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

/** Both texts condensed, where some places are touched. */
function condensed(before: string, after: string, places: readonly string[]) {
  const scan = (text: string) => {
    const touched = places.map((place) => text.indexOf(place))
    return scanMembers(text, ({ start, end }) => touched.some((at) => start < at && at < end))
  }
  const pair = condensePair(scan(before), scan(after))
  return [pair.before, pair.after] as const
}

function lineAt(text: string, place: string): number {
  return text.slice(0, text.indexOf(place)).split('\n').length
}

describe('condense', () => {
  const before = documentWith('checkout', 'billing', 'shipping')
  const after = before.replace('billing.git', 'invoices.git')

  it('keeps what is touched, and of everything else only that it is there where places may matter', () => {
    const more = after.replace('name="shipping"', 'name="delivery"')
    const [old, now] = condensed(before, more, ['billing.git', 'invoices.git', 'shipping'])

    expect(now.text).toContain('<pipeline name="checkout"/>')
    expect(now.text).toContain('invoices.git')
    expect(now.text).not.toContain('checkout.git')
    expect(now.lineOf(1)).toBe(1)
    expect(now.lineOf(lineAt(now.text, 'invoices.git'))).toBe(lineAt(more, 'invoices.git'))
    expect(now.lineOf(lineAt(now.text, '</cruise>'))).toBe(lineAt(more, '</cruise>'))
    expect(old.text).toContain('<pipeline name="checkout"/>')
  })

  it('leaves the rest out where what is touched stayed in its place', () => {
    const [, now] = condensed(before, after, ['billing.git', 'invoices.git'])

    expect([...now.text.matchAll(/<pipeline name="(\w+)"/g)].map(([, name]) => name)).toEqual([
      'billing',
    ])
    expect(now.lineOf(lineAt(now.text, 'invoices.git'))).toBe(lineAt(after, 'invoices.git'))
    expect(now.lineOf(lineAt(now.text, '</cruise>'))).toBe(lineAt(after, '</cruise>'))
  })

  it.each([
    '<pipelines><pipeline name="x"><!-- </pipeline> --><stage name="s"/></pipeline></pipelines>',
    '<pipelines><pipeline name="x"><![CDATA[</pipeline>]]></pipeline></pipelines>',
    '<pipelines><pipeline name="x"><materials><pipeline></pipeline></materials></pipeline></pipelines>',
  ])('is not deceived by %s', (text) => {
    const [short] = condensed(text, text, [])

    expect(runSync(readXml(Buffer.from(short.text))).ok).toBe(true)
  })
})
