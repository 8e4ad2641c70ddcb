import { describe, expect, it } from 'vitest'
import { type AnElement, element } from '../../../support/documents/a-configuration.ts'
import { messagesOf } from './messages-of.ts'

const plugin = element('pluginConfiguration', { id: 'yum', version: '1' })

function configuration(properties: Record<string, string>): AnElement {
  const children = Object.entries(properties).map(([key, value]) =>
    element('property', {}, [element('key', {}, [key]), element('value', {}, [value])]),
  )
  return element('configuration', {}, children)
}

function packageNamed(name: string, properties: Record<string, string> = { n: name }): AnElement {
  return element('package', { id: `id-${name}`, name }, [configuration(properties)])
}

function repository(name: string, ...packages: readonly AnElement[]): AnElement {
  const own = configuration({ url: name })
  return element('repository', { id: `id-${name}`, name }, [
    plugin,
    own,
    element('packages', {}, packages),
  ])
}

function scm(name: string, properties: Record<string, string> = { url: name }): AnElement {
  return element('scm', { id: `id-${name}`, name }, [plugin, configuration(properties)])
}

describe('packages', () => {
  it('may have the same name in different repositories', () => {
    const other = element('package', { id: 'other', name: 'a' }, [configuration({ n: 'a' })])

    expect(
      messagesOf({ repositories: [repository('r', packageNamed('a')), repository('s', other)] }),
    ).toEqual([])
  })

  it('have names that differ by more than their case', () => {
    expect(messagesOf({ repositories: [repository('r'), repository('R')] })).toEqual([
      'the repository "R" is already defined as "r"',
    ])
    expect(
      messagesOf({ repositories: [repository('r', packageNamed('a'), packageNamed('A'))] }),
    ).toEqual(['the package "A" of the repository "r" is already defined as "a"'])
  })

  it('differ by their properties, in whatever order those stand', () => {
    const one = packageNamed('a', { x: '1', y: '2' })
    const other = packageNamed('b', { y: '2', x: '1' })

    expect(messagesOf({ repositories: [repository('r', one, other)] })).toEqual([
      'the packages "a" and "b" have the same properties',
    ])
  })

  it('stand once in a pipeline', () => {
    const repositories = [repository('r', packageNamed('a'))]
    const ref = element('package', { ref: 'id-a' })

    expect(messagesOf({ repositories, pipelines: [{ materials: [ref] }] })).toEqual([])
    expect(messagesOf({ repositories, pipelines: [{ materials: [ref, ref] }] })).toEqual([
      'the pipeline "p" has the same package material more than once',
    ])
  })
})

describe('scms', () => {
  it('have names that differ by more than their case', () => {
    expect(messagesOf({ scms: [scm('a'), scm('A')] })).toEqual([
      'the scm "A" is already defined as "a"',
    ])
  })

  it('differ by their properties', () => {
    expect(messagesOf({ scms: [scm('a', { x: '1' }), scm('b', { x: '1' })] })).toEqual([
      'the scms "a" and "b" have the same properties',
    ])
  })
})

describe('properties', () => {
  it('have keys that differ by more than their case', () => {
    const task = element('task', {}, [plugin, configuration({ a: '1', A: '2' })])
    const pipelines = [{ stages: [{ jobs: [{ tasks: [task] }] }] }]

    expect(messagesOf({ scms: [scm('a', { k: '1', K: '2' })], pipelines })).toEqual([
      'the property "K" is already in this configuration',
      'the property "A" is already in this configuration',
    ])
  })
})
