// @module-tag long

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSource } from '../../../src/sources/open-source.ts'
import { Tools } from '../../../src/sources/tools.ts'
import { type AnElement, element, git } from '../../support/documents/a-configuration.ts'
import { allowing, materialOf, toolEnvironment } from '../../support/builds/materials.ts'
import {
  gitOrigin,
  hgOrigin,
  type Origin,
  runTool,
  svnOrigin,
} from '../../support/builds/source-origins.ts'
import { gitLine } from '../../support/git/git.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const NOWHERE = 'f'.repeat(40)

function openFor(described: AnElement, home: string) {
  const tools = new Tools({ environment: toolEnvironment(home), timeout: 20_000 })
  onTestFinished(() => tools[Symbol.asyncDispose]())
  const folder = join(home, 'mirror')
  mkdirSync(folder)
  return openSource(materialOf(described), { tools, folder, password: null, local: allowing(home) })
}

interface Case {
  readonly kind: string
  readonly tags: string[]
  readonly origin: (folder: string) => Origin
  readonly describe: (origin: Origin) => AnElement
  readonly root: string
}

const CASES: readonly Case[] = [
  {
    kind: 'git',
    tags: [],
    origin: (folder) => gitOrigin(folder),
    describe: ({ url }) => git(url, { branch: 'trunk' }),
    root: '',
  },
  {
    kind: 'git, named by SHA-256,',
    tags: [],
    origin: (folder) => gitOrigin(folder, 'sha256'),
    describe: ({ url }) => git(url, { branch: 'trunk' }),
    root: '',
  },
  {
    kind: 'svn',
    tags: ['svn'],
    origin: svnOrigin,
    describe: ({ url }) => element('svn', { url }),
    root: '/',
  },
  {
    kind: 'hg',
    tags: ['hg'],
    origin: hgOrigin,
    describe: ({ url }) => element('hg', { url }),
    root: '',
  },
]

describe.each(CASES)('a $kind repository', ({ tags, origin, describe: described, root }) => {
  it('reports its newest revision and the changes before it', { tags }, async () => {
    const home = tempDir()
    const repository = origin(join(home, 'origin'))
    const [after, upTo] = [repository.material(0).revision, repository.material(1).revision]
    const source = await openFor(described(repository), home)

    const newest = await source.newest()
    const changes = await source.changes({ after, upTo: newest })

    expect(newest).toBe(upTo)
    expect(await source.changes({ after: null, upTo })).toEqual(changes)
    expect(changes).toEqual([
      {
        revision: upTo,
        username: expect.stringMatching(/./),
        time: expect.any(Number),
        comment: 'change',
        files: expect.arrayContaining([`${root}b`]),
      },
    ])
    expect(Math.abs((changes?.[0]?.time ?? 0) - Date.now())).toBeLessThan(600_000)
  })

  it('has the revisions that it has, and no other', { tags }, async () => {
    const home = tempDir()
    const repository = origin(join(home, 'origin'))
    const { revision } = repository.material(0)
    const source = await openFor(described(repository), home)

    expect(await source.find(revision)).toBe(revision)
    expect(await source.find(revision.slice(0, 12))).toBe(revision)
    const others = [NOWHERE, '999', '0', 'HEAD', 'trunk', '--version', `${revision}^`, '', '1:2']
    const found: unknown[] = []
    for (const other of others) found.push(await source.find(other))
    expect(found).toEqual(others.map(() => null))
  })
})

