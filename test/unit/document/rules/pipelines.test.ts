import { describe, expect, it } from 'vitest'
import { dependency, element, git } from '../../../support/documents/a-configuration.ts'
import { messagesOf } from './messages-of.ts'

describe('pipelines', () => {
  it('have names that differ by more than their case, in all groups together', () => {
    const groups = [
      { group: 'g', pipelines: [{ name: 'a' }] },
      { group: 'h', pipelines: [{ name: 'A' }] },
    ]

    expect(messagesOf({ groups })).toEqual(['there are several pipelines named "A"'])
  })

  it('have stages, or a template that exists in any case', () => {
    expect(messagesOf({ pipelines: [{ stages: [] }] })).toEqual([
      'the pipeline "p" has neither stages nor a template',
    ])
    expect(messagesOf({ pipelines: [{ template: 'nope' }] })).toEqual([
      'the template "nope" of the pipeline "p" does not exist',
    ])
    expect(messagesOf({ pipelines: [{ template: 'T' }], templates: [{ name: 't' }] })).toEqual([])
  })

  it('have no stages beside a template', () => {
    const pipelines = [{ template: 't', stages: [{ name: 's' }] }]

    expect(messagesOf({ pipelines, templates: [{}] })).toEqual([
      'the pipeline "p" has the stage "s" and the template "t": use one of them',
    ])
  })

  it('have templates whose names differ by more than their case', () => {
    expect(messagesOf({ templates: [{ name: 't' }, { name: 'T' }] })).toEqual([
      'the template "T" is already defined as "t"',
    ])
  })

  it('have a timer that is a cron expression, params replaced', () => {
    const params = { HOUR: '12', NEVER: '25' }

    expect(messagesOf({ pipelines: [{ params, timer: '0 0 #{HOUR} * * ?' }] })).toEqual([])
    expect(messagesOf({ pipelines: [{ timer: '0 0 0 ? * 6##3' }] })).toEqual([])
    expect(messagesOf({ pipelines: [{ params, timer: '0 0 #{NEVER} * * ?' }] })).toEqual([
      'the timer "0 0 25 * * ?" of the pipeline "p" is not a cron expression',
    ])
  })

  it.each([
    [element('trackingtool', { link: 'http://x/${ID}', regex: '##(\\d+)' }), []],
    [
      element('trackingtool', { link: 'http://x', regex: 'a' }),
      ['the link "http://x" of the tracking tool does not have ${ID}'],
    ],
    [
      element('trackingtool', { link: '${ID}', regex: '' }),
      ['the regex of the tracking tool is empty'],
    ],
    [
      element('mingle', { baseUrl: 'http://x', projectIdentifier: 'x' }),
      ['the Mingle address "http://x" does not begin with https://'],
    ],
  ])('have a tracking tool that can be reached: case %#', (tool, messages) => {
    expect(messagesOf({ pipelines: [{ before: [tool] }] })).toEqual(messages)
  })
})

describe('labels', () => {
  const materials = [
    git('a', { materialName: 'Code', dest: 'a' }),
    git('b', { dest: 'b' }),
    dependency('up'),
  ]

  function labelled(label: string, params?: Record<string, string>, schemaVersion = 75) {
    const pipeline = {
      attributes: { labeltemplate: label },
      materials,
      ...(params ? { params } : {}),
    }
    return messagesOf({ schemaVersion, pipelines: [{ name: 'up' }, { name: 'p', ...pipeline }] })
  }

  it.each([
    '${COUNT}',
    '${count}',
    '1.${COUNT}-${code[:7]}',
    '${up}',
    'a##${COUNT}',
    "~*'()!:${COUNT}",
  ])('may be %s', (label) => {
    expect(labelled(label)).toEqual([])
  })

  it('may have params, if a variable remains when they are replaced', () => {
    expect(labelled('#{A}-${COUNT}', { A: 'x' })).toEqual([])
    expect(labelled('#{A}', { A: '${COUNT}' })).toEqual([])
    expect(labelled('#{A}', { A: 'x' })).toEqual(['the label "x" of the pipeline "p" is malformed'])
    expect(labelled('#{A}${COUNT}', { A: 'a b' })).toHaveLength(1)
  })

  it('name materials of the pipeline', () => {
    expect(labelled('${COUNT}-${other}')).toEqual([
      'the label "${COUNT}-${other}" of the pipeline "p" uses "other", which is not one of its materials',
    ])
  })

  it('cut names to some characters', () => {
    expect(labelled('${COUNT}-${code[:00]}')).toEqual([
      'the label "${COUNT}-${code[:00]}" of the pipeline "p" shortens "code" to nothing',
    ])
  })

  it('of later versions have any characters and name variables', () => {
    expect(labelled('a b/${COUNT} ${env:HOME}', undefined, 139)).toEqual([])
    expect(labelled('${ENV:HOME}', undefined, 139)).toEqual([])
    expect(labelled('${COUNT}${env:}', undefined, 139)).toHaveLength(1)
    expect(labelled('a b/${COUNT}')).toHaveLength(1)
  })

  it('know packages and scms by name', () => {
    const property = element('property', {}, [
      element('key', {}, ['k']),
      element('value', {}, ['v']),
    ])
    const configuration = element('configuration', {}, [property])
    const plugin = element('pluginConfiguration', { id: 'i', version: '1' })
    const packages = element('packages', {}, [
      element('package', { id: 'pi', name: 'pkg' }, [configuration]),
    ])
    const repository = element('repository', { id: 'ri', name: 'repo' }, [
      plugin,
      configuration,
      packages,
    ])
    const scm = element('scm', { id: 'si', name: 'src' }, [plugin, configuration])
    const referring = [element('package', { ref: 'pi' }), element('scm', { ref: 'si' })]
    const attributes = { labeltemplate: '${repo:pkg}-${SRC}' }

    const given = { repositories: [repository], scms: [scm] }
    expect(messagesOf({ ...given, pipelines: [{ attributes, materials: referring }] })).toEqual([])
    const later = { attributes: { labeltemplate: '${repo_pkg[:3]}' }, materials: referring }
    expect(messagesOf({ ...given, schemaVersion: 139, pipelines: [later] })).toEqual([])
    expect(messagesOf({ ...given, pipelines: [later] })).toHaveLength(1)
  })
})
