import { describe, expect, it } from 'vitest'
import { findNamedEntity } from '../../../src/document/entities/entities.ts'
import { outlineOf } from '../../../src/document/entities/outline.ts'
import { readXml } from '../../../src/document/xml/xml-reader.ts'
import { aConfigurationInBytes, element } from '../../support/documents/a-configuration.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

function read(bytes: Uint8Array) {
  const reading = runSync(readXml(bytes))
  if (!reading.ok) throw new Error('the document is not well-formed')
  return reading
}

const DOCUMENT = read(
  aConfigurationInBytes({
    server: element('server', { artifactsdir: 'a' }),
    groups: [
      { group: 'first', pipelines: [{ name: 'one', stages: [{ name: 'x' }, { name: 'y' }] }] },
      { group: 'second', pipelines: [{ name: 'two' }] },
    ],
    templates: [{ name: 'shared' }],
    environments: [{ name: 'live', pipelines: ['one'] }],
    agents: [{ uuid: 'u1', hostname: 'box' }],
  }),
)

describe('an outline', () => {
  it('has the groups with their pipelines and stages, and the other sections', () => {
    const outline = outlineOf(DOCUMENT)

    expect(outline.map(({ kind, name }) => `${kind} ${name}`.trim())).toEqual([
      'server',
      'group first',
      'group second',
      'templates',
      'environments',
      'agents',
    ])
    expect(outline[1]?.children.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'pipeline one',
    ])
    expect(outline[1]?.children[0]?.children.map(({ name }) => name)).toEqual(['x', 'y'])
    expect(outline[4]?.children.map(({ name }) => name)).toEqual(['live'])
    expect(outline[5]?.children.map(({ name }) => name)).toEqual(['box'])
  })

  it('names the first and the last line of each', () => {
    const lines = DOCUMENT.text.split('\n')
    const [pipeline] = outlineOf(DOCUMENT)[1]?.children ?? []

    expect(lines[(pipeline?.first ?? 0) - 1]).toContain('<pipeline name="one"')
    expect(lines[(pipeline?.last ?? 0) - 1]).toBe('    </pipeline>')
  })
})

describe('the outline of entities', () => {
  const ROLE = element('role', { name: 'devs' })
  const SECURED = read(
    aConfigurationInBytes({
      server: element('server', {}, [element('security', {}, [element('roles', {}, [ROLE])])]),
      groups: [{ group: 'first', pipelines: [{ name: 'one', stages: [{ name: 'x' }] }] }],
      templates: [{ name: 'shared', stages: [{ name: 'y' }] }],
      agents: [{ uuid: 'u1', hostname: 'box' }],
    }),
  )

  it('names each as the history knows it, also roles, and no stage of a template', () => {
    const names = outlineOf(SECURED).flatMap((section) => [
      section.entity,
      ...section.children.flatMap((each) => [
        each.entity,
        ...each.children.map(({ entity }) => entity),
      ]),
    ])

    expect(names).toEqual([
      'server',
      'role/devs',
      'group/first',
      'pipeline/one',
      'stage/one/x',
      null,
      'template/shared',
      null,
      null,
      'agent/u1',
    ])
  })
})

describe('finding an entity', () => {
  it.each([
    ['pipeline', 'one', '<pipeline name="one"'],
    ['group', 'second', '<pipelines group="second"'],
    ['template', 'shared', '<pipeline name="shared"'],
    ['environment', 'live', '<environment name="live"'],
    ['agent', 'u1', '<agent hostname="box"'],
  ] as const)('finds the %s %s', (kind, name, start) => {
    const found = findNamedEntity(DOCUMENT.root, `${kind}/${name}`)

    expect(DOCUMENT.text.slice(found?.element.span.start ?? 0)).toMatch(new RegExp(`^${start}`))
  })

  it('does not take the pipeline of an environment, or a template, for a pipeline', () => {
    expect(findNamedEntity(DOCUMENT.root, 'pipeline/shared')).toBeNull()
    expect(findNamedEntity(DOCUMENT.root, 'pipeline/three')).toBeNull()
  })
})
