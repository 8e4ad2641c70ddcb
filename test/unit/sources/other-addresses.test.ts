// @module-tag long

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSource } from '../../../src/sources/open-source.ts'
import { parseExternals } from '../../../src/sources/svn-externals.ts'
import { Tools } from '../../../src/sources/tools.ts'
import { allowing, materialOf, toolEnvironment } from '../../support/builds/materials.ts'
import { runTool } from '../../support/builds/source-origins.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { type AnElement, element } from '../../support/documents/a-configuration.ts'

function openFor(described: AnElement, home: string) {
  const tools = new Tools({ environment: toolEnvironment(home), timeout: 20_000 })
  onTestFinished(() => tools[Symbol.asyncDispose]())
  const folder = join(home, 'mirror')
  mkdirSync(folder, { recursive: true })
  return openSource(materialOf(described), { tools, folder, password: null, local: allowing(home) })
}

function commitTo(repository: string, branch: string): string {
  runTool(repository, 'hg', 'update', '-q', branch)
  writeFileSync(join(repository, branch), `${Math.random()}`)
  runTool(repository, 'hg', 'commit', '-q', '-A', '-m', branch)
  return runTool(repository, 'hg', 'log', '-r', '.', '--template', '{node}')
}

function hgWithBranches(home: string) {
  const folder = join(home, 'r')
  mkdirSync(folder)
  runTool(folder, 'hg', 'init')
  writeFileSync(join(folder, 'a'), '')
  runTool(folder, 'hg', 'commit', '-q', '-A', '-m', 'first')
  for (const branch of ['stable', 'one two']) {
    runTool(folder, 'hg', 'update', '-q', 'default')
    runTool(folder, 'hg', 'branch', '-q', branch)
    runTool(folder, 'hg', 'commit', '-q', '-m', branch)
  }
  return folder
}

describe('a branch behind the address of a Mercurial repository', { tags: ['hg'] }, () => {
  it.each([
    ['stable', (folder: string) => `${folder}##stable`],
    ['one two', (folder: string) => `${pathToFileURL(folder).href}##one%20two`],
  ])('%s is the one whose commits are seen', async (branch, addressOf) => {
    const home = tempDir()
    const folder = hgWithBranches(home)
    const of = (name: string) =>
      runTool(folder, 'hg', 'log', '-r', `"${name}"`, '--template', '{node}')
    const source = await openFor(element('hg', { url: addressOf(folder) }), home)

    const before = of(branch)
    expect(await source.newest()).toBe(before)
    const elsewhere = commitTo(folder, 'default')
    expect(await source.newest()).toBe(before)
    expect(await source.find(elsewhere)).toBe(null)
    const upTo = commitTo(folder, branch)
    expect(await source.newest()).toBe(upTo)
    expect(await source.changes({ after: before, upTo })).toMatchObject([{ revision: upTo }])
  })
})

/** A Subversion repository with trunk and ext, and a folder of work for each. */
function svnWith(home: string, name: string): string {
  const store = join(home, name)
  mkdirSync(store)
  runTool(store, 'svnadmin', 'create', '.')
  const url = pathToFileURL(store).href
  runTool(home, 'svn', 'mkdir', '-q', '-m', 'make', `${url}/trunk`, `${url}/ext`, `${url}/e2`)
  runTool(home, 'svn', 'checkout', '-q', '--ignore-externals', url, `${name}-work`)
  return url
}

function change(home: string, name: string, folder: string): void {
  const work = join(home, `${name}-work`)
  const file = join(folder, `f${Math.random()}`)
  writeFileSync(join(work, file), '')
  runTool(work, 'svn', 'add', '-q', file)
  runTool(work, 'svn', 'commit', '-q', '-m', `changed ${folder}`, folder)
}

function setExternals(home: string, folder: string, text: string): void {
  const work = join(home, 'r-work')
  writeFileSync(join(home, 'externals'), text)
  runTool(work, 'svn', 'propset', '-q', 'svn:externals', '-F', join(home, 'externals'), folder)
  runTool(work, 'svn', 'commit', '-q', '-m', 'externals', folder)
  runTool(work, 'svn', 'update', '-q', '--ignore-externals')
}

