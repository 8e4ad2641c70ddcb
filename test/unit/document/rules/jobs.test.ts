import { describe, expect, it } from 'vitest'
import { type AnElement, element, exec } from '../../../support/documents/a-configuration.ts'
import { messagesOf } from './messages-of.ts'

type Job = NonNullable<
  NonNullable<
    NonNullable<NonNullable<Parameters<typeof messagesOf>[0]>['templates']>[number]['stages']
  >[number]['jobs']
>[number]

/** The same job in a pipeline, and in a template that nothing uses. */
function inPipeline(...jobs: readonly Job[]) {
  return messagesOf({ pipelines: [{ stages: [{ name: 's', jobs }] }] })
}

function inTemplate(...jobs: readonly Job[]) {
  return messagesOf({ templates: [{ stages: [{ name: 's', jobs }] }] })
}

const artifact = (src: string, dest?: string) => element('artifact', { src, dest })

const tab = (name: string) => element('tab', { name, path: 'a/index.html' })

function cancelling(...cancels: readonly AnElement[]): AnElement {
  return element('exec', { command: 'a' }, cancels)
}

function onCancel(...tasks: readonly AnElement[]): AnElement {
  return element('oncancel', {}, tasks)
}

const variable = (attributes: Record<string, string>, ...children: readonly AnElement[]) =>
  element('variable', attributes, children)

function inPipelineOf(...variables: readonly AnElement[]): string[] {
  const list = [element('environmentvariables', {}, variables)]
  return messagesOf({ pipelines: [{ before: list }] })
}

const levels = (variables: Record<string, string>) =>
  messagesOf({
    pipelines: [{ variables, stages: [{ variables, jobs: [{ variables }] }] }],
    environments: [{ variables }],
  })

describe('stages and jobs', () => {
  it('have names that differ by more than their case', () => {
    const stages = [{ name: 'a' }, { name: 'A' }]

    expect(messagesOf({ pipelines: [{ stages }] })).toEqual([
      'the pipeline "p" has several stages named "A"',
    ])
    expect(messagesOf({ templates: [{ stages }] })).toEqual([
      'the template "t" has several stages named "A"',
    ])
    expect(inPipeline({ name: 'a' }, { name: 'A' })).toEqual([
      'the job "A" of the stage "s" is already defined as "a"',
    ])
  })

  it.each(['a-runOnAll-1', 'a-runInstance-22'])('are not named %s, like an instance', (name) => {
    expect(inPipeline({ name })).toHaveLength(1)
    expect(inTemplate({ name })).toHaveLength(1)
  })

  it.each(['a-runonall-1', 'a-runOnAll-', 'runOnAll-1-a', 'a-runOnAll-1x'])(
    'may be named %s',
    (name) => {
      expect(inPipeline({ name })).toEqual([])
    },
  )

  it.each([
    [
      { runOnAllAgents: true, runInstanceCount: 2 },
      'the job "unit" runs on all agents and has a number of instances',
    ],
    [{ runInstanceCount: 2147483648 }, 'the job "unit" has too many instances: 2147483648'],
    [{ timeout: -0.5 }, 'the timeout of the job "unit" is negative: -0.5'],
    [{ timeout: 'INF' }, 'the timeout of the job "unit" is not a finite number'],
  ])('may not have %j', (attributes, message) => {
    expect(inPipeline({ attributes })).toEqual([message])
    expect(inTemplate({ attributes })).toEqual([message])
  })

  it('may have the largest number of instances, and a timeout that is none', () => {
    expect(inPipeline({ attributes: { runInstanceCount: 2147483647, timeout: 'NaN' } })).toEqual([])
  })

  it('have resources of plain characters', () => {
    expect(inPipeline({ resources: ['a b|c-_.9', '  ', 'x', 'x'] })).toEqual([])
    expect(inPipeline({ resources: ['a/b'] })).toEqual([
      'the resource "a/b" may have only letters, digits, spaces and -_.|',
    ])
    expect(inPipeline({ resources: ['a\u00a0b', 'a\u2003b'] })).toHaveLength(2)
    expect(inTemplate({ resources: ['#{A}'] })).toEqual([])
    expect(inTemplate({ resources: ['a@b'] })).toHaveLength(1)
  })
})

describe('what a job leaves behind', () => {
  it('is named once of each kind', () => {
    const test = element('test', { src: 'a' })

    expect(inPipeline({ artifacts: [artifact('a'), test, artifact('a', 'b')] })).toEqual([])
    expect(inPipeline({ artifacts: [artifact('a', 'b'), artifact('a', 'b')] })).toEqual([
      'the artifact "a" is already in the job "unit"',
    ])
    expect(inTemplate({ artifacts: [test, test] })).toHaveLength(1)
  })

  it('has a source', () => {
    expect(inPipeline({ artifacts: [artifact(' ')] })).toEqual([
      'an artifact of the job "unit" has an empty source',
    ])
  })

  it('may be anywhere', () => {
    expect(inPipeline({ artifacts: [artifact('../**/*.jar', '/abs')] })).toEqual([])
  })

  it('is shown in tabs with plain names', () => {
    expect(inPipeline({ tabs: [tab('a_b-c.d')] })).toEqual([])
    expect(inPipeline({ tabs: [tab('a b')] })).toEqual([
      'the tab name "a b" may have only letters, digits and -_.',
    ])
  })

  it('has properties that are read from somewhere', () => {
    const properties = [element('property', { name: 'n', src: '', xpath: '' })]

    expect(inPipeline({ properties })).toEqual([
      'the property "n" has no source',
      'the property "n" has no xpath',
    ])
  })
})

