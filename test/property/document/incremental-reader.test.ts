import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { summariseChanges } from '../../../src/document/changes/summarise-changes.ts'
import { findNamedEntity } from '../../../src/document/entities/entities.ts'
import { IncrementalReader } from '../../../src/document/incremental/incremental-reader.ts'
import { knownMembersOf } from '../../../src/document/incremental/known-members.ts'
import { type ConfigDocument, readDocument } from '../../../src/document/document.ts'
import {
  aConfiguration,
  dependency,
  element,
  exec,
  git,
} from '../../support/documents/a-configuration.ts'
import { realRevisions, validDocuments } from '../../support/documents/config-corpus.ts'
import { plainTree } from '../../support/git/plain-tree.ts'
import { SHARED_DATA } from '../../support/programs/shared-data.ts'
import { runSync } from '../../../src/lib/cooperative.ts'
import { elementFinder } from '../../../src/document/xml/xml-elements.ts'
import type { XmlElement } from '../../../src/document/xml/xml-tree.ts'

const MADE = [
  aConfiguration({
    groups: [
      { group: 'first', pipelines: [{ name: 'a' }, { name: 'b', materials: [dependency('a')] }] },
      {
        group: 'second',
        authorization: element('authorization', {}, [
          element('view', {}, [element('user', {}, ['x'])]),
        ]),
        pipelines: [
          {
            name: 'c',
            template: 't',
            params: { dir: 'x' },
            attributes: { labeltemplate: '1.${COUNT}' },
          },
          {
            name: 'd',
            template: 't',
            params: { dir: 'y' },
            materials: [element('scm', { ref: 's' })],
          },
          { name: 'e', variables: { V: '1' }, timer: '0 0 22 ? * MON-FRI' },
        ],
      },
    ],
    scms: [
      element('scm', { id: 's', name: 'source' }, [
        element('pluginConfiguration', { id: 'p', version: '1' }),
        element('configuration', {}, [element('property', {}, [element('key', {}, ['k'])])]),
      ]),
    ],
    templates: [
      {
        name: 't',
        stages: [
          { jobs: [{ tasks: [element('exec', { command: 'make', workingdir: '#{dir}' })] }] },
        ],
      },
      { name: 'unused', stages: [{ jobs: [{ tasks: [exec('ls')], resources: ['r1'] }] }] },
    ],
    environments: [{ name: 'env', pipelines: ['a', 'e'], agents: ['u1'] }],
    agents: [
      { uuid: 'u1', resources: ['linux'] },
      { uuid: 'u2', hostname: 'other' },
    ],
  }),
  aConfiguration({
    schemaVersion: 90,
    pipelines: [{ name: 'p', materials: [git('https://u:pw@example.com/r', { password: 'x' })] }],
  }),
]

/** Names of entities that are in some of the documents, and of such that are in none. */
const NAMES = [
  ...['a', 'b', 'c', 'd', 'e', 'p', 't', 'one', 'two', 'three', 'none'].map((n) => `pipeline/${n}`),
  ...['t', 'unused', 'one', 'a'].map((name) => `template/${name}`),
  ...['u1', 'u2'].map((name) => `agent/${name}`),
  ...['first', 'second', 'none'].map((name) => `group/${name}`),
  'environment/env',
]

const SNIPPETS = [
  '',
  ' ',
  '\r\n',
  'x',
  '7',
  'é😀',
  '#{dir}',
  '&amp;',
  '&',
  '"',
  "'",
  '<',
  '>',
  '/',
  ']]>',
  '<!-- </pipeline> -->',
  '<![CDATA[<pipeline>]]>',
  "<?p it's </agents> ?>",
  '<pipeline/>',
  '<agent/>',
  '</pipeline><pipeline name="y">',
  ' secure="true"',
  ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="c.xsd"',
] as const

const MEMBER = /<pipeline name=[^]*?<\/pipeline>|<agent [^]*?<\/agent>|<agent [^>]*\/>/g
const PIECE = /<[^>]*>|\w+|[^\w<]+/g

