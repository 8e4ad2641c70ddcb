import { describe, expect, it } from 'vitest'
import { touchedEntities } from '../../../../src/config/changes/change.ts'
import { renderChange, renderSubject } from '../../../../src/config/changes/render-change.ts'
import { summariseChanges } from '../../../../src/config/changes/summarise-changes.ts'
import { readDocument } from '../../../../src/config/document.ts'
import {
  type AnElement,
  aConfiguration,
  dependency,
  element,
  exec,
  git,
} from '../../../support/a-configuration.ts'

type Given = Parameters<typeof aConfiguration>[0]

function documentOf(text: string) {
  const reading = readDocument(new TextEncoder().encode(text))
  if (!reading.ok) throw new Error(reading.problems[0]?.message)
  return reading.document
}

function changes(before: Given, after: Given) {
  return summariseChanges(documentOf(aConfiguration(before)), documentOf(aConfiguration(after)))
}

function lines(before: Given, after: Given): string[] {
  return changes(before, after).map(renderChange)
}

/** A pipeline whose one job has these tasks. */
function doing(...tasks: readonly AnElement[]): Given {
  return {
    pipelines: [{ name: 'checkout', stages: [{ name: 'test', jobs: [{ name: 'unit', tasks }] }] }],
  }
}

function withMaterials(...materials: readonly AnElement[]): Given {
  return { pipelines: [{ name: 'up' }, { name: 'p', materials }] }
}

function variable(secure: boolean, value: string): Given {
  const children = [element('value', {}, [value])]
  const list = [element('variable', { name: 'KEY', secure }, children)]
  return { pipelines: [{ before: [element('environmentvariables', {}, list)] }] }
}

const withTimeout = (timeout: number): Given => ({
  pipelines: [
    {
      name: 'checkout',
      stages: [{ name: 'test', jobs: [{ name: 'unit', attributes: { timeout } }] }],
    },
  ],
})

const anAgent = (isDisabled?: boolean): Given => ({
  agents: [isDisabled === undefined ? {} : { isDisabled }],
})

const aGroup = (g: string, ...own: { name: string }[]) => ({ group: g, pipelines: own })

const aStageDoing = (name: string, ...tasks: AnElement[]): Given => ({
  pipelines: [{ stages: [{ name, jobs: [{ name: 'unit', tasks }] }] }],
})

const roleOf = (...users: string[]) => {
  const members = element(
    'users',
    {},
    users.map((user) => element('user', {}, [user])),
  )
  const roles = element('roles', {}, [element('role', { name: 'dev' }, [members])])
  return { server: element('server', {}, [element('security', {}, [roles])]) }
}

const pipelinesNamed = (...names: string[]): Given => ({
  pipelines: names.map((name) => ({ name })),
})

const onePipeline = (name: string): Given => ({ pipelines: [{ name }] })

const agentsNamed = (...uuids: string[]): Given => ({
  agents: uuids.map((uuid) => ({ uuid, hostname: uuid })),
})

const deepTimeout = (timeout: number): Given => ({
  pipelines: [
    {
      name: 'p',
      stages: [{ name: 's'.repeat(60), jobs: [{ name: 'j'.repeat(40), attributes: { timeout } }] }],
    },
  ],
})

const timed = (name: string, timer: string): Given => ({ pipelines: [{ name, timer }] })

