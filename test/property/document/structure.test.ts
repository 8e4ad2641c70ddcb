import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Problem } from '../../../src/core/problem.ts'
import { checkStructure } from '../../../src/document/structure/structure.ts'
import { readXml } from '../../../src/document/xml/xml-reader.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

const SOUND = `<cruise schemaVersion="75">
  <server siteUrl="http://x" jobTimeout="1"><security><roles><role name="r"><users><user>u</user></users></role></roles></security></server>
  <pipelines group="g"><pipeline name="p" isLocked="true">
    <params><param name="a">b</param></params>
    <materials><git url="u" autoUpdate="true"><filter><ignore pattern="*"/></filter></git></materials>
    <stage name="s"><approval type="manual"/><jobs><job name="j" timeout="3"><tasks><exec command="c"><arg>a</arg><runif status="any"/></exec></tasks></job></jobs></stage>
  </pipeline></pipelines>
  <environments><environment name="e"><pipelines><pipeline name="p"/></pipelines></environment></environments>
  <agents><agent hostname="h" ipaddress="1.1.1.1" uuid="a" isDisabled="false"><resources><resource>x</resource></resources></agent></agents>
</cruise>`

function problemsOf(text: string): readonly Problem[] {
  const reading = runSync(readXml(new TextEncoder().encode(text)))
  return reading.ok ? checkStructure(reading) : reading.problems
}

/** Every place in the text where a match begins. */
function placesOf(pattern: RegExp): fc.Arbitrary<RegExpExecArray> {
  return fc.constantFrom(...SOUND.matchAll(pattern))
}

function replaced({ 0: found, index }: RegExpExecArray, by: string): string {
  return SOUND.slice(0, index) + by + SOUND.slice(index + found.length)
}

function positionAt(offset: number): { line: number; column: number } {
  const before = SOUND.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

describe('the structure of a document', () => {
  it('is sound before it is damaged', () => {
    expect(problemsOf(SOUND)).toEqual([])
  })

  it('does not hide an attribute that nobody knows', () => {
    fc.assert(
      fc.property(placesOf(/(?<=<[a-z]+)(?=[ >/])/gi), (place) => {
        const [problem] = problemsOf(replaced(place, ' unheardOf="x"'))

        expect(problem).toMatchObject(positionAt(place.index + 1))
        expect(problem?.message).toContain('unknown attribute "unheardOf"')
      }),
    )
  })

  it('does not hide an element that nobody knows', () => {
    fc.assert(
      fc.property(placesOf(/(?=<[a-z]+[ >/])/gi), (place) => {
        const damaged = replaced(place, place.index === 0 ? '<!---->' : '<unheardOf/>')
        const expected = place.index === 0 ? [] : [positionAt(place.index)]

        expect(problemsOf(damaged).slice(0, 1)).toMatchObject(expected)
      }),
    )
  })

  it('does not hide stray text', () => {
    fc.assert(
      fc.property(placesOf(/(?<=(?:ers|nes|ls|jobs|job|tasks|filter)>\s*)(?=<[a-z])/g), (place) => {
        expect(problemsOf(replaced(place, ' stray '))).toMatchObject([
          {
            ...positionAt(place.index + 1),
            message: expect.stringContaining('text is not allowed'),
          },
        ])
      }),
    )
  })

  it('is the same whatever comments and white space stand between elements', () => {
    fc.assert(
      fc.property(
        placesOf(/>\s*</g),
        fc.constantFrom('<!-- x -->', '<?x?>', '\r\n\t'),
        (place, put) => {
          expect(problemsOf(replaced(place, `>${put}<`))).toEqual([])
        },
      ),
    )
  })

  it('is judged at any version, whatever is left of the document', () => {
    const piece = placesOf(/<[a-z]+(?: [^>]*)?\/>|<([a-z]+)[^>]*>[^<]*<\/\1>| [a-z]+="[^"]*"/gi)
    fc.assert(
      fc.property(piece, fc.integer({ min: 1, max: 139 }), (place, version) => {
        const damaged = replaced(place, '').replace(
          'schemaVersion="75"',
          `schemaVersion="${version}"`,
        )
        const outside = problemsOf(damaged).filter(({ line = 0 }) => line < 1 || line > 9)

        expect(outside).toEqual([])
      }),
    )
  })
})
