import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { IncrementalReader } from '../../../src/document/incremental/incremental-reader.ts'
import { findNamedEntity } from '../../../src/document/entities/entities.ts'
import { type ConfigDocument, readDocument } from '../../../src/document/document.ts'
import { elementFinder, elementsAt } from '../../../src/document/xml/xml-elements.ts'
import { LineIndex } from '../../../src/document/text/line-index.ts'
import {
  aConfigurationInBytes,
  dependency,
  element,
  git,
} from '../../support/documents/a-configuration.ts'

async function read(
  reader: IncrementalReader,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<ConfigDocument> {
  const document = await reader.read(bytes)
  if (!document) throw new Error('it is not valid')
  return document
}

function pipelinesOf({ configuration }: ConfigDocument) {
  return configuration.groups.flatMap(({ pipelines }) => pipelines)
}

function documentWith(...names: readonly string[]): Uint8Array<ArrayBuffer> {
  const pipelines = names.map((name) => ({ name, materials: [git(`https://example.com/${name}`)] }))
  const templates = [{ name: 'shared' }]
  const agents = [{ uuid: 'u1' }, { uuid: 'u2' }]
  return aConfigurationInBytes({ pipelines, templates, agents })
}

/** The second pipeline is long. */
function longDocument(first: string, second: string): Uint8Array<ArrayBuffer> {
  const materials = [git(`https://example.com/${second.repeat(40_000)}`)]
  const pipelines = [
    { name: first, materials: [git(`https://example.com/${first}`)] },
    { name: second, materials },
  ]
  return aConfigurationInBytes({ pipelines })
}

/** A job that is held, and parts of the document that nobody has. */
function partsOf(document: ConfigDocument) {
  const [pipeline, other] = elementsAt(document.root, 'pipelines/pipeline')
  const [job] = pipeline ? elementsAt(pipeline, 'stage/jobs/job') : []
  const [stage] = other ? elementsAt(other, 'stage') : []
  const jobs = pipelinesOf(document)[0]?.stages[0]?.jobs
  if (!pipeline || !job || !stage || !jobs) throw new Error('each pipeline has a job')
  return { held: { pipeline, job }, gone: [new WeakRef<object>(stage), new WeakRef<object>(jobs)] }
}

/** An object is there up to the end of the turn in which it was asked for. */
async function collectGarbage(): Promise<void> {
  await setImmediate()
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

describe('a reader of documents', () => {
  it('reads a member once, in however many documents it stands', async () => {
    const reader = new IncrementalReader()
    const before = await read(reader, documentWith('a', 'b', 'c'))

    const after = await read(reader, documentWith('a', 'b', 'other'))

    expect(pipelinesOf(after).map(({ name }) => name)).toEqual(['a', 'b', 'other'])
    expect(pipelinesOf(after)[1]).toBe(pipelinesOf(before)[1])
    expect(pipelinesOf(after)[2]).not.toBe(pipelinesOf(before)[2])
    expect(after.configuration.templates[0]).toBe(before.configuration.templates[0])
    expect(after.configuration.agents[1]).toBe(before.configuration.agents[1])
  })

  it('finds a pipeline where it stands, also after others took its place and its name', async () => {
    const reader = new IncrementalReader()
    const orders = [
      ['a', 'b', 'c'],
      ['b', 'a', 'c'],
      ['c', 'shared', 'b'],
      ['a', 'b'],
    ] as const
    for (const names of orders) {
      const { root, text } = await read(reader, documentWith(...names))

      const found = ['a', 'b', 'c', 'shared'].map((name) => {
        const span = findNamedEntity(root, `pipeline/${name}`)?.element.span
        return span ? text.slice(span.start, span.end) : null
      })

      const repositories = found.map((each) => /example\.com\/(\w+)/.exec(each ?? '')?.[1] ?? null)
      const all: readonly string[] = names
      const wanted = ['a', 'b', 'c', 'shared'].map((name) => (all.includes(name) ? name : null))
      expect(repositories).toEqual(wanted)
    }
  })

  it('knows the line of every place, as a count of all line feeds does', async () => {
    const reader = new IncrementalReader()
    const documents = [
      ['a', 'b', 'c'],
      ['a', 'longer', 'c'],
      ['first', 'a', 'b', 'c'],
    ]
    const written = documents.map((names) => Buffer.from(documentWith(...names)).toString())
    const texts = [
      ...written,
      ...written.map((text) => text.replaceAll(/>\n\s*</g, '><')),
      ...written.map((text) => text.replaceAll('\n', '\r\n')),
    ]
    for (const text of texts) {
      const { lines } = await read(reader, new TextEncoder().encode(text))

      const counted = new LineIndex(text)
      for (let at = 0; at <= text.length; at += 1)
        expect(lines.positionOf(at), `offset ${at}`).toEqual(counted.positionOf(at))
    }
  })

  it('knows where each part of a member stands now, and where it stood', async () => {
    const reader = new IncrementalReader()
    const before = await read(reader, documentWith('a', 'b'))

    const after = await read(reader, documentWith('first', 'a', 'b'))

    for (const document of [after, before]) {
      const elementAt = elementFinder(document.root)
      for (const { name, at, materials } of pipelinesOf(document)) {
        const [pipeline, material] = [elementAt(at), elementAt(materials[0]?.at ?? -1)]
        expect(pipeline.attributeValue('name')).toBe(name)
        expect(material.attributeValue('url')).toBe(`https://example.com/${name}`)
        expect(material.parent?.parent?.span).toEqual(pipeline.span)
        expect(document.text.slice(pipeline.span.start, material.span.start)).toContain(name)
      }
    }
    expect(pipelinesOf(after)[2]).toBe(pipelinesOf(before)[1])
  })

  it('has the jobs of a stage as a value, in copies of the stage as well', async () => {
    const reader = new IncrementalReader()
    const bytes = documentWith('first', 'a')
    await read(reader, documentWith('a'))
    const reading = readDocument(bytes)
    if (!reading.ok) throw new Error('it is valid')

    const stage = pipelinesOf(await read(reader, bytes))[1]?.stages[0]
    const whole = pipelinesOf(reading.document)[1]?.stages[0]

    expect(stage?.jobs).toBe(stage?.jobs)
    expect(Object.keys(stage ?? {})).toEqual(Object.keys(whole ?? {}))
    expect(structuredClone({ ...stage })).toEqual(whole)
    expect(JSON.stringify(stage)).toBe(JSON.stringify(whole))
  })

  it('lets trees and jobs go that nobody has, and no element that somebody has', async () => {
    const document = await read(new IncrementalReader(), documentWith('a', 'b'))
    const { held, gone } = partsOf(document)

    await collectGarbage()

    const [again] = elementsAt(held.pipeline, 'stage/jobs/job')
    expect(again).toBe(held.job)
    expect(gone.map((each) => each.deref())).toEqual([undefined, undefined])
  })

  it('finds what is wrong in jobs that were valid beside another pipeline', async () => {
    const fetch = element('fetchartifact', {
      pipeline: 'a',
      stage: 'build',
      job: 'compile',
      srcfile: 'out',
    })
    const stages = (tasks: string) => [{ name: 'build', jobs: [{ name: tasks, tasks: [fetch] }] }]
    const documentOf = (job: string) =>
      aConfigurationInBytes({
        pipelines: [
          { name: 'a', stages: [{ name: 'build', jobs: [{ name: job }] }] },
          { name: 'b', materials: [dependency('a', 'build')], stages: stages('use') },
        ],
      })
    const reader = new IncrementalReader()

    expect(await reader.read(documentOf('compile'))).not.toBeNull()
    expect(await reader.read(documentOf('other'))).toBeNull()
    expect(await reader.read(documentOf('compile'))).not.toBeNull()
  })

  it('holds a member to the version that the document names, whatever it was held to before', async () => {
    const reader = new IncrementalReader()
    const materials = [git('https://example.com/a', { shallowClone: true })]
    const [later, exact] = [90, 75].map((schemaVersion) =>
      aConfigurationInBytes({ schemaVersion, pipelines: [{ materials }] }),
    )
    if (!later || !exact) throw new Error('both are made')

    expect(await reader.read(later)).not.toBeNull()
    expect(await reader.read(exact)).toBeNull()
    expect(await reader.read(later)).not.toBeNull()
  })

  it('misses what a member refers to once it is gone', async () => {
    const reader = new IncrementalReader()
    const pipelines = [{ name: 'a', materials: [element('scm', { ref: 's' })] }]
    const scm = element('scm', { id: 's', name: 'source' }, [
      element('pluginConfiguration', { id: 'p', version: '1' }),
      element('configuration', {}, [element('property', {}, [element('key', {}, ['k'])])]),
    ])
    const [whole, broken] = [
      aConfigurationInBytes({ pipelines, scms: [scm] }),
      aConfigurationInBytes({ pipelines }),
    ]

    expect(await reader.read(whole)).not.toBeNull()
    expect(await reader.read(broken)).toBeNull()
  })

  it('forgets what no document had for a while', async () => {
    const reader = new IncrementalReader()
    const before = await read(reader, documentWith('kept', 'gone'))

    for (let n = 0; n < 40; n += 1) await read(reader, longDocument('kept', `n${n}`))
    const after = await read(reader, documentWith('kept', 'gone'))

    expect(pipelinesOf(after)[0]).toBe(pipelinesOf(before)[0])
    expect(pipelinesOf(after)[1]).not.toBe(pipelinesOf(before)[1])
  })
})
