import { describe, expect, it } from 'vitest'
import { element, exec, git } from '../../../support/documents/a-configuration.ts'
import { messagesOf } from './messages-of.ts'

function used(text: string, params: Record<string, string> = {}) {
  return messagesOf({ pipelines: [{ params, materials: [git(text)] }] })
}

describe('params', () => {
  it.each(['plain', 'a##b', 'a##{b}', '#{A}#{A}', 'x#{A}y', '###{A}'])(
    'may be used as in %j',
    (text) => {
      expect(used(text, { A: '1' })).toEqual([])
    },
  )

  it.each(['a#b', 'a#', '#', '###', '# {A}'])('leave no place for %j', (text) => {
    expect(used(text, { A: '1' })).toEqual([
      `the text "${text}" has a "#" that neither begins a param #{name} nor is doubled as ##`,
    ])
  })

  it('have to be closed', () => {
    expect(used('a#{A', { A: '1' })).toEqual([
      'the text "a#{A" has a param whose name is not closed with "}"',
    ])
  })

  it('are defined by the pipeline, in the same case', () => {
    expect(used('#{a}', { A: '1' })).toEqual(['the param "a" is not defined by the pipeline "p"'])
  })

  it('are not replaced within params', () => {
    expect(used('#{A}', { A: '#{B} and # too' })).toEqual([])
  })

  it('differ by more than their case', () => {
    expect(used('x', { A: '1', a: '2' })).toEqual(['the param "a" is already in the pipeline "p"'])
  })

  it('are defined by every pipeline that uses the template', () => {
    const templates = [{ stages: [{ jobs: [{ tasks: [exec('#{CMD}')] }] }] }]
    const pipelines = [
      { name: 'with', template: 't', params: { CMD: 'make' } },
      { name: 'without', template: 't' },
    ]

    expect(messagesOf({ templates, pipelines })).toEqual([
      'the param "CMD" is not defined by the pipeline "without"',
    ])
    expect(messagesOf({ templates })).toEqual([])
  })

  it('have no meaning outside of pipelines', () => {
    expect(
      messagesOf({ agents: [{ hostname: 'box#1' }], environments: [{ variables: { 'a#': '#' } }] }),
    ).toEqual([])
  })

  it('are not for secrets', () => {
    const svn = element('svn', { url: 'u', password: 'a#b' })
    const value = element('value', {}, ['a#b'])
    const variables = (secure: string) =>
      element('environmentvariables', {}, [element('variable', { name: 'KEY', secure }, [value])])
    const ofVariable = (secure: string) =>
      messagesOf({ pipelines: [{ before: [variables(secure)] }] })

    expect(messagesOf({ pipelines: [{ materials: [svn] }] })).toEqual([])
    expect([ofVariable('true'), ofVariable('false').length]).toEqual([[], 1])
  })

  it.each([
    [{ tasks: [exec('#{EMPTY}')] }, 'the command is empty'],
    [
      { artifacts: [element('artifact', { src: '#{EMPTY}' })] },
      'an artifact of the job "unit" has an empty source',
    ],
    [
      { artifacts: [element('artifact', { src: 'a', dest: '#{DOT}' })] },
      'the destination ".x" begins or ends with a dot or a space',
    ],
    [
      { tabs: [element('tab', { name: 'a', path: '#{SPACE}' })] },
      'the path "a b" of the tab "a" is empty or has white space',
    ],
    [
      { resources: ['#{EMPTY}'] },
      'a resource of the job "unit" in the stage "build" of the pipeline "p" is empty',
    ],
    [
      { tasks: [element('exec', { command: 'a', workingdir: '#{UP}' })] },
      'the working folder "../x" is not inside the folder of the job',
    ],
    [
      { tasks: [element('exec', { command: 'a', workingdir: '#{UP}##' })] },
      'the working folder "../x#" is not inside the folder of the job',
    ],
  ])('can make what they stand in wrong: case %#', (job, message) => {
    const params = { EMPTY: '', DOT: '.x', SPACE: 'a b', UP: '../x' }

    expect(messagesOf({ pipelines: [{ params, stages: [{ jobs: [job] }] }] })).toEqual([message])
  })
})
