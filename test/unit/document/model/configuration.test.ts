import { describe, expect, it } from 'vitest'
import { buildConfiguration, type Configuration } from '../../../../src/document/model/model.ts'
import { ModelNode } from '../../../../src/document/model/model-node.ts'
import { readXml } from '../../../../src/document/xml/xml-reader.ts'
import {
  aConfigurationInBytes,
  dependency,
  element,
  exec,
  git,
} from '../../../support/documents/a-configuration.ts'
import { runSync } from '../../../../src/lib/cooperative.ts'

function built(bytes: Uint8Array): Configuration {
  const reading = runSync(readXml(bytes))
  if (!reading.ok) throw new Error(reading.problems[0]?.message)
  const building = buildConfiguration(new ModelNode(reading.root))
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
    const { groups } = built(aConfigurationInBytes({ pipelines: [{ name: 'a' }, { name: 'b' }] }))

    expect(groups[0]?.pipelines.map(({ at }) => at)).toEqual([
      [0, 0],
      [0, 1],
    ])
    expect(groups[0]?.pipelines[1]?.stages[0]?.jobs[0]?.at).toEqual([0, 1, 1, 0, 0])
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

    const job = onlyJob(built(aConfigurationInBytes({ pipelines: [{ stages }] })))

    expect(job?.tasks[0]).toMatchObject({
      runIf: ['any'],
      cancels: [[0, 0, 1, 0, 0, 0, 0, 1]],
      onCancel: { kind: 'exec', command: 'kill', cancels: [] },
    })
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
