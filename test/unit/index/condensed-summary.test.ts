import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { summariseChanges } from '../../../src/document/changes/summarise-changes.ts'
import { readXml } from '../../../src/document/xml/xml-reader.ts'
import { editScript } from '../../../src/diff/edit-script.ts'
import { textLinesOf } from '../../../src/document/text/text-lines.ts'
import { condensedSummary } from '../../../src/index/condensed-summary.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

function quickSummary(before: string, after: string) {
  const [old, now] = [Buffer.from(before), Buffer.from(after)]
  const script = editScript(old, now)
  const texts = {
    before: textLinesOf(old, script.before.count),
    after: textLinesOf(now, script.after.count),
  }
  return runSync(condensedSummary(script, texts))
}

function wholeSummary(before: string, after: string) {
  return runSync(
    summariseChanges(runSync(readXml(Buffer.from(before))), runSync(readXml(Buffer.from(after)))),
  )
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const aCommand = fc.constantFrom('make', 'make', 'make', 'ninja')

/** Pipelines in some order, each with a command, in one group or two. */
function aDocument(names: fc.Arbitrary<readonly string[]>): fc.Arbitrary<string> {
  return fc
    .tuple(names, fc.array(aCommand, { minLength: 8, maxLength: 8 }), fc.nat({ max: 8 }))
    .map(([order, commands, place]) => {
      let n = 0
      const lines = documentWith(...order)
        .replaceAll('"make"', () => `"${commands[n++] ?? ''}"`)
        .split('\n')
      const starts = lines.flatMap((line, at) => (line.includes('<pipeline ') ? [at] : []))
      const at = place === 0 ? undefined : starts[place]
      if (at !== undefined) lines.splice(at, 0, '  </pipelines>', '  <pipelines group="second">')
      return lines.join('\n')
    })
}

const all = fc.shuffledSubarray(NAMES, { minLength: NAMES.length })
const some = fc.shuffledSubarray(NAMES, { minLength: 1 })

describe('a summary that reads only what has changed', () => {
  it('says the same as one that reads everything', { tags: ['long'] }, () => {
    fc.assert(
      fc.property(aDocument(all), aDocument(some), fc.boolean(), (one, other, isGrowing) => {
        const [before, after] = isGrowing ? [other, one] : [one, other]
        expect(quickSummary(before, after)).toEqual(wholeSummary(before, after))
      }),
      { numRuns: 400 },
    )
  })

  it.each([
    ['a new group', '  </pipelines>\n  <pipelines group="second">\n'],
    [
      'a new group before an empty one',
      '  </pipelines>\n  <pipelines group="none" />\n  <pipelines group="second">\n',
    ],
  ])('says which pipelines are in %s, where nothing but its tags is written', (_, tags) => {
    const text = documentWith(...NAMES)
    const place = text.indexOf('    <pipeline name="c">')
    const split = text.slice(0, place) + tags + text.slice(place)

    const summary = quickSummary(text, split)

    expect(summary).toEqual(wholeSummary(text, split))
    expect(summary?.filter(({ to }) => to === 'second')).toHaveLength(6)
    expect(quickSummary(split, text)).toEqual(wholeSummary(split, text))
  })

  it('names the line at which the whole text cannot be read', () => {
    const text = documentWith(...NAMES)
    const broken = text.replace('</cruise>', '<cruise')

    const summary = quickSummary(text.replace('make', 'ninja'), broken)

    expect(summary).toEqual(wholeSummary(text, broken))
    expect(summary?.[0]?.to).toContain(`line ${text.trimEnd().split('\n').length}`)
  })
})
