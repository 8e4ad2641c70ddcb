import { describe, expect, it } from 'vitest'
import { buildConfiguration, type Configuration } from '../../../../src/document/model/model.ts'
import { ModelNode } from '../../../../src/document/model/model-node.ts'
import { elementFinder } from '../../../../src/document/xml/xml-elements.ts'
import type { XmlElement } from '../../../../src/document/xml/xml-tree.ts'
import { readXml } from '../../../../src/document/xml/xml-reader.ts'
import {
  aConfigurationInBytes,
  dependency,
  element,
  exec,
  git,
} from '../../../support/documents/a-configuration.ts'
import { runSync } from '../../../../src/lib/cooperative.ts'

function rootOf(bytes: Uint8Array): XmlElement {
  const reading = runSync(readXml(bytes))
  if (!reading.ok) throw new Error(reading.problems[0]?.message)
  return reading.root
}

/** Finds elements of a document by their numbers. */
function finderIn(bytes: Uint8Array): (number: number) => XmlElement {
  return elementFinder(rootOf(bytes))
}

function built(bytes: Uint8Array): Configuration {
  const building = buildConfiguration(new ModelNode(rootOf(bytes)))
  if (!building.success) throw building.error
  return building.data
}

function onlyJob(configuration: Configuration) {
  return configuration.groups[0]?.pipelines[0]?.stages[0]?.jobs[0]
}

describe('the model of a configuration', () => {
  it('fills in what the document leaves out', () => {
    const { groups, server } = built(aConfigurationInBytes({ pipelines: [{ name: 'p' }] }))

    expect(server).toBeNull()
    expect(groups[0]).toMatchObject({ name: 'defaultGroup', authorization: null })
    expect(groups[0]?.pipelines[0]).toMatchObject({
      name: 'p',
      label: '${COUNT}',
      isLocked: false,
      timer: null,
      materials: [{ kind: 'git', branch: 'master', autoUpdate: true, dest: null }],
    })
  })

  it('says of everything where it stands', () => {
    const bytes = aConfigurationInBytes({ pipelines: [{ name: 'a' }, { name: 'b' }] })
    const elementAt = finderIn(bytes)

    const { groups } = built(bytes)

    const pipelines = groups[0]?.pipelines ?? []
    expect(pipelines.map(({ at }) => elementAt(at).attributeValue('name'))).toEqual(['a', 'b'])
    const job = elementAt(pipelines[1]?.stages[0]?.jobs[0]?.at ?? -1)
    expect(job.name).toBe('job')
    expect(job.parent?.parent?.parent?.attributeValue('name')).toBe('b')
  })

  it('keeps materials and tasks in order and distinguishes them by kind', () => {
    const materials = [dependency('up'), git('u', { dest: 'd' }), element('package', { ref: 'r' })]
    const tasks = [exec('ls', '-l'), element('ant', { target: 'all' }), element('fetchartifact')]
    const stages = [{ jobs: [{ tasks }] }]
    const configuration = built(aConfigurationInBytes({ pipelines: [{ materials, stages }] }))

    const kinds = configuration.groups[0]?.pipelines[0]?.materials.map(({ kind }) => kind)
    expect(kinds).toEqual(['dependency', 'git', 'package'])
    expect(onlyJob(configuration)?.tasks).toMatchObject([
      { kind: 'exec', command: 'ls', arguments: [{ text: '-l' }] },
      { kind: 'ant', target: 'all' },
      { kind: 'fetchartifact', pipeline: null },
    ])
  })

  it('knows what a task does on cancel, and where every oncancel stands', () => {
    const cancel = element('oncancel', {}, [exec('kill')])
    const task = element('exec', { command: 'run' }, [element('runif', { status: 'any' }), cancel])
    const stages = [{ jobs: [{ tasks: [task] }] }]

    const bytes = aConfigurationInBytes({ pipelines: [{ stages }] })
    const elementAt = finderIn(bytes)

    const [given] = onlyJob(built(bytes))?.tasks ?? []

    const onCancel = { kind: 'exec', command: 'kill', cancels: [] }
    expect(given).toMatchObject({ runIf: ['any'], onCancel })
    expect(given?.cancels.map((at) => elementAt(at).name)).toEqual(['oncancel'])
  })

  it('reads white space and numbers as the schema does', () => {
    const attributes = { timeout: ' 1.5 ', runOnAllAgents: ' 1 ' }
    const stages = [{ jobs: [{ attributes, resources: [' linux ', ' '] }] }]

    const job = onlyJob(built(aConfigurationInBytes({ pipelines: [{ stages }] })))

    expect(job).toMatchObject({ timeout: 1.5, runOnAllAgents: true, runInstanceCount: null })
    expect(job?.resources.map(({ name }) => name)).toEqual(['linux'])
  })

  it('cannot be built where a value has no meaning', () => {
    const attributes = { isLocked: 'perhaps' }

    expect(() => built(aConfigurationInBytes({ pipelines: [{ attributes }] }))).toThrow('isLocked')
  })
})
