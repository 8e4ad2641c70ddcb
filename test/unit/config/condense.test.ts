import { describe, expect, it } from 'vitest'
import { condense } from '../../../src/config/changes/condense.ts'
import { summariseChanges } from '../../../src/config/changes/summarise-changes.ts'
import { readXml } from '../../../src/config/xml-reader.ts'
import { documentWith } from '../../support/documents.ts'

function summaryOf(before: string, after: string) {
  const [old, now] = [readXml(Buffer.from(before)), readXml(Buffer.from(after))]
  if (!old.ok || !now.ok) throw new Error('not XML')
  return summariseChanges(old, now)
}

function touches(text: string, place: string) {
  const at = text.indexOf(place)
  return (span: { start: number; end: number }) => span.start < at && at < span.end
}

describe('condense', () => {
  const before = documentWith('checkout', 'billing', 'shipping')
  const after = before.replace('billing.git', 'invoices.git')

  it('keeps what is touched, and of everything else only that it is there', () => {
    const short = condense(after, touches(after, 'invoices.git'))

    expect(short).toContain('<pipeline name="checkout"/>')
    expect(short).toContain('invoices.git')
    expect(short.length).toBeLessThan(after.length / 2)
    expect(short.split('\n')).toHaveLength(after.split('\n').length)
  })

  it('leaves the differences of two documents as they are', () => {
    const short = summaryOf(
      condense(before, touches(before, 'billing.git')),
      condense(after, touches(after, 'invoices.git')),
    )

    expect(short).toEqual(summaryOf(before, after))
    expect(short).not.toEqual([])
  })

  it.each([
    '<a><pipeline name="x"><!-- </pipeline> --><stage name="s"/></pipeline></a>',
    '<a><pipeline name="x"><![CDATA[</pipeline>]]></pipeline></a>',
    '<a><pipeline name="x"><materials><pipeline></pipeline></materials></pipeline></a>',
  ])('is not deceived by %s', (text) => {
    expect(readXml(Buffer.from(condense(text, () => false))).ok).toBe(true)
  })
})