describe('tasks', () => {
  it.each([
    element('exec', { command: 'a', args: 'b c' }),
    element('exec', { command: 'a', args: '' }, [element('arg', {}, ['b'])]),
    element('exec', { command: 'a', workingdir: 'a/../b', timeout: '9223372036854775807' }),
    element('ant', { workingdir: '.' }),
    element('rake', { workingdir: '' }),
    cancelling(onCancel()),
    cancelling(onCancel(exec('b'))),
  ])('may be %j', (task) => {
    expect(inPipeline({ tasks: [task] })).toEqual([])
    expect(inTemplate({ tasks: [task] })).toEqual([])
  })

  it.each([
    [
      element('exec', { command: 'a', args: 'b' }, [element('arg', {}, ['c'])]),
      'the command "a" has args as an attribute and as elements',
    ],
    [
      element('nant', { workingdir: '../b' }),
      'the working folder "../b" is not inside the folder of the job',
    ],
    [
      element('ant', { workingdir: '/b' }),
      'the working folder "/b" is not inside the folder of the job',
    ],
    [
      element('exec', { command: 'a', timeout: '99999999999999999999' }),
      'the timeout of the command "a" is too large',
    ],
    [cancelling(onCancel(exec('b')), onCancel()), 'the task has more than one oncancel'],
    [
      cancelling(onCancel(cancelling(onCancel()))),
      'a task that runs on cancel has an oncancel of its own',
    ],
    [
      cancelling(onCancel(element('ant', { workingdir: '/b' }))),
      'the working folder "/b" is not inside the folder of the job',
    ],
  ])('may not be %j', (task, message) => {
    expect(inPipeline({ tasks: [task] })).toEqual([message])
    expect(inTemplate({ tasks: [task] })).toEqual([message])
  })
})

describe('environment variables', () => {
  const value = element('value', {}, ['v'])
  const encrypted = element('encryptedValue', {}, ['c1ph3r'])

  it.each([
    [[variable({ name: 'a' }, value)]],
    [[variable({ name: 'any name, even = this' }, element('value'))]],
    [[variable({ name: 'a', secure: 'true' }, value)]],
    [[variable({ name: 'a', secure: 'true' }, encrypted)]],
  ])('may be %j', (variables) => {
    expect(inPipelineOf(...variables)).toEqual([])
  })

  it.each([
    [[variable({ name: '' }, value)], 'an environment variable of the pipeline "p" has no name'],
    [[variable({ name: 'a' })], 'the environment variable "a" of the pipeline "p" has no value'],
    [
      [variable({ name: 'a', secure: 'true' })],
      'the environment variable "a" of the pipeline "p" has no value',
    ],
    [
      [variable({ name: 'a' }, encrypted)],
      'the environment variable "a" of the pipeline "p" has an encrypted value but is not secure',
    ],
    [
      [variable({ name: 'a' }, value), variable({ name: 'A' }, value)],
      'the environment variable "A" is already in the pipeline "p"',
    ],
  ])('may not be %j', (variables, message) => {
    expect(inPipelineOf(...variables)).toEqual([message])
  })

  it('may have the same name on different levels, and twice on none', () => {
    const twice = { A: '1', a: '2' }
    const once = { A: '1' }

    expect(levels(once)).toEqual([])
    expect(levels(twice)).toEqual([
      'the environment variable "a" is already in the pipeline "p"',
      'the environment variable "a" is already in the stage "build"',
      'the environment variable "a" is already in the job "unit"',
      'the environment variable "a" is already in the environment "e"',
    ])
  })
})

function withTask(task: AnElement): Job {
  return { name: 'j', tasks: [task] }
}

describe('the words of a task', () => {
  it.each([
    [
      element('exec', { command: 'sh', args: "-c 'a" }),
      'the args of the command "sh" has a single quote that is not closed',
    ],
    [element('ant', { target: 'a "b' }), 'the target of ant has a double quote that is not closed'],
    [
      cancelling(onCancel(element('rake', { target: "it's" }))),
      'the target of rake has a single quote that is not closed',
    ],
  ])('have their quotes in pairs, or are refused: %j', (task, message) => {
    expect(inPipeline(withTask(task))).toEqual([message])
    expect(inTemplate(withTask(task))).toEqual([message])
  })

  it('may have the other quote of a pair in a param', () => {
    const task = element('exec', { command: 'sh', args: "'#{Q}" })
    const using = (value: string) =>
      messagesOf({
        templates: [{ name: 't', stages: [{ name: 's', jobs: [withTask(task)] }] }],
        pipelines: [{ template: 't', params: { Q: value } }],
      })

    expect(using("b'")).toEqual([])
    expect(using('b')).toEqual([
      'the args of the command "sh" has a single quote that is not closed',
    ])
  })
})