describe('the changes of a git repository', () => {
  it('are listed though git was killed while it began the mirror', async () => {
    const home = tempDir()
    const origin = gitOrigin(join(home, 'origin'), 'sha256')
    const source = await openFor(git(origin.url, { branch: 'trunk' }), home)
    mkdirSync(join(home, 'mirror', 'refs'))
    writeFileSync(join(home, 'mirror', 'HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(home, 'mirror', 'config'), '[core]\n\trepositoryformatversion = 0\n')

    const changes = await source.changes({ after: null, upTo: await source.newest() })

    expect(changes).toMatchObject([{ comment: 'change' }])
  })

  it('are listed one by one, whatever names and messages have in them', async () => {
    const home = tempDir()
    const origin = gitOrigin(join(home, 'origin'))
    const repository = join(home, 'origin')
    const file = 'ümlaut "quoted"\n\t\u0001name'
    writeFileSync(join(repository, file), '')
    gitLine(repository, 'mv', 'a', 'moved')
    gitLine(repository, 'add', '.')
    gitLine(repository, 'commit', '-q', '-m', 'first\n\n\u0001odd')
    gitLine(repository, 'commit', '-q', '--allow-empty', '--allow-empty-message', '-m', '')
    const source = await openFor(git(origin.url, { branch: 'trunk' }), home)

    const changes = await source.changes({
      after: origin.material(1).revision,
      upTo: await source.newest(),
    })

    expect(changes?.map(({ comment, files }) => ({ comment, files }))).toEqual([
      { comment: '', files: [] },
      { comment: 'first\n\n\u0001odd', files: expect.arrayContaining([file, 'a', 'moved']) },
    ])
  })

  it('are not known where the history does not have the older revision', async () => {
    const home = tempDir()
    const { url } = gitOrigin(join(home, 'origin'))
    const source = await openFor(git(url, { branch: 'trunk' }), home)
    const upTo = await source.newest()

    expect(await source.changes({ after: NOWHERE, upTo })).toBe(null)
    expect(await source.changes({ after: '--output=x', upTo })).toBe(null)
  })

  it('are read from a mirror that a killed git left locked', async () => {
    const home = tempDir()
    const origin = gitOrigin(join(home, 'origin'))
    const source = await openFor(git(origin.url, { branch: 'trunk' }), home)
    const [after, upTo] = [origin.material(0).revision, origin.material(1).revision]
    await source.changes({ after, upTo })
    writeFileSync(join(home, 'mirror/refs/heads/trunk.lock'), '')
    gitLine(join(home, 'origin'), 'commit', '-q', '--allow-empty', '-m', 'more')

    const changes = await source.changes({ after: upTo, upTo: await source.newest() })

    expect(changes?.map(({ comment }) => comment)).toEqual(['more'])
  })
})

describe('an address', () => {
  it.each([
    git('ext::sh -c "touch pwned"'),
    git('--upload-pack=touch pwned'),
    git('ssh://-oProxyCommand=touch/x'),
    git('user@-oProxyCommand=touch:x'),
    git('ssh://%2DoProxyCommand=touch/x'),
    git('fd::17'),
    git('ftp://example.com/x'),
    element('svn', { url: '--config-dir=/' }),
    element('svn', { url: 'svn+evil://x' }),
    element('hg', { url: 'bundle:x' }),
    element('hg', { url: 'static-http://example.com' }),
    element('hg', { url: '--config=alias.identify=!touch pwned' }),
  ])('that a tool could misunderstand is refused: $attributes.url', async (described) => {
    const home = tempDir()

    await expect(openFor(described, home)).rejects.toThrow(
      'The address of the repository is none of',
    )
    expect(readdirSync(home)).toEqual(['mirror'])
  })

  it('of nothing, and a missing branch, are reported', async () => {
    const home = tempDir()
    const { url } = gitOrigin(join(home, 'origin'))
    const branch = await openFor(git(url, { branch: '-x' }), home)
    const other = tempDir()
    const nothing = await openFor(git(pathToFileURL(join(other, 'none')).href), other)

    await expect(branch.newest()).rejects.toThrow('git: there is no branch -x')
    await expect(nothing.newest()).rejects.toThrow(/^git: .*does not appear to be a git repository/)
  })
})

describe('credentials', () => {
  it('reach git without standing on its command line, and are in no message', async () => {
    const home = tempDir()
    const bin = join(home, 'bin')
    mkdirSync(bin)
    const find =
      'for n in 0 1 2 3 4 5 6 7; do eval key=\\$GIT_CONFIG_KEY_$n value=\\$GIT_CONFIG_VALUE_$n; case $key in credential.*.helper) helper=$value;; esac; done'
    const script = `#!/bin/sh\necho "$*" >${home}/args\n${find}\nsh -c "$(printf '%s' "$helper" | cut -c 2-)" >${home}/answer\necho "fatal: no access for geh%20eim and geh eim" >&2; exit 128\n`
    writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
    const environment = { ...toolEnvironment(home), PATH: `${bin}:${process.env['PATH']}` }
    await using tools = new Tools({ environment, timeout: 20_000 })
    const material = materialOf(git('https://ana:geh%20eim@example.com/a.git'))
    const source = await openSource(material, {
      tools,
      folder: home,
      password: null,
      local: allowing(home),
    })

    await expect(source.newest()).rejects.toThrow('fatal: no access for •••••• and ••••••')
    expect(runTool(home, 'cat', 'args')).not.toContain('geh')
    expect(runTool(home, 'cat', 'args')).toContain('https://example.com/a.git')
    expect(runTool(home, 'cat', 'answer')).toBe('username=ana\npassword=geh eim')
  })
})
