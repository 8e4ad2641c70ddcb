import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../src/document/document.ts'
import {
  aConfiguration,
  dependency,
  element,
  exec,
  git,
} from '../../support/documents/a-configuration.ts'

function read(text: string) {
  return readDocument(new TextEncoder().encode(text))
}

function problemsOf(text: string) {
  const reading = read(text)
  return reading.ok ? [] : reading.problems
}

describe('reading a document', () => {
  it('gives a valid one in every form', () => {
    const text = aConfiguration({ pipelines: [{ name: 'build' }] })
    const reading = read(text)

    expect(reading).toMatchObject({ ok: true, document: { text, schemaVersion: 75 } })
    if (!reading.ok) throw new Error('it is valid')
    expect(new TextDecoder().decode(reading.document.bytes)).toBe(text)
    expect(reading.document.configuration.groups[0]?.pipelines[0]?.name).toBe('build')
    expect(reading.document.root.name).toBe('cruise')
  })

  it('places what breaks a rule at its element', () => {
    const text = aConfiguration({ pipelines: [{ name: 'a', materials: [dependency('nope')] }] })
    const line = text.split('\n').findIndex((each) => each.includes('pipelineName')) + 1

    expect(problemsOf(text)).toEqual([
      {
        message: 'the pipeline "nope" that "a" depends on does not exist',
        path: 'pipeline "a" › upstream pipeline "nope"',
        line,
        column: 9,
      },
    ])
  })

  it('reports structure and rules together, in the order of the document', () => {
    const stages = [{ jobs: [{ tasks: [element('exec', { command: 'ls', colour: 'red' })] }] }]
    const environments = [{ pipelines: ['absent'] }]
    const materials = [dependency('nowhere')]

    const messages = problemsOf(
      aConfiguration({ pipelines: [{ materials, stages }], environments }),
    ).map(({ message }) => message)

    expect(messages).toHaveLength(3)
    expect(messages[0]).toContain('"nowhere"')
    expect(messages[1]).toContain('"colour"')
    expect(messages[2]).toContain('"absent"')
  })

  it('reports structure alone where a value has no meaning to the rules', () => {
    const pipelines = [{ attributes: { isLocked: 'perhaps' }, materials: [dependency('nowhere')] }]

    const problems = problemsOf(aConfiguration({ pipelines }))

    expect(problems).toHaveLength(1)
    expect(problems[0]?.message).toContain('perhaps')
  })

  it('says once what a template does wrong, however many pipelines use it', () => {
    const tasks = [exec('ls'), element('exec', { command: 'ls', workingdir: 'a/../../b' })]
    const templates = [{ name: 't', stages: [{ jobs: [{ tasks }] }] }]
    const pipelines = ['a', 'b', 'c'].map((name) => ({ name, template: 't' }))

    expect(problemsOf(aConfiguration({ templates, pipelines }))).toHaveLength(1)
  })

  it('has an answer for what is no configuration at all', () => {
    expect(problemsOf('<html/>')).toHaveLength(1)
    expect(problemsOf('')).toHaveLength(1)
    expect(problemsOf('<cruise/>')).toHaveLength(1)
    expect(problemsOf('<cruise schemaVersion="75"><constructor/></cruise>')).toHaveLength(1)
  })

  it('takes every version of the schema', () => {
    for (const schemaVersion of [1, 66, 75, 139]) {
      expect(problemsOf(aConfiguration({ schemaVersion, pipelines: [{}] }))).toEqual([])
    }
    expect(problemsOf(aConfiguration({ schemaVersion: 140 }))).toHaveLength(1)
  })

  it('is quick enough to stand on the way of every save', { retry: 2 }, () => {
    const pipelines = Array.from({ length: 1000 }, (_, n) => ({
      name: `p${n}`,
      materials: n === 0 ? [git('u')] : [git('u'), dependency(`p${n - 1}`)],
      template: 't',
    }))
    const templates = [{ name: 't', stages: [{ jobs: [{ tasks: [exec('make', 'all')] }] }] }]
    const text = aConfiguration({ pipelines, templates })
    const bytes = new TextEncoder().encode(text)
    const begun = process.cpuUsage()

    expect(readDocument(bytes).ok).toBe(true)

    expect(process.cpuUsage(begun).user / 1e6).toBeLessThan(3)
  })
})
