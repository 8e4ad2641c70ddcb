import { describe, expect, it } from 'vitest'
import { summariseChanges } from '../../../../src/document/changes/summarise-changes.ts'
import { childElements } from '../../../../src/document/xml/xml-elements.ts'
import type { Span, XmlElement } from '../../../../src/document/xml/xml-tree.ts'
import { runSync } from '../../../../src/lib/cooperative.ts'
import { EVERYTHING } from '../../../support/documents/everything.ts'
import { told } from '../../../support/documents/summaries.ts'
import { elementsOf, xmlDocument } from '../../../support/documents/xml-documents.ts'

/** A value of the document: an attribute, or the text of an element. */
interface Value {
  readonly place: string
  readonly span: Span
}

/** Values that name something that is elsewhere: with another one, the list has another member. */
const REFERENCES = new Set([
  'agent uuid',
  'physical uuid',
  'resource text',
  'role text',
  'user text',
])

function valuesOf(element: XmlElement): Value[] {
  const attributes = Array.from(element.attributes.values(), ({ name, valueSpan }) => {
    return { place: `${element.name} ${name}`, span: valueSpan }
  })
  const texts = childElements(element).length > 0 ? [] : element.children
  return [...attributes, ...texts.map(({ span }) => ({ place: `${element.name} text`, span }))]
}

function withOther({ start, end }: Span): string {
  return `${EVERYTHING.slice(0, start)}other${EVERYTHING.slice(end)}`
}

const tasked = (inner: string) => `<tasks><exec command="make">${inner}</exec></tasks>`
const kept = (inner: string) => `<artifacts>${inner}</artifacts>`
const filtered = (inner: string) =>
  `<materials><git url="u"><filter>${inner}</filter></git></materials>`
const plugged = (inner: string) => `<task><configuration>${inner}</configuration></task>`
const property = (key: string, value: string) =>
  `<property><key>${key}</key><value>${value}</value></property>`

describe('a value that alone is another', () => {
  it('is told as a change or a rename, in every place that a document has', () => {
    const before = xmlDocument(EVERYTHING)
    const values = elementsOf(before.root).flatMap(valuesOf)

    const swapped = values.filter(({ span }) => {
      const changes = runSync(summariseChanges(before, xmlDocument(withOther(span))))
      return changes.some(({ kind }) => kind === 'added' || kind === 'removed')
    })

    expect(values.length).toBeGreaterThan(300)
    expect(new Set(swapped.map(({ place }) => place))).toEqual(REFERENCES)
  })

  it.each<[what: string, from: string, to: string, expected: readonly string[]]>([
    [
      'the condition of a task',
      tasked('<runif status="passed" />'),
      tasked('<runif status="failed" />'),
      ['task “make”: runif passed → failed'],
    ],
    [
      'one of two conditions',
      tasked('<runif status="passed" /><runif status="failed" />'),
      tasked('<runif status="any" />'),
      ['task “make”: runif passed → any', 'task “make”: remove runif failed'],
    ],
    [
      'one more condition',
      tasked('<runif status="passed" />'),
      tasked('<runif status="passed" /><runif status="failed" />'),
      ['task “make”: add runif failed'],
    ],
    [
      'where artifacts are',
      kept('<artifact src="out/*" dest="a" /><artifact src="log" />'),
      kept('<artifact src="out/**" dest="b" /><artifact src="log" />'),
      ['artifact out/* → out/**', 'artifact out/**: dest a → b'],
    ],
    [
      'an artifact beside a new one',
      kept('<artifact src="out/*" dest="a" />'),
      kept('<artifact src="new" dest="n" /><artifact src="out/**" dest="a" />'),
      ['add artifact new', 'artifact out/* → out/**'],
    ],
    [
      'an artifact that went, and one that came elsewhere',
      kept('<artifact src="a" /><artifact src="b" />'),
      kept('<artifact src="b" /><artifact src="c" />'),
      ['remove artifact a', 'add artifact c'],
    ],
    [
      'ignored files',
      filtered('<ignore pattern="*.md" /><ignore pattern="doc/**" />'),
      filtered('<ignore pattern="*.txt" /><ignore pattern="docs/**" />'),
      ['material git u: ignore *.md → *.txt', 'material git u: ignore doc/** → docs/**'],
    ],
    [
      'the key of a property',
      plugged(property('a', '1')),
      plugged(property('b', '1')),
      ['task “plugin task”: rename property a → b'],
    ],
    [
      'a property with another key and another value',
      plugged(property('a', '1')),
      plugged(property('b', '2')),
      ['task “plugin task”: remove property a', 'task “plugin task”: add property b'],
    ],
    [
      'a rule of a policy',
      '<policy><allow type="*" action="view">prod</allow></policy>',
      '<policy><allow type="*" action="view">dev</allow></policy>',
      ['allow prod → dev'],
    ],
  ])('is told by what it was and is: %s', (_, from, to, expected) => {
    const changes = told(`<cruise>${from}</cruise>`, `<cruise>${to}</cruise>`)

    const words = changes.map((change) => change.replace(/^document \w+: /, ''))
    expect(words.toSorted()).toEqual(expected.toSorted())
  })
})
