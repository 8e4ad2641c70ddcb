import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entityOfOpen, pathOfOpen } from '../../../src/document/highlight/open-path.ts'
import { XmlScanner } from '../../../src/document/highlight/xml-scanner.ts'

const TEXT = `<?xml version="1.0"?>
<cruise>
  <!-- a > b
       goes on -->
  <pipelines group="shop">
    <pipeline name="checkout">
      <stage name="test"><jobs><job name="unit" timeout='5' /></jobs></stage>
      <materials><pipeline pipelineName="up" stageName="s" /></materials>
      <![CDATA[ <job name="not"> ]]>
    </pipeline>
  </pipelines>
</cruise>
`

function tokensOf(text: string, start: number, end: number): string[] {
  return new XmlScanner(text)
    .tokens({ start, end })
    .map((token) => `${token.kind} ${text.slice(token.start, token.end)}`)
}

function pathAt(place: string): string {
  const open = new XmlScanner(TEXT).openAt(TEXT.indexOf(place))
  return pathOfOpen(TEXT, open)
    .map(({ word, name }) => (name === null ? word : `${word} ${name}`))
    .join(' › ')
}

describe('XmlScanner', () => {
  it('distinguishes tags, attributes and values', () => {
    const start = TEXT.indexOf('<job ')

    expect(tokensOf(TEXT, start, start + 30)).toEqual([
      'tag job',
      'attribute name',
      'value "unit"',
      'attribute timeout',
      "value '5'",
    ])
  })

  it('knows a comment whose beginning is out of sight', () => {
    const start = TEXT.indexOf('goes on')

    expect(tokensOf(TEXT, start, start + 5)).toEqual(['comment <!-- a > b\n       goes on -->'])
  })

  it('takes CDATA for text', () => {
    const start = TEXT.indexOf('<![CDATA[')

    expect(tokensOf(TEXT, start, start + 30)).toEqual([])
  })

  it.each([
    ['<pipeline name', 'group shop › pipeline checkout'],
    ['<job name="unit"', 'group shop › pipeline checkout › stage test › job unit'],
    ['<pipeline pipelineName', 'group shop › pipeline checkout › upstream pipeline up'],
    ['</pipelines>', 'group shop'],
  ])('says what is open at %s', (place, path) => {
    expect(pathAt(place)).toBe(path)
  })

  it('finds the entity that a place belongs to', () => {
    const open = new XmlScanner(TEXT).openAt(TEXT.indexOf('<job name="unit"'))

    expect(entityOfOpen(TEXT, open)).toEqual({ kind: 'pipeline', name: 'checkout' })
  })

  it('takes any text, and says the same whether it is asked at once or in parts', () => {
    const soup = fc
      .array(fc.constantFrom('<a', ' b="', '"', '>', '/>', '</a>', '<!--', '-->', 'x', '\n', "'"))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(soup, fc.nat(60), (text, cut) => {
        const at = Math.min(cut, text.length)
        const scanner = new XmlScanner(text)
        const parts = [
          ...scanner.tokens({ start: 0, end: at }),
          ...scanner.tokens({ start: at, end: text.length }),
        ]
        const whole = new XmlScanner(text).tokens({ start: 0, end: text.length })
        const told = new Set(parts.map((token) => JSON.stringify(token)))

        expect(told).toEqual(new Set(whole.map((token) => JSON.stringify(token))))
      }),
    )
  })
})
