// @module-tag long

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { History } from '../../../src/history/history.ts'
import { fastImport } from '../../support/git/fast-import.ts'
import { git, gitBytes, identityOf, tryGit } from '../../support/git/git.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { HOSTILE_COMMITS, writeCommit } from '../../support/history/hostile-commits.ts'
import { HOSTILE_TREES, writeHostileTree } from '../../support/history/hostile-trees.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'
import { bundled } from '../../support/programs/bundle.ts'

const CHECK_PUSH = new URL('../../support/history/check-push.ts', import.meta.url)

function pushCheckOf({ path }: HistoryFolder): string[] {
  return [process.execPath, bundled(CHECK_PUSH), path, process.env.PATH ?? '']
}

describe('a push into the repository', { timeout: 60_000 }, () => {
  let folder: HistoryFolder
  let clone: TempFolder
  let history: History
  beforeEach(async () => {
    folder = new HistoryFolder({ pollInterval: 1000 })
    clone = new TempFolder()
    history = await folder.open({ pushCheck: pushCheckOf(folder) })
    git(clone.path, 'clone', '--quiet', folder.path, '.')
  })
  afterEach(async () => {
    await folder[Symbol.asyncDispose]()
    clone[Symbol.dispose]()
  })

  function commit(document: string): void {
    writeFileSync(clone.file('config.xml'), document)
    const command = ['commit', '--quiet', '--all', '-m', 'Pushed']
    gitBytes(clone.path, command, { env: identityOf('pusher') })
  }

  function push(...args: string[]): { status: number | null; said: string } {
    const { status, stderr } = tryGit(clone.path, ['push', ...args])
    return { status, said: stderr }
  }

  it('that is valid becomes a revision by its author, and the live file follows', async () => {
    commit(documentOf('pushed'))

    expect(push()).toMatchObject({ status: 0 })

    await vi.waitFor(() => expect(history.current().username).toBe('pusher'), { timeout: 10_000 })
    expect(folder.live()).toBe(documentOf('pushed'))
    expect(folder.complaints()).toBe('')
  })

  it('with one commit that is not valid is refused with its place', async () => {
    commit('<cruise\n\n')
    commit(documentOf('repaired'))

    const { status, said } = push()

    expect(status).toBe(1)
    expect(said).toMatch(/Commit [0-9a-f]{10}: config\.xml:3:1: The root element is not closed/)
    expect(folder.git('log', '--format=%an', 'main')).toBe('Upgrade\n')
    expect(folder.complaints()).toBe('')
  })

  it('with a plain secret is refused', () => {
    commit(documentOf('svn password="s3cret"'))

    expect(push().said).toContain('has plain secrets in config.xml')
  })

  it('of a commit that no honest tool makes is refused, and says why', () => {
    const raw = HOSTILE_COMMITS['a time beyond all dates']
    const written = writeCommit(clone.path, 'HEAD', raw)

    const { status, said } = push('origin', `${written}:refs/heads/main`)

    expect(said).toMatch(raw.why)
    expect(said).toContain(`Commit ${written.slice(0, 10)}`)
    expect(status).toBe(1)
  })

  it('that would take revisions away is refused', async () => {
    commit(documentOf('pushed'))
    await save(history, documentOf('saved'))

    expect(push('--force').said).toContain('only moves forward')
    expect(push('origin', ':main').status).toBe(1)
  })

  it('moves forward by commits that are dated before what is there', async () => {
    const names = Array.from({ length: 10 }, (_, n) => `old${n}`)
    await fastImport(
      clone.path,
      names.map((name) => documentOf(name)),
    )

    expect(push()).toMatchObject({ status: 0 })

    await vi.waitFor(() => expect(folder.live()).toBe(documentOf('old9')), { timeout: 10_000 })
  })

  it('to another branch is free', () => {
    commit('<cruise')

    expect(push('origin', 'HEAD:draft')).toMatchObject({ status: 0 })
  })

  it('is left to a hook that was there before', async () => {
    await folder.close()
    const hook = join(folder.path, '.git/hooks/pre-receive')
    mkdirSync(join(folder.path, '.git/hooks'), { recursive: true })
    writeFileSync(hook, '#!/bin/sh\nexit 0\n')

    await folder.open({ pushCheck: ['false'] })

    expect(readFileSync(hook, 'utf8')).toBe('#!/bin/sh\nexit 0\n')
    expect(folder.events.at(-1)).toContain('hook of its own')
  })

  it('finds our hook renewed when the command has changed', async () => {
    await folder.reopen({ pushCheck: ["it's", 'new'] })

    const hook = join(folder.path, '.git/hooks/pre-receive')
    expect(readFileSync(hook, 'utf8')).toContain("exec 'it'\\''s' 'new'")
    expect(statSync(hook).mode & 0o111).toBe(0o111)
  })
})

/** Its tests only add objects that no branch has, and share a history. */
describe('a push of a tree that no honest tool makes is refused', { timeout: 60_000 }, () => {
  let folder: HistoryFolder
  beforeAll(async () => {
    folder = new HistoryFolder()
    await folder.open({ pushCheck: pushCheckOf(folder) })
  })
  afterAll(() => folder[Symbol.asyncDispose]())

  /** Has the hook judge a commit whose objects are there: git itself packs no tree that it cannot read. */
  function judge(pushed: string): { status: number | null; said: string } {
    const input = `${folder.git('rev-parse', 'HEAD').trim()} ${pushed} refs/heads/main\n`
    const cwd = join(folder.path, '.git')
    const { status, stderr } = spawnSync(join(cwd, 'hooks/pre-receive'), { cwd, input })
    return { status, said: stderr.toString() }
  }

  it.each(Object.entries(HOSTILE_TREES))('and says why: %s', (_, tree) => {
    const written = writeHostileTree(folder.path, 'HEAD', tree)

    const { status, said } = judge(written)

    expect(said).toMatch(tree.why)
    expect(said).toContain(`Commit ${written.slice(0, 10)}: `)
    expect(status).toBe(1)
  })

  it('with the folder in which it lies', () => {
    const hostile = writeHostileTree(folder.path, 'HEAD', HOSTILE_TREES['a name with a slash'])
    const blob = folder.git('rev-parse', 'HEAD:config.xml').trim()
    const entries = [
      `100644 blob ${blob}\tconfig.xml`,
      `040000 tree ${folder.git('rev-parse', `${hostile}^{tree}`).trim()}\tdocs`,
    ]
    const input = `${entries.join('\n')}\n`
    const tree = gitBytes(folder.path, ['mktree'], { input }).toString().trim()
    const written = folder.git('commit-tree', tree, '-p', 'HEAD', '-m', 'Hostile').trim()

    expect(judge(written).said).toContain('"docs/" has an entry with the name "a/b"')
  })
})
