import { describe, expect, it } from 'vitest'
import { describeChange } from '../../../../src/configuration/gate/describe-change.ts'
import { summariseChanges } from '../../../../src/document/changes/summarise-changes.ts'
import { readDocument } from '../../../../src/document/document.ts'
import { runSync } from '../../../../src/lib/cooperative.ts'
import { DELEGATED } from '../../../support/service/delegated-changes.ts'

function parsed(text: string) {
  const reading = readDocument(Buffer.from(text))
  if (!reading.ok) throw new Error(reading.problems.map(({ message }) => message).join())
  return reading.document
}

function replaced(from: string | RegExp, to: string, text = DELEGATED): string {
  const next = text.replace(from, to)
  if (next === text) throw new Error(`Nothing is ${String(from)}`)
  return next
}

function touched(after: string, before = DELEGATED) {
  const [older, newer] = [parsed(before), parsed(after)]
  const changes = runSync(summariseChanges(older, newer))
  return describeChange({ before: older, after: newer, changes }).entities
}

/** Each entity with the ways in which it changes, and `~` where only the form in which it runs does. */
function namesOf(after: string, before?: string): readonly string[] {
  return touched(after, before)
    .map(({ names, kinds, ...each }) => {
      const mark = each.before === each.after ? '~' : ''
      return `${mark}${names.toSorted().join('=')} ${kinds.toSorted().join(',')}`
    })
    .toSorted()
}

const M1 = /    <pipeline name="m1"[^]*?<\/pipeline>\n/
const m1 = M1.exec(DELEGATED)?.[0] ?? ''
const ADMINS = /(<pipelines group="mine">\n {4}<authorization>\n {6}<admins>\n {8}<user>)owner/

const CHANGES: readonly (readonly [what: string, after: string, entities: readonly string[]])[] = [
  ['a material', replaced('m1.git', 'x.git'), ['pipeline/m1 changed']],
  [
    'a comment',
    replaced('    <pipeline name="m1">', '    <pipeline name="m1"><!-- c -->'),
    ['pipeline/m1 changed'],
  ],
  ['a pipeline that is added', replaced(m1, m1 + m1.replaceAll('m1', 'm9')), ['pipeline/m9 added']],
  ['a pipeline that is removed', replaced(m1, ''), ['pipeline/m1 removed']],
  [
    'a pipeline that is renamed',
    replaced('name="m1"', 'name="m9"'),
    ['pipeline/m1=pipeline/m9 added,changed,removed'],
  ],
  [
    'a template that is used',
    replaced(/(name="t-seen">[^]*?command=")make/, '$1ls'),
    ['pipeline/m2 changed', 'pipeline/s2 changed', 'template/t-seen changed'].map((each) =>
      each.startsWith('p') ? `~${each}` : each,
    ),
  ],
  [
    'a template that nobody uses',
    replaced(/(name="tpl">[^]*?command=")make/, '$1ls'),
    ['template/tpl changed'],
  ],
  [
    'a comment of a template',
    replaced(/(name="t-seen">\n)/, '$1<!-- c -->\n'),
    ['template/t-seen changed'],
  ],
  [
    'permissions of a group',
    replaced(ADMINS, '$1viewer'),
    ['group/mine changed', '~pipeline/m1 changed', '~pipeline/m2 changed'],
  ],
  [
    'a variable of an environment',
    replaced(
      '<environment name="live">',
      '<environment name="live"><environmentvariables><variable name="A"><value>1</value></variable></environmentvariables>',
    ),
    ['environment/live changed', '~pipeline/h2 changed'],
  ],
  [
    'another pipeline of an environment',
    replaced('<pipeline name="h2" />', '<pipeline name="h2" /><pipeline name="m1" />'),
    ['environment/live changed', '~pipeline/m1 changed'],
  ],
  [
    'a package that is used',
    replaced('<value>p-seen</value>', '<value>p-else</value>'),
    ['~pipeline/h1 changed', '~pipeline/s1 changed', 'repository/repo changed'],
  ],
  [
    'an scm that is used',
    replaced(/(<scm [^>]*name="s-seen"[^]*?<value>)[^<]*/, '$1else'),
    ['~pipeline/s1 changed', 'scm/s-seen changed'],
  ],
  ['an agent', replaced('hostname="box"', 'hostname="else"'), ['agent/u1 changed']],
  ['the rest of the document', replaced('<!-- between -->', '<!-- else -->'), ['document changed']],
  [
    'two names that are swapped',
    replaced('m1.git', 'swap.git').replace('m2.git', 'm1.git').replace('swap.git', 'm2.git'),
    ['pipeline/m1 changed', 'pipeline/m2 changed'],
  ],
]

describe('a change as rules see it', () => {
  it.each(CHANGES)('by %s', (_, after, entities) => {
    expect(namesOf(after)).toEqual(entities.toSorted())
  })

  it('by a pipeline that is moved is about both groups, and other bytes', () => {
    const moved = replaced(m1, '').replace(
      '    <pipeline name="o1"',
      `${m1}    <pipeline name="o1"`,
    )
    const [pipeline] = touched(moved).filter(({ entity }) => entity === 'pipeline/m1')

    expect(pipeline?.groups).toEqual(['mine', 'ours'])
    expect(pipeline?.before).not.toBe(pipeline?.after)
  })

  it.each([
    [
      'an artifact',
      (src: string) => `<artifacts><artifact src="${src}" /></artifacts>`,
      'artifact',
    ],
    [
      'a condition',
      (status: string) => `<tasks><exec command="x"><runif status="${status}" /></exec></tasks>`,
      'runif',
    ],
  ])('by another value of %s is at what it was and at what it is', (_, written, word) => {
    const job = /(name="m1">[^]*?<job name="unit">)[^]*?(?=<\/job>)/
    const [before, after] = ['passed', 'failed'].map((value) =>
      DELEGATED.replace(job, (_all, start: string) => start + written(value)),
    )
    const [pipeline] = touched(after ?? '', before)

    const steps = pipeline?.places.map((place) => place.steps.at(-1))
    expect(steps).toEqual([`${word} passed`, `${word} failed`])
  })

  it('by another layout of everything is about each entity', () => {
    const names = namesOf(DELEGATED.replaceAll('\n      ', '\n       '))

    expect(names).toContain('pipeline/m1 changed')
    expect(
      touched(DELEGATED.replaceAll('\n      ', '\n       ')).find(
        ({ entity }) => entity === 'pipeline/m1',
      )?.places,
    ).toEqual([{ steps: ['layout'], sort: 'layout', isWhole: false }])
  })

  it('leaves the digests of an entity alone when others change', () => {
    const beside = replaced('o1.git', 'y.git')
    const own = touched(replaced('m1.git', 'x.git'))[0]
    const later = touched(replaced('m1.git', 'x.git', beside), beside)[0]

    expect([later?.before, later?.after]).toEqual([own?.before, own?.after])
    expect(own?.before).not.toBe(own?.after)
  })
})
