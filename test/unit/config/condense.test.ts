import { describe, expect, it } from 'vitest'
import type { Change } from '../../../src/config/changes/change.ts'
import { condense } from '../../../src/config/changes/condense.ts'
import { summariseChanges } from '../../../src/config/changes/summarise-changes.ts'
import { readXml } from '../../../src/config/xml-reader.ts'
import { documentWith } from '../../support/documents.ts'

function summaryOf(before: string, after: string) {
  const [old, now] = [readXml(Buffer.from(before)), readXml(Buffer.from(after))]
  if (!old.ok || !now.ok) throw new Error('not XML')
  return summariseChanges(old, now)
}

function touching(text: string, place: string) {
  const at = text.indexOf(place)
  return (span: { start: number; end: number }) => span.start < at && at < span.end
}

function withoutLines({ before: _before, after: _after, ...change }: Change) {
  return change
}

function lineAt(text: string, place: string): number {
  return text.slice(0, text.indexOf(place)).split('\n').length
}

describe('condense', () => {
  const before = documentWith('checkout', 'billing', 'shipping')
  const after = before.replace('billing.git', 'invoices.git')

  it('keeps what is touched, and of everything else only that it is there', () => {
    const { text: short, lineOf } = condense(after, touching(after, 'invoices.git'))

    expect(short).toContain('<pipeline name="checkout"/>')
    expect(short).toContain('invoices.git')
    expect(short.length).toBeLessThan(after.length / 2)
    expect(lineOf(1)).toBe(1)
    expect(lineOf(lineAt(short, 'invoices.git'))).toBe(lineAt(after, 'invoices.git'))
    expect(lineOf(lineAt(short, '</cruise>'))).toBe(lineAt(after, '</cruise>'))
  })

  it('leaves the differences of two documents as they are', () => {
    const short = summaryOf(
      condense(before, touching(before, 'billing.git')).text,
      condense(after, touching(after, 'invoices.git')).text,
    )

    expect(short.map(withoutLines)).toEqual(summaryOf(before, after).map(withoutLines))
    expect(short).not.toEqual([])
  })

  it.each([
    '<pipelines><pipeline name="x"><!-- </pipeline> --><stage name="s"/></pipeline></pipelines>',
    '<pipelines><pipeline name="x"><![CDATA[</pipeline>]]></pipeline></pipelines>',
    '<pipelines><pipeline name="x"><materials><pipeline></pipeline></materials></pipeline></pipelines>',
  ])('is not deceived by %s', (text) => {
    expect(readXml(Buffer.from(condense(text, () => false).text)).ok).toBe(true)
  })
})