describe('the externals of a Subversion material', { tags: ['svn'] }, () => {
  it.each(['^/ext lib', '../ext lib', 'lib ^/ext', '^/ext@HEAD "a lib"', '# none\n\n^/ext x'])(
    'of its repository bring new revisions where they are followed: %j',
    async (text) => {
      const home = tempDir()
      const url = svnWith(home, 'r')
      setExternals(home, 'trunk', text)
      const described = { url: `${url}/trunk`, checkexternals: 'true' }
      const source = await openFor(element('svn', described), home)
      const plain = await openFor(element('svn', { url: `${url}/trunk` }), home)

      expect(await source.newest()).toBe('2')
      change(home, 'r', 'ext')
      expect(await plain.newest()).toBe('2')
      expect(await source.newest()).toBe('3')
      const changes = await source.changes({ after: '2', upTo: '3' })
      expect(changes).toMatchObject([{ revision: '3', comment: 'changed ext' }])
      expect(await source.changes({ after: null, upTo: '3' })).toEqual(changes)
      change(home, 'r', 'e2')
      expect(await source.newest()).toBe('3')
      change(home, 'r', 'trunk')
      expect(await source.newest()).toBe('5')
    },
  )

  it('that are bound to a revision bring none', async () => {
    const home = tempDir()
    const url = svnWith(home, 'r')
    setExternals(home, 'trunk', '-r1 ^/ext a\n-r 1 ^/ext b\n^/ext@1 c\nd -r1 ^/ext')
    const described = { url: `${url}/trunk`, checkexternals: 'true' }
    const source = await openFor(element('svn', described), home)

    change(home, 'r', 'ext')

    expect(await source.newest()).toBe('2')
  })

  it('may lie in another repository, in other folders, and have externals', async () => {
    const home = tempDir()
    const url = svnWith(home, 'r')
    const other = svnWith(home, 'other')
    setExternals(home, 'ext', '^/e2 nested')
    setExternals(home, 'trunk', `^/ext lib\n${other}/ext theirs`)
    const described = { url: `${url}/trunk`, checkexternals: 'true' }
    const source = await openFor(element('svn', described), home)

    expect(await source.newest()).toBe('3+1')
    change(home, 'other', 'ext')
    expect(await source.newest()).toBe('3+2')
    expect(await source.changes({ after: '3+1', upTo: '3+2' })).toMatchObject([
      { revision: '3+2', comment: 'changed ext' },
    ])
    change(home, 'r', 'e2')
    expect(await source.newest()).toBe('4+2')
  })

  it('are held to the folders that may be materials', async () => {
    const home = tempDir()
    const elsewhere = tempDir()
    const url = svnWith(home, 'r')
    setExternals(home, 'trunk', `${svnWith(elsewhere, 'secret')}/ext theirs`)
    const described = { url: `${url}/trunk`, checkexternals: 'true' }
    const source = await openFor(element('svn', described), home)

    await expect(source.newest()).rejects.toThrow('in no folder that --local-materials allows')
  })

  it.each([
    ['//other.example/x y', ['https://other.example/x']],
    ['/svn/x y', ['https://svn.example/svn/x']],
    ['^/../sibling y', ['https://svn.example/sibling']],
    [String.raw`^/a\ b/c 'd e'`, ['https://svn.example/r/a%20b/c']],
    ['../ext/a@HEAD lib', ['https://svn.example/r/ext/a']],
    ['http://u@other.example/x lib', ['http://u@other.example/x']],
    ['not an external', []],
    ['lib -r HEAD http://other.example/x', ['http://other.example/x']],
  ])('are read from %j', (text, addresses) => {
    const at = { folder: 'https://svn.example/r/trunk', root: 'https://svn.example/r' }
    expect(parseExternals(text, at)).toEqual(addresses)
  })
})
