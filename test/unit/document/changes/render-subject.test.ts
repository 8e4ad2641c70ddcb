import { describe, expect, it } from 'vitest'
import type { DocumentChange } from '../../../../src/document/entities/change.ts'
import { entitiesOf, isCosmetic } from '../../../../src/document/changes/entities-of.ts'
import { renderSubject } from '../../../../src/document/changes/render-subject.ts'
import { summariseChanges } from '../../../../src/document/changes/summarise-changes.ts'
import { xmlDocument } from '../../../support/documents/xml-documents.ts'
import { runSync } from '../../../../src/lib/cooperative.ts'

function subjectOf(before: string, after: string): string {
  return renderSubject(runSync(summariseChanges(xmlDocument(before), xmlDocument(after))))
}

function agents(count: number): string {
  const list = Array.from(
    { length: count },
    (_, at) => `<agent hostname="box${at}" uuid="u${at}"/>`,
  )
  return `<cruise><agents>${list.join('')}</agents></cruise>`
}

function pipelines(...all: readonly (readonly [name: string, content: string])[]): string {
  const list = all.map(([name, content]) => `<pipeline name="${name}">${content}</pipeline>`)
  return `<cruise><pipelines group="g">${list.join('\n')}</pipelines></cruise>`
}

const JOB = '<stage name="test"><jobs><job name="unit" timeout="45"/></jobs></stage>'

function variables(value: string): string {
  const list = Array.from(
    { length: 9 },
    (_, at) => `<variable name="VARIABLE_${at}"><value>${value}${at}</value></variable>`,
  )
  return `<environmentvariables>${list.join('')}</environmentvariables>`
}

function three(timeout: string): string {
  return pipelines(...['a', 'b', 'c'].map((name) => [name, JOB.replace('45', timeout)] as const))
}

function git(password: string): string {
  return `<materials><git url="u" password="${password}"/></materials>`
}

describe('the subject of a commit', () => {
  it('says where something changed, and from what to what', () => {
    const after = pipelines(['shop', JOB.replace('45', '60')])

    expect(subjectOf(pipelines(['shop', JOB]), after)).toBe(
      'shop: stage test, job unit: timeout 45 -> 60',
    )
  })

  it('says as much as fits and counts the rest', () => {
    const subject = subjectOf(
      pipelines(['shop', variables('a')]),
      pipelines(['shop', variables('b')]),
    )

    expect(subject).toBe(
      'shop: variable VARIABLE_0: value a0 -> b0; variable VARIABLE_1: value a1 -> b1 (and 7 more)',
    )
  })

  it('puts what came and went as a whole first', () => {
    const before = pipelines(['a', JOB], ['b', JOB.replace('unit', 'other')])
    const after = pipelines(['a', JOB.replace('45', '60')], ['c', ''])

    expect(subjectOf(before, after)).toBe(
      'Remove pipeline b; add pipeline c; a: stage test, job unit: timeout 45 -> 60',
    )
  })

  it('says once what is said of several', () => {
    expect(subjectOf(three('45'), three('60'))).toBe(
      'a, b, c: stage test, job unit: timeout 45 -> 60',
    )
  })

  it('names agents that register, or counts them', () => {
    expect(subjectOf(agents(0), agents(1))).toBe('Register agent box0')
    expect(subjectOf(agents(1), agents(38))).toBe('Register 37 agents')
  })

  it('has words for the first configuration, for layout and for comments', () => {
    const document = xmlDocument(agents(1))

    expect(renderSubject(runSync(summariseChanges(null, document)))).toBe('First configuration')
    expect(subjectOf(agents(1), `${agents(1)}\n\n`)).toBe('Reformat')
    expect(subjectOf(agents(1), agents(1).replace('"/>', '" />'))).toBe('Reformat box0')
    expect(subjectOf(agents(1), `${agents(1)}<!-- x -->`)).toBe('Reformat')
    expect(subjectOf(agents(1), agents(1).replace('<agents>', '<!-- x --><agents>'))).toBe(
      'Change comments',
    )
  })

  it('has words for line endings, where nothing else is otherwise', () => {
    const before = agents(2).replaceAll('<agent ', '\n<agent ')
    const after = before.replaceAll('\n', '\r\n')

    expect(subjectOf(before, after)).toBe('Line endings LF -> CRLF')
    expect(subjectOf(after, before)).toBe('Line endings CRLF -> LF')
    expect(subjectOf(before, after.replace('\r', ''))).toBe('Line endings LF -> CRLF and LF')
    expect(isCosmetic(runSync(summariseChanges(xmlDocument(before), xmlDocument(after))))).toBe(
      true,
    )
  })

  it('does not say what a secret was or is', () => {
    expect(subjectOf(pipelines(['p', git('a')]), pipelines(['p', git('b')]))).toBe(
      'p: material git u: password changed',
    )
  })

  it('is one line of bounded length, whatever the names are', () => {
    const name = `x&#10;\u202e${'y'.repeat(400)}`
    const subject = subjectOf(pipelines(['a', '']), pipelines([name, JOB], ['a', JOB]))

    expect(subject).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(subject.length).toBeLessThanOrEqual(110)
  })
})

describe('the entities of changes', () => {
  it('are reported once each, renamed ones under both names', () => {
    const changes = runSync(
      summariseChanges(
        xmlDocument(pipelines(['a', JOB], ['b', JOB.replace('unit', 'x')])),
        xmlDocument(pipelines(['c', JOB], ['b', ''])),
      ),
    )

    expect(entitiesOf(changes)).toEqual(['pipeline/b', 'pipeline/c', 'pipeline/a'])
  })

  it('keep an agent under its uuid when its host is another', () => {
    const renamed: DocumentChange = {
      kind: 'renamed',
      entity: 'agent/u1',
      label: 'new',
      path: [],
      subject: 'agent',
      from: 'old',
      to: 'new',
    }

    expect(entitiesOf([renamed])).toEqual(['agent/u1'])
  })
})
