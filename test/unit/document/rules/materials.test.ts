import { describe, expect, it } from 'vitest'
import {
  type AnElement,
  dependency,
  element,
  git,
} from '../../../support/documents/a-configuration.ts'
import { messagesOf } from './messages-of.ts'

function having(...materials: readonly AnElement[]) {
  return messagesOf({ pipelines: [{ name: 'up' }, { name: 'p', materials }] })
}

function p4(port: string, view = '//a/... //b/...'): AnElement {
  return element('p4', { port }, [element('view', {}, [view])])
}

const tfs = { url: 'u', username: 'n', projectPath: '$/p' }

const named = (materialName: string, dest: string) => git('u', { materialName, dest })

const quiet = (url: string, attributes = {}) => git(url, { autoUpdate: false, ...attributes })

const both = (one: AnElement, other: AnElement) =>
  messagesOf({
    pipelines: [
      { name: 'a', materials: [one] },
      { name: 'b', materials: [other] },
    ],
  })

const ring = (...names: string[]) =>
  names.map((name, n) => ({
    name,
    materials: [dependency(names[(n + 1) % names.length] ?? '')],
  }))

describe('materials', () => {
  it.each([
    git('u'),
    element('svn', { url: 'u' }),
    element('hg', { url: 'u' }),
    p4('host:1666'),
    element('tfs', tfs),
  ])('may be %j', (material) => {
    expect(having(material)).toEqual([])
  })

  it.each([
    [git(''), 'the url of the git material is blank'],
    [git(' '), 'the url of the git material is blank'],
    [element('svn', { url: '' }), 'the url of the svn material is blank'],
    [element('hg', { url: '' }), 'the url of the hg material is blank'],
    [element('tfs', { ...tfs, url: ' ' }), 'the url of the tfs material is blank'],
    [element('tfs', { ...tfs, username: '' }), 'the user name of the tfs material is blank'],
    [element('tfs', { ...tfs, projectPath: '' }), 'the project path of the tfs material is blank'],
    [p4(''), 'the port of the p4 material is blank'],
    [p4('1666'), 'the port "1666" of the p4 material does not have the form host:number'],
    [
      p4('ssl:host:1666'),
      'the port "ssl:host:1666" of the p4 material does not have the form host:number',
    ],
    [p4('host:1', ''), 'the view of the p4 material is blank'],
  ])('say how they are reached: %j', (material, message) => {
    expect(having(material)).toEqual([message])
  })

  it('are distinguished from what is missing altogether', () => {
    expect(having(element('git'))).toEqual(['git needs the attribute "url"'])
  })

  it.each(['a', 'a/b', 'a/../b'])('may be checked out to %s', (dest) => {
    expect(having(git('u', { dest }))).toEqual([])
  })

  it.each(['/a', 'a/../../b', '~a', 'C:/a'])('may not be checked out to %s', (dest) => {
    expect(having(git('u', { dest }))).toEqual([
      `the destination "${dest}" is not inside the working folder`,
    ])
  })

  it('need destinations of their own where there are several', () => {
    expect(having(git('u', { dest: 'a' }), git('v', { dest: 'ab' }))).toEqual([])
    expect(having(git('u', { dest: 'a' }), dependency('up'))).toEqual([])
    expect(having(git('u', { dest: 'a' }), git('v'))).toEqual([
      'the pipeline "p" has several materials to check out, and one has no destination',
    ])
    expect(having(git('u', { dest: 'a' }), git('v', { dest: 'A' }))).toEqual([
      'the destination "A" is already that of another material',
    ])
    expect(having(git('u', { dest: 'a/b/c' }), git('v', { dest: 'a' }))).toEqual([
      'the destination "a/b/c" is inside "a", that of another material',
    ])
  })

  it('have names that differ by more than their case', () => {
    expect(having(named('m', 'a'), named('M', 'b'))).toEqual([
      'the pipeline "p" has several materials named "M"',
    ])
    expect(having(dependency('up'), git('u', { materialName: 'UP' }))).toEqual([
      'the pipeline "p" has several materials named "UP"',
    ])
  })

  it('are watched in one way wherever they stand', () => {
    expect(both(git('u'), quiet('v'))).toEqual([])
    expect(both(git('u'), quiet('u', { branch: 'b' }))).toEqual([])
    expect(both(quiet('u'), quiet('u'))).toEqual([])
    expect(both(git('u'), quiet('u', { branch: 'master' }))).toEqual([
      'the git material "u" has autoUpdate false here and true elsewhere',
    ])
  })
})

describe('dependencies', () => {
  it('name a pipeline and a stage that exist, in any case', () => {
    expect(having(dependency('UP', 'Build'))).toEqual([])
    expect(having(dependency('down'))).toEqual([
      'the pipeline "down" that "p" depends on does not exist',
    ])
    expect(having(dependency('up', 'test'))).toEqual([
      'the pipeline "up" that "p" depends on has no stage "test"',
    ])
  })

  it('may name a stage of a template, and a pipeline that comes later', () => {
    const pipelines = [
      { name: 'a', materials: [dependency('b', 'ship')] },
      { name: 'b', template: 't' },
    ]

    expect(messagesOf({ pipelines, templates: [{ stages: [{ name: 'ship' }] }] })).toEqual([])
  })

  it('name each upstream once, whatever the stage', () => {
    const stages = [{ name: 'one' }, { name: 'two' }]
    const materials = [dependency('up', 'one'), dependency('UP', 'two')]

    expect(
      messagesOf({
        pipelines: [
          { name: 'up', stages },
          { name: 'p', materials },
        ],
      }),
    ).toEqual(['the pipeline "p" depends on "UP" more than once'])
  })

  it('do not go round in circles', () => {
    expect(messagesOf({ pipelines: ring('a') })).toEqual(['circular dependency: a <- a'])
    expect(messagesOf({ pipelines: [...ring('a', 'b', 'c'), ...ring('x', 'y')] })).toEqual([
      'circular dependency: a <- b <- c <- a',
      'circular dependency: x <- y <- x',
    ])
  })

  it('may be a chain of any length', () => {
    const pipelines = Array.from({ length: 2000 }, (_, n) => ({
      name: `p${n}`,
      materials: [n === 0 ? git('u') : dependency(`p${n - 1}`)],
    }))

    expect(messagesOf({ pipelines: pipelines.toReversed() })).toEqual([])
  })

  it('may come together again', () => {
    const pipelines = [
      { name: 'a' },
      { name: 'b', materials: [dependency('a')] },
      { name: 'c', materials: [dependency('a')] },
      { name: 'd', materials: [dependency('b'), dependency('c')] },
    ]

    expect(messagesOf({ pipelines })).toEqual([])
  })
})
