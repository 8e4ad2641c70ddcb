import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TextFilter } from '../../src/lib/compact/text-filter.ts'

/** Few letters, so that most short texts are in some of the others. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\n'), maxLength: 30 })

describe('the filter of texts', () => {
  it('lets every part of a text pass', () => {
    const cases = fc.tuple(fc.array(text), text, text, text)
    fc.assert(
      fc.property(cases, ([others, before, part, after]) => {
        const filter = new TextFilter()
        for (const each of [...others, before + part + after]) filter.add(Buffer.from(each))
        expect(filter.mayHave(Buffer.from(part))).toBe(true)
      }),
    )
  })

  it('stops what is nowhere, but for texts of less than four bytes', () => {
    const filter = new TextFilter()
    for (let n = 1_000; n < 2_000; n += 1) {
      filter.add(Buffer.from(`<git url="https://example.org/change-${n}.git"/>`))
    }
    const absent = Array.from({ length: 1_000 }, (_, n) => `change-${n + 5_000}.git`)
    const passing = absent.filter((each) => filter.mayHave(Buffer.from(each)))

    expect(passing.length).toBeLessThan(10)
    expect(filter.mayHave(Buffer.from('xyz'))).toBe(true)
    expect(new TextFilter().mayHave(Buffer.from('xyzz'))).toBe(false)
  })
})
