import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HIDDEN } from '../../../src/document/entities/change.ts'
import { ENTITY_KINDS, entitiesIn, entityName } from '../../../src/document/entities/entities.ts'
import { entitiesOf } from '../../../src/document/changes/entities-of.ts'
import { renderChange } from '../../../src/document/changes/render-change.ts'
import { renderSubject } from '../../../src/document/changes/render-subject.ts'
import { summariseChanges } from '../../../src/document/changes/summarise-changes.ts'
import type { XmlDocument } from '../../../src/document/xml/xml-reader.ts'
import { everyRealRevision, validDocuments } from '../../support/documents/config-corpus.ts'
import { SHARED_DATA } from '../../support/programs/shared-data.ts'
import { xmlDocument } from '../../support/documents/xml-documents.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

const SECRET = 'hunter2'

const NAMES = fc.constantFrom('a', 'B', 'b', 'c', 'long-name')
const VALUES = fc.constantFrom('1', '2', 'x y', '')

function element(name: string, attributes: string, inner: fc.Arbitrary<string>) {
  return fc.tuple(NAMES, VALUES, inner).map(([called, value, content]) => {
    const written = attributes.replace('NAME', called).replace('VALUE', value)
    return `<${name} ${written}>${content}</${name}>`
  })
}

const list = (name: string, item: fc.Arbitrary<string>) =>
  fc.array(item, { maxLength: 4 }).map((items) => `<${name}>${items.join('\n')}</${name}>`)

const TEXT = fc.constantFrom('', '<!-- c -->', 'text', ' ')
const TASK = fc.oneof(
  element('exec', 'command="NAME"', element('arg', '', TEXT)),
  element('ant', 'target="VALUE"', fc.constant('')),
)
const JOB = element(
  'job',
  'name="NAME" timeout="VALUE"',
  fc.tuple(list('tasks', TASK), list('resources', element('resource', '', VALUES))).map(String),
)
const VARIABLE = element(
  'variable',
  'name="NAME" secure="true"',
  fc.constantFrom(`<value>${SECRET}</value>`, `<encryptedValue>${SECRET}1</encryptedValue>`),
)
const STAGE = element('stage', 'name="NAME"', list('jobs', JOB))
const PIPELINE = element(
  'pipeline',
  'name="NAME" template="VALUE"',
  fc
    .tuple(
      list('environmentvariables', VARIABLE),
      list('materials', element('git', `url="NAME" password="${SECRET}VALUE"`, fc.constant(''))),
      STAGE,
    )
    .map((parts) => parts.join('')),
)
const AGENT = element('agent', 'uuid="NAME" hostname="VALUE"', fc.constant(''))
const GROUP = element('pipelines', 'group="NAME"', PIPELINE)
const DOCUMENTS = fc
  .tuple(list('templates', PIPELINE), fc.array(GROUP, { maxLength: 3 }), list('agents', AGENT))
  .map(([templates, groups, agents]) =>
    xmlDocument(`<cruise>${groups.join('')}${templates}\n${agents}</cruise>`),
  )

function entitiesNamedIn({ root }: XmlDocument): string[] {
  const names = ENTITY_KINDS.flatMap((kind) => entitiesIn(root, kind)).map(entityName)
  return [...names, 'server', 'document']
}

/** Faults of the summary of any two documents. */
function faultsOf(before: XmlDocument, after: XmlDocument): string[] {
  const changes = runSync(summariseChanges(before, after))
  const known = new Set([...entitiesNamedIn(before), ...entitiesNamedIn(after)])
  const strangers = entitiesOf(changes).filter((entity) => !known.has(entity))
  const isSilent = changes.length === 0 && before.text !== after.text
  const subject = renderSubject(changes)
  return [
    ...strangers,
    ...(isSilent ? ['no change is told'] : []),
    ...(/^[^\p{Cc}]{1,118}$/u.test(subject) ? [] : [subject]),
    ...changes.filter((change) => renderChange(change) === '').map(({ entity }) => entity),
  ]
}

describe('the summary of any two documents', () => {
  it('is empty for a document and itself', () => {
    fc.assert(
      fc.property(DOCUMENTS, (document) => {
        expect(runSync(summariseChanges(document, xmlDocument(document.text)))).toEqual([])
      }),
    )
  })

  it('names only what is there, and something whenever the texts differ', () => {
    fc.assert(
      fc.property(DOCUMENTS, DOCUMENTS, (before, after) => {
        expect(faultsOf(before, after)).toEqual([])
      }),
    )
  })

  it('never shows a secret', () => {
    fc.assert(
      fc.property(DOCUMENTS, DOCUMENTS, (before, after) => {
        const changes = runSync(summariseChanges(before, after))

        expect(JSON.stringify(changes)).not.toContain(SECRET)
        expect(renderSubject(changes)).not.toContain(HIDDEN)
      }),
    )
  })

  it('reports a change of the layout alone as nothing else', () => {
    fc.assert(
      fc.property(DOCUMENTS, (document) => {
        const spread = xmlDocument(document.text.replaceAll('><', '>\n  <'))
        const changes = runSync(summariseChanges(document, spread))

        expect(changes.filter(({ kind }) => kind !== 'reformatted')).toEqual([])
      }),
    )
  })
})

describe.skipIf(!SHARED_DATA)('the summary of real documents (need the shared data)', () => {
  it('is sound for any two documents of the corpus', () => {
    const documents = validDocuments().map(xmlDocument)
    const picked = documents.filter((_, at) => at % 7 === 0)

    expect(picked.length).toBeGreaterThan(20)
    for (const before of picked) {
      for (const after of picked.slice(0, 12)) expect(faultsOf(before, after)).toEqual([])
    }
  })

  it('reports every step of a real history', { tags: ['long'] }, () => {
    const documents = everyRealRevision().toReversed().map(xmlDocument)
    const steps = documents.slice(1).map((after, at) => [documents[at] ?? after, after] as const)

    expect(steps.length).toBeGreaterThan(500)
    expect(steps.flatMap(([before, after]) => faultsOf(before, after))).toEqual([])
  })
})