/** Fractions of the text and what is done there; the same edit can be made in any text. */
const edits = fc.record({
  kind: fc.constantFrom('replace', 'insert', 'rename', 'cut', 'repeat', 'exchange', 'version'),
  from: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  to: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  snippet: fc.constantFrom(...SNIPPETS),
})
type Edit = typeof edits extends fc.Arbitrary<infer Value> ? Value : never

function at<Item>(items: readonly Item[], fraction: number): Item | undefined {
  return items[Math.floor(fraction * items.length)]
}

function edited(text: string, { kind, from, to, snippet }: Edit): string {
  if (kind === 'version') {
    const version = text.includes('schemaVersion="75"') ? 90 : 75
    return text.replace(/schemaVersion="\d+"/, `schemaVersion="${version}"`)
  }
  const whole = kind === 'replace' || kind === 'insert' || kind === 'rename' ? PIECE : MEMBER
  const places = [...text.matchAll(whole)]
  const [one, other] = [at(places, from), at(places, to)]
  if (!one || !other) return text
  const [before, after] = [text.slice(0, one.index), text.slice(one.index + one[0].length)]
  if (kind === 'rename') return text.replaceAll(one[0], `${one[0].slice(0, 1)}z`)
  if (kind === 'replace') return before + snippet + after
  if (kind === 'insert') return before + snippet + one[0] + after
  if (kind === 'cut') return before + after
  if (kind === 'repeat') return before + one[0] + one[0].replace(/name="/, 'name="new-') + after
  const [first, second] = one.index <= other.index ? [one, other] : [other, one]
  const between = text.slice(first.index + first[0].length, second.index)
  const end = text.slice(second.index + second[0].length)
  if (first === second) return text
  return text.slice(0, first.index) + second[0] + between + first[0] + end
}

/** Edits of one member after which most documents are still valid. */
const touches = fc.record({
  kind: fc.constantFrom('value', 'name', 'comment', 'space', 'cut', 'exchange'),
  from: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  to: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  value: fc.constantFrom('one', 'two', 'three'),
})

type Touch = typeof touches extends fc.Arbitrary<infer Value> ? Value : never

function touched(text: string, { kind, from, to, value }: Touch): string {
  if (kind === 'cut' || kind === 'exchange') return edited(text, { kind, from, to, snippet: '' })
  const place = at([...text.matchAll(MEMBER)], from)
  if (!place) return text
  const [member] = place
  const replaced = {
    value: () => member.replace(/(command|url|hostname)="[^"]*"/, `$1="${value}"`),
    name: () => member.replace(/name="[^"]*"/, `name="${value}"`),
    comment: () => member.replace('>', `><!-- ${value} -->`),
    space: () => member.replace('>', '>\n '),
  }[kind]()
  return text.slice(0, place.index) + replaced + text.slice(place.index + member.length)
}

/** The summary of the changes between two documents, when both are valid. */
function changesBetween(before: ConfigDocument | null, after: ConfigDocument | null) {
  return before && after ? runSync(summariseChanges(before, after)) : []
}

/** All that an answer says, places and all. */
function told(read: ConfigDocument | null): unknown {
  if (!read) return null
  const { root, lines, source, configuration, ...document } = read
  const end = lines.positionOf(source.length)
  const placed = withPlaces(configuration, elementFinder(root))
  return { ...document, configuration: placed, root: plainTree(root), end, parts: partsOf(source) }
}

/** A model with the place of each of its elements in the text instead of its number. */
function withPlaces(part: unknown, elementAt: (number: number) => XmlElement): unknown {
  if (Array.isArray(part)) return part.map((item) => withPlaces(item, elementAt))
  if (typeof part !== 'object' || part === null) return part
  const placeOf = (number: unknown) => {
    const { name, span } = elementAt(Number(number))
    return { name, ...span }
  }
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      if (key === 'at') return [key, placeOf(value)]
      return [key, key === 'cancels' ? value.map(placeOf) : withPlaces(value, elementAt)]
    }),
  )
}

/** A text in pieces that end at no character in particular. */
function partsOf(source: ConfigDocument['source']): string[] {
  const size = 1_000
  return Array.from({ length: Math.ceil(source.length / size) }, (_, n) =>
    source.slice(n * size, (n + 1) * size),
  )
}

