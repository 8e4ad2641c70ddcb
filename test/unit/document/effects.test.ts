import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type ConfigDocument, readDocument } from '../../../src/document/document.ts'
import { willNotRunIn } from '../../../src/builds/configured/unsupported.ts'
import {
  CRUISE,
  type ElementRule,
  listVocabulary,
} from '../../../src/document/schema/vocabulary.ts'
import { UnsupportedParts } from '../../../src/document/unsupported/unsupported-parts.ts'
import type { XmlElement } from '../../../src/document/xml/xml-tree.ts'
import { runSync } from '../../../src/lib/cooperative.ts'
import { EVERYTHING } from '../../support/documents/everything.ts'

const EFFECTS = ['acted upon', 'listed', 'harmless', 'as around'] as const
type Effect = (typeof EFFECTS)[number]

interface Row {
  readonly is: Effect
  /** The attributes whose effect is said on their own. */
  readonly attributes: ReadonlyMap<string, Effect>
  readonly reason: string
}

function isEffect(text: string): text is Effect {
  return EFFECTS.some((effect) => effect === text)
}

function namesIn(cell = ''): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name)
}

/** The rows of the page about the vocabulary, by the keys of their elements. */
function readTable(): ReadonlyMap<string, Row> {
  const page = readFileSync(new URL('../../../docs/vocabulary.md', import.meta.url), 'utf8')
  const rows = new Map<string, Row>()
  let head: readonly string[] = []
  for (const line of page.split('\n').filter((each) => each.startsWith('|'))) {
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    const [key] = namesIn(cells[0])
    if (cells[0] === 'element') head = cells
    const cellOf = (name: string) => cells[head.indexOf(name)] ?? ''
    const is = cellOf('is')
    if (key === undefined || !isEffect(is)) continue
    if (rows.has(key)) throw new Error(`the element ${key} is in the table twice`)
    const attributes = EFFECTS.flatMap((effect) =>
      namesIn(cellOf(effect)).map((name) => [name, effect] as const),
    )
    rows.set(key, { is, attributes: new Map(attributes), reason: cellOf('why it is harmless') })
  }
  return rows
}

const TABLE = readTable()

function attributesOf(key: string): string[] {
  const listed = [listVocabulary('exact')[key], listVocabulary('others')[key]]
  return [...new Set(listed.flatMap((each) => Object.keys(each?.attributes ?? {})))]
}

const KEYS = [
  ...new Set([...Object.keys(listVocabulary('exact')), ...Object.keys(listVocabulary('others'))]),
]

/** An element of a document with its place in the vocabulary, and the effect that counts for it. */
interface Placed {
  readonly element: XmlElement
  readonly key: string
  readonly is: Effect
  /** The nearest element that is listed as a whole, this one included. */
  readonly listedBy: XmlElement | null
}

function* placed(
  element: XmlElement,
  rule: ElementRule,
  around: Pick<Placed, 'is' | 'listedBy'>,
): Generator<Placed> {
  const { key } = rule
  const own = TABLE.get(key)?.is ?? 'as around'
  const is = own === 'as around' ? around.is : own
  const listedBy = own === 'listed' ? element : around.listedBy
  yield { element, key, is, listedBy }
  for (const child of element.children) {
    if (child.kind !== 'element') continue
    const childRule = rule.others.children.get(child.name)
    if (childRule) yield* placed(child, childRule, { is, listedBy })
  }
}

function read(text: string): ConfigDocument {
  const reading = readDocument(new TextEncoder().encode(text))
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems))
  return reading.document
}

function listedIn(document: ConfigDocument) {
  return runSync(willNotRunIn(document, new UnsupportedParts(() => 'opened')))
}

const DOCUMENT = read(EVERYTHING)
const PLACES = [...placed(DOCUMENT.root, CRUISE, { is: 'acted upon', listedBy: null })]

function placeOf(element: XmlElement): string {
  const { line, column } = DOCUMENT.lines.positionOf(element.span.start)
  return `${element.name} at ${line}:${column}`
}

describe('the table of what becomes of each element', () => {
  it('has every element of the schema, and no other', () => {
    expect([...TABLE.keys()].toSorted()).toEqual(KEYS.toSorted())
  })

  it('has every attribute of an element, or none', () => {
    for (const [key, { attributes }] of TABLE) {
      const own = [...attributes.keys()].toSorted()
      if (own.length === 0) continue
      expect({ key, own }).toEqual({ key, own: attributesOf(key).toSorted() })
    }
  })

  it('says why what is harmless is', () => {
    for (const [key, { is, attributes, reason }] of TABLE) {
      const isHarmless = is === 'harmless' || [...attributes.values()].includes('harmless')
      expect({ key, hasReason: reason !== '' }).toEqual({ key, hasReason: isHarmless })
    }
  })
})

describe('a document with everything', () => {
  it('has every element and every attribute of the schema', () => {
    const seen = new Set(
      PLACES.flatMap(({ key, element }) => [
        key,
        ...[...element.attributes.keys()].map((name) => `${key}@${name}`),
      ]),
    )
    const wanted = KEYS.flatMap((key) => [
      key,
      ...attributesOf(key).map((name) => `${key}@${name}`),
    ])

    expect(wanted.filter((each) => !seen.has(each))).toEqual([])
  })

  it('has each part that the table calls listed in the list, and nothing else', () => {
    const found = new Map<string, number>()
    for (const { at } of listedIn(DOCUMENT)) {
      const place = `${at.line}:${at.column}`
      found.set(place, (found.get(place) ?? 0) + 1)
    }
    for (const { element, key, listedBy } of PLACES) {
      const { line, column } = DOCUMENT.lines.positionOf(element.span.start)
      const attributes = [...(TABLE.get(key)?.attributes ?? [])].filter(
        ([name, effect]) => effect === 'listed' && element.attributes.has(name),
      )
      const count = found.get(`${line}:${column}`) ?? 0
      const isExpected = listedBy === element || attributes.length > 0
      expect({ place: placeOf(element), isListed: count > 0 }).toEqual({
        place: placeOf(element),
        isListed: isExpected,
      })
    }
  })
})