describe('the summary of a change', () => {
  it('names the attribute, its place, and its values', () => {
    expect(lines(withTimeout(45), withTimeout(60))).toEqual([
      'checkout: stage test, job unit, timeout 45 -> 60',
    ])
  })

  it('takes what is not written for what it means', () => {
    expect(lines(anAgent(), anAgent(true))).toEqual(['agent box: isDisabled false -> true'])
    expect(lines(anAgent(false), anAgent())).toEqual(['layout and comments only'])
  })

  it.each<[Given, Given, string]>([
    [{}, { pipelines: [{ name: 'a' }] }, 'group defaultGroup added'],
    [
      { pipelines: [{ name: 'a' }] },
      { pipelines: [{ name: 'a' }, { name: 'b' }] },
      'pipeline b added to group defaultGroup',
    ],
    [
      { pipelines: [{ name: 'a' }, { name: 'b' }] },
      { pipelines: [{ name: 'a' }] },
      'pipeline b removed from group defaultGroup',
    ],
    [{ pipelines: [{ name: 'a' }] }, { pipelines: [{ name: 'b' }] }, 'pipeline a renamed to b'],
    [{ groups: [{ group: 'g' }] }, { groups: [{ group: 'h' }] }, 'group h added'],
    [{ agents: [] }, { agents: [{ hostname: 'box-9' }] }, 'agent box-9 added'],
    [{ agents: [{ uuid: 'a' }] }, { agents: [] }, 'agent box removed'],
    [
      { agents: [{ ipaddress: '10.0.0.1' }] },
      { agents: [{ ipaddress: '10.0.0.2' }] },
      'agent box: ipaddress 10.0.0.1 -> 10.0.0.2',
    ],
    [{ agents: [{}] }, { agents: [{ resources: ['linux'] }] }, 'agent box: resource linux added'],
    [
      { templates: [{ name: 't' }] },
      { templates: [{ name: 't' }, { name: 'u' }] },
      'template u added',
    ],
    [
      { environments: [{ name: 'e' }] },
      { environments: [{ name: 'e', variables: { A: '1' } }] },
      'environment e: variable A added',
    ],
    [{ schemaVersion: 74 }, { schemaVersion: 75 }, 'schemaVersion 74 -> 75'],
  ])('names what came and went: %#', (before, after, line) => {
    expect(lines(before, after)).toContain(line)
  })

  it('knows a pipeline in another group, and a group under another name', () => {
    const a = { name: 'a' }
    const b = { name: 'b' }

    const moved = changes(
      { groups: [aGroup('g', a, b), aGroup('h')] },
      { groups: [aGroup('g', b), aGroup('h', a)] },
    )
    const grouped = (group: string): Given => ({ groups: [aGroup(group, a, b)] })

    expect(moved.map(renderChange)).toEqual(['pipeline a moved from group g to group h'])
    expect(touchedEntities(moved)).toEqual(['pipeline/a', 'group/g', 'group/h'])
    expect(lines(grouped('g'), grouped('h'))).toEqual(['group g renamed to h'])
  })

  it('follows what was renamed into what else changed in it', () => {
    const before = aStageDoing('old', exec('a'), exec('b'), exec('c'))
    const after = aStageDoing('new', exec('a'), exec('b'), exec('c'), exec('d'))

    expect(lines(before, after)).toEqual([
      'p: stage old renamed to new',
      'p: stage new, job unit, task d added',
    ])
  })

  it.each<[Given, Given, string[]]>([
    [
      doing(exec('a'), exec('b')),
      doing(exec('b'), exec('a')),
      ['checkout: stage test, job unit, tasks reordered'],
    ],
    [
      doing(exec('a'), exec('c')),
      doing(exec('a'), exec('b'), exec('c')),
      ['checkout: stage test, job unit, task b added'],
    ],
    [
      doing(exec('a'), exec('b')),
      doing(exec('a'), exec('z')),
      ['checkout: stage test, job unit, task z, command b -> z'],
    ],
    [
      doing(exec('a', 'x')),
      doing(exec('a', 'y')),
      ['checkout: stage test, job unit, task a y, argument x -> y'],
    ],
    [
      doing(exec('a'), exec('b')),
      doing(exec('b'), exec('c')),
      [
        'checkout: stage test, job unit, task a removed',
        'checkout: stage test, job unit, task c added',
      ],
    ],
  ])('tells tasks apart by their place: %#', (before, after, expected) => {
    expect(lines(before, after)).toEqual(expected)
  })

  it.each<[Given, Given, string]>([
    [withMaterials(git('a')), withMaterials(git('b')), 'p: git material, url a -> b'],
    [
      withMaterials(git('a')),
      withMaterials(git('a', { branch: 'x' })),
      'p: git material a, branch set to x',
    ],
    [
      withMaterials(git('a')),
      withMaterials(git('a'), dependency('up')),
      'p: upstream pipeline up added',
    ],
  ])('names materials: %#', (before, after, line) => {
    expect(lines(before, after)).toEqual([line])
  })

  it('knows roles and their users', () => {
    expect(lines(roleOf('ana'), roleOf('ana', 'ben'))).toEqual(['role dev: user ben added'])
    expect(touchedEntities(changes({}, roleOf('ana')))).toEqual(['role/dev'])
  })

  it('says that the order is all that changed', () => {
    expect(lines(pipelinesNamed('a', 'b', 'c'), pipelinesNamed('c', 'a', 'b'))).toEqual([
      'group defaultGroup: pipelines reordered',
    ])
  })

  it('says that the layout is all that changed', () => {
    const text = aConfiguration({ pipelines: [{}] })
    const before = documentOf(text)
    const after = documentOf(text.replace('<materials>', '<!-- from here -->\n<materials>'))

    expect(summariseChanges(before, after).map(renderChange)).toEqual(['layout and comments only'])
    expect(summariseChanges(before, before)).toEqual([])
  })

  it('lists everything that a first configuration has', () => {
    const first = documentOf(
      aConfiguration({ pipelines: [{ name: 'a' }, { name: 'b' }], agents: [{}] }),
    )
    const all = summariseChanges(null, first)

    expect(renderSubject(all)).toBe('first configuration with 2 pipelines')
    expect(touchedEntities(all).toSorted()).toEqual([
      'agent/a1',
      'group/defaultGroup',
      'pipeline/a',
      'pipeline/b',
    ])
  })

  it('touches the old name and the new one of what was renamed', () => {
    expect(touchedEntities(changes(onePipeline('a'), onePipeline('b')))).toEqual([
      'pipeline/b',
      'pipeline/a',
    ])
  })
})

