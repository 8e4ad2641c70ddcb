import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../../src/document/document.ts'
import { materialFingerprint } from '../../../../src/document/materials/identity.ts'
import {
  aConfigurationInBytes,
  element,
  git,
  type AnElement,
} from '../../../support/documents/a-configuration.ts'

function fingerprint(material: AnElement): string {
  const reading = readDocument(aConfigurationInBytes({ pipelines: [{ materials: [material] }] }))
  if (!reading.ok) throw new Error(reading.problems[0]?.message)
  const [pipeline] = reading.document.configuration.groups.flatMap((group) => group.pipelines)
  const [read] = pipeline?.materials ?? []
  if (!read) throw new Error('there is no material')
  return materialFingerprint(read)
}

function p4(attributes: Record<string, string>, view = '//a/...'): AnElement {
  return element('p4', { port: 'h:1', ...attributes }, [element('view', {}, [view])])
}

const SVN = { url: 'svn://a', username: 'u', password: 'p' }
const TFS = { url: 'http://a', username: 'u', password: 'p', projectPath: '$/a' }

describe('the fingerprint of a material', () => {
  it.each([
    ['git', git('a'), git('a', { branch: 'master', dest: 'd', materialName: 'm' })],
    ['svn', element('svn', SVN), element('svn', { ...SVN, password: 'q', dest: 'd' })],
    ['hg', element('hg', { url: 'a' }), element('hg', { url: 'a', autoUpdate: 'false' })],
    ['p4', p4({ username: 'u' }), p4({ username: 'u', password: 'p', useTickets: 'true' })],
    ['tfs', element('tfs', TFS), element('tfs', { ...TFS, password: 'q' })],
  ])('is the same for the same %s repository, however it is used', (_, one, other) => {
    expect(fingerprint(one)).toBe(fingerprint(other))
  })

  it.each([
    ['url', git('a'), git('b')],
    ['branch', git('a'), git('a', { branch: 'b' })],
    ['tool', git('a'), element('hg', { url: 'a' })],
    ['user of svn', element('svn', SVN), element('svn', { ...SVN, username: 'v' })],
    ['externals', element('svn', SVN), element('svn', { ...SVN, checkexternals: 'true' })],
    ['view', p4({}), p4({}, '//b/...')],
    ['project', element('tfs', TFS), element('tfs', { ...TFS, projectPath: '$/b' })],
    ['domain', element('tfs', TFS), element('tfs', { ...TFS, domain: 'd' })],
  ])('differs with the %s', (_, one, other) => {
    expect(fingerprint(one)).not.toBe(fingerprint(other))
  })
})