/** The document, read as a whole; null when it is not valid. */
function readWhole(bytes: Uint8Array<ArrayBuffer>): ConfigDocument | null {
  const reading = readDocument(bytes)
  return reading.ok ? reading.document : null
}

/** Where each entity is found, by its name and by that in another case, and in which line it begins and ends. */
function placesIn(document: ConfigDocument | null, names: readonly string[]) {
  return names.map((name) => {
    const found = document && findNamedEntity(document.root, name)
    if (!document || !found) return null
    const { start, end } = found.element.span
    return {
      name: found.name,
      text: document.text.slice(start, end),
      lines: [start, end].map((each) => document.lines.positionOf(each)),
    }
  })
}

describe('reading what was read before in parts', () => {
  const corpus = [...MADE, ...realRevisions(4), ...validDocuments().filter((_, n) => n % 25 === 0)]

  it.skipIf(!SHARED_DATA)('begins with real documents (needs the shared data)', () => {
    expect(corpus.length).toBeGreaterThan(MADE.length + 5)
  })

  it(
    'gives the same answer as reading the document as a whole, whatever was read before',
    { tags: ['long'] },
    async () => {
      const reader = new IncrementalReader()
      let valid = 0
      let runs = 0
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...corpus),
          fc.array(edits, { minLength: 1, maxLength: 3 }),
          async (document, changes) => {
            const text = changes.reduce(edited, document)
            const bytes = new TextEncoder().encode(text)

            const [whole, inParts] = [readWhole(bytes), await reader.read(bytes)]

            runs += 1
            if (whole) valid += 1
            expect(told(inParts)).toEqual(told(whole))
          },
        ),
        { numRuns: 150 },
      )

      expect(valid).toBeGreaterThan(runs / 10)
    },
  )

  it('gives the same answers where the members of a document are known already', async () => {
    const reader = new IncrementalReader()
    let known = 0
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...corpus),
        fc.array(touches, { maxLength: 2 }),
        edits,
        async (document, changes, edit) => {
          const text = changes.reduce(touched, document)
          const bytes = new TextEncoder().encode(text)
          const first = await reader.read(bytes)
          const members = first && runSync(knownMembersOf(first))
          if (!members) return
          known += 1
          const later = new IncrementalReader()

          expect(told(await later.read(bytes, members))).toEqual(told(readWhole(bytes)))
          const next = new TextEncoder().encode(edited(text, edit))
          expect(told(await later.read(next))).toEqual(told(readWhole(next)))
        },
      ),
      { numRuns: 100 },
    )
    expect(known).toBeGreaterThan(30)
  })

  it('finds the same entities in the same lines as in a document that was read as a whole', async () => {
    const reader = new IncrementalReader()
    let found = 0
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...MADE),
        fc.array(fc.array(touches, { minLength: 1, maxLength: 2 }), { maxLength: 3 }),
        async (document, changes) => {
          let text = document
          for (const change of changes) {
            text = change.reduce(touched, text)
            const bytes = new TextEncoder().encode(text)
            const [whole, inParts] = [readWhole(bytes), await reader.read(bytes)]
            const names = [...NAMES, ...NAMES.map((name) => name.toUpperCase())]

            const wanted = placesIn(whole, names)

            found += wanted.filter((each) => each !== null).length
            expect(placesIn(inParts, names)).toEqual(wanted)
          }
        },
      ),
      { numRuns: 150 },
    )
    expect(found).toBeGreaterThan(100)
  })

  it(
    'reports the same changes as between documents that were read as a whole',
    { tags: ['long'] },
    async () => {
      const reader = new IncrementalReader()
      let count = 0
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...MADE),
          touches,
          fc.array(touches, { minLength: 1, maxLength: 2 }),
          async (document, first, others) => {
            const text = touched(document, first)
            const older = new TextEncoder().encode(text)
            const newer = new TextEncoder().encode(others.reduce(touched, text))

            const inParts = changesBetween(await reader.read(older), await reader.read(newer))

            count += inParts.length
            expect(inParts).toEqual(changesBetween(readWhole(older), readWhole(newer)))
          },
        ),
        { numRuns: 250 },
      )

      expect(count).toBeGreaterThan(50)
    },
  )
})
