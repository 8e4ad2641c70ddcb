import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { requireGit } from '../../../src/git/run-git.ts'
import { CatFileReader } from '../../../src/git/readers/cat-file-reader.ts'
import { openObjectReader } from '../../../src/git/readers/open-object-reader.ts'
import { GitRepository } from '../../support/git/git-repository.ts'
import { StuckGit } from '../../support/git/stuck-git.ts'
import { bundled } from '../../support/programs/bundle.ts'
import { until } from '../../support/programs/until.ts'

const PROGRAM = new URL('../../support/history/reading-program.ts', import.meta.url)

function openReader({ store }: GitRepository) {
  return openObjectReader({ ...store, path: process.env['PATH'] })
}

/** A reader that waits for git for a moment only. */
async function openHasty({ store }: GitRepository, path = process.env['PATH']) {
  return new CatFileReader(await requireGit(path), store, { format: store.format, silenceMs: 200 })
}

/** The processes that this one has started. */
function children(): readonly number[] {
  const text = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}

async function textAt(
  reader: Awaited<ReturnType<typeof openReader>>,
  commit: Parameters<typeof reader.findFile>[0],
) {
  const bytes = await reader.findFile(commit, 'config.xml')
  return Buffer.from(bytes ?? 'nothing').toString()
}

describe('a reader through git', () => {
  it('uses one process for many questions, and another one when that was killed', async () => {
    using repository = new GitRepository()
    const commit = repository.commit('config.xml', 'one\n')
    await using reader = await openReader(repository)
    await Promise.all(Array.from({ length: 20 }, () => textAt(reader, commit)))
    const [first, ...others] = children()

    process.kill(first ?? 0, 'SIGKILL')
    const texts = await Promise.all(Array.from({ length: 20 }, () => textAt(reader, commit)))

    expect(others).toEqual([])
    expect(new Set(texts)).toEqual(new Set(['one\n']))
    expect(children()).not.toContain(first)
  })

  it('ends its process when it is disposed, and answers no more', async () => {
    using repository = new GitRepository()
    const commit = repository.commit('config.xml', 'one\n')
    const reader = await openReader(repository)
    await textAt(reader, commit)

    await reader[Symbol.asyncDispose]()

    expect(children()).toEqual([])
    await expect(textAt(reader, commit)).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('uses another process when one hangs, and ends that', async () => {
    using repository = new GitRepository()
    const commit = repository.commit('config.xml', 'one\n')
    await using reader = await openHasty(repository)
    await textAt(reader, commit)
    const [first = 0] = children()

    process.kill(first, 'SIGSTOP')
    const texts = await Promise.all(Array.from({ length: 20 }, () => textAt(reader, commit)))

    expect(new Set(texts)).toEqual(new Set(['one\n']))
    await expect.poll(() => children()).not.toContain(first)
  })

  it('says that git does not answer when each process hangs, to all who wait at once', async () => {
    using repository = new GitRepository()
    const commit = repository.commit('config.xml', 'one\n')
    const stuck = new StuckGit('cat-file')
    await using reader = await openHasty(repository, stuck.path)

    const asked = Array.from({ length: 200 }, () => textAt(reader, commit))
    const failures = await Promise.allSettled(asked)

    const message = 'The repository cannot be read: git does not answer'
    for (const failure of failures)
      expect(failure).toMatchObject({ reason: { code: 'unavailable', message } })
  })

  it(
    'waits but a moment for a git that hangs once it is in a hurry',
    { tags: ['long'] },
    async () => {
      using repository = new GitRepository()
      const commit = repository.commit('config.xml', 'one\n')
      const stuck = new StuckGit('cat-file')
      await using reader = await openObjectReader({ ...repository.store, path: stuck.path })
      const asked = textAt(reader, commit).catch(String)
      await until(() => stuck.isStuck)
      const before = performance.now()

      reader.hurry()

      expect(await asked).toContain('git does not answer')
      expect(performance.now() - before).toBeLessThan(15_000)
    },
  )

  it('is disposed while its process hangs', async () => {
    using repository = new GitRepository()
    const commit = repository.commit('config.xml', 'one\n')
    const reader = await openReader(repository)
    await textAt(reader, commit)
    const [first = 0] = children()

    process.kill(first, 'SIGSTOP')
    await reader[Symbol.asyncDispose]()

    expect(children()).toEqual([])
  })

  it('neither keeps a program alive nor listens to the variables that it was started with', () => {
    using repository = new GitRepository()
    const commit = repository.commit('config.xml', 'one\n')
    const nowhere = { GIT_DIR: '/nowhere', GIT_OBJECT_DIRECTORY: '/nowhere', GIT_WORK_TREE: '/' }

    const args = [bundled(PROGRAM), repository.gitDir, commit, 'config.xml']
    const options = { env: { ...process.env, ...nowhere }, timeout: 20_000 }

    expect(execFileSync(process.execPath, args, options).toString()).toBe('one\n')
  })

  it('says in one line what is wrong with a folder that is no repository', async () => {
    using repository = new GitRepository()
    const commit = repository.commit('config.xml', 'one\n')
    const store = { ...repository.store, gitDir: repository.file('none') }
    await using reader = await openObjectReader({ ...store, path: process.env['PATH'] })

    await expect(textAt(reader, commit)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /^The repository cannot be read: its folder is not a git repository/,
      ),
    })
  })
})