describe('secrets in a summary', () => {
  const SECRET = 'xyzzy'

  it.each<[Given, Given]>([
    [variable(true, 'a'), variable(true, SECRET)],
    [variable(true, SECRET), variable(false, 'a')],
    [
      withMaterials(element('svn', { url: 'u', password: 'a' })),
      withMaterials(element('svn', { url: 'u', password: SECRET })),
    ],
    [
      withMaterials(element('svn', { url: 'u', encryptedPassword: SECRET })),
      withMaterials(element('svn', { url: 'u' })),
    ],
    [
      withMaterials(git('https://me:old@host/a')),
      withMaterials(git(`https://me:${SECRET}@host/a`)),
    ],
    [
      { server: element('server', { agentAutoRegisterKey: 'a' }) },
      { server: element('server', { agentAutoRegisterKey: SECRET }) },
    ],
  ])('are never shown: %#', (before, after) => {
    const told = changes(before, after)

    expect(told).not.toEqual([])
    expect(JSON.stringify(told)).not.toContain(SECRET)
    expect(JSON.stringify(told)).toContain('•••• hidden')
  })

  it('do not keep plain values from being shown', () => {
    expect(lines(variable(false, 'one'), variable(false, 'two'))).toEqual([
      'p: variable KEY, value one -> two',
    ])
  })
})

describe('the subject of a commit', () => {
  it('is the first change, and how many more there are', () => {
    expect(renderSubject(changes(agentsNamed(), agentsNamed('a')))).toBe('agent a added')
    expect(renderSubject(changes(agentsNamed(), agentsNamed('a', 'b', 'c')))).toBe(
      'agent a added and 2 more',
    )
    expect(renderSubject([])).toBe('no change')
  })

  it('leaves out the outer part of a path before what changed', () => {
    expect(renderSubject(changes(deepTimeout(1), deepTimeout(2)))).toBe(
      `p: … job ${'j'.repeat(40)}, timeout 1 -> 2`,
    )
  })

  it('is never longer than a hundred characters, and one line', () => {
    const name = 'n'.repeat(250)
    const before = timed(name, '0 0 0 * * ?')

    const subject = renderSubject(changes(before, timed(name, '0\n0 1 * *\n?')))

    expect(subject.length).toBeLessThanOrEqual(100)
    expect(subject).not.toContain('\n')
  })
})
