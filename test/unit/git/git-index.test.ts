import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  removeStaleIndexLock,
  updateGitIndex,
} from '../../../src/history/repository/update-staging-index.ts'
import { GitRepository } from '../../support/git/git-repository.ts'

/** Moves the branch to a commit of the file as it now is, as the service does, and leaves the index alone. */
function commitPastTheIndex(repository: GitRepository, path: string): string {
  const index = { GIT_INDEX_FILE: repository.file('.git/other-index') }
  if (existsSync(repository.file('.git/refs/heads/main')))
    repository.gitWith(index, 'read-tree', 'HEAD')
  repository.gitWith(index, 'add', path)
  repository.gitWith(index, 'commit', '--quiet', '--message', 'Save')
  return repository.git('rev-parse', `HEAD:${path}`)
}

function update(repository: GitRepository, path: string, options?: { timeoutMs: number }) {
  const oid = commitPastTheIndex(repository, path)
  return updateGitIndex(
    repository.store,
    { workTree: repository.path, path, oid, isExecutable: false },
    options,
  )
}

describe('updateGitIndex', () => {
  it('makes the first commit of a repository clean', async () => {
    using repository = new GitRepository()
    writeFileSync(repository.file('config.xml'), 'one\n')

    expect(await update(repository, 'config.xml')).toBe('updated')

    expect(repository.git('status', '--porcelain')).toBe('')
    expect(repository.git('diff-files', '--name-only')).toBe('')
    expect(readdirSync(repository.gitDir)).not.toContain('index.lock')
  })

  it.each([
    ['2', 'sha1'],
    ['3', 'sha1'],
    ['4', 'sha1'],
    ['2', 'sha256'],
    ['3', 'sha256'],
    ['4', 'sha256'],
  ] as const)(
    'leaves other entries of an index of version %s alone, named by %s',
    async (version, format) => {
      using repository = new GitRepository(format)
      mkdirSync(repository.file('conf'))
      writeFileSync(repository.file('conf/config.xml'), 'one\n')
      for (const name of ['conf.xml', 'conf/a', 'conf/z', 'x'.repeat(250), 'tool']) {
        writeFileSync(repository.file(name), name)
      }
      chmodSync(repository.file('tool'), 0o755)
      repository.git('add', '.')
      repository.git('commit', '--quiet', '--message', 'Start')
      writeFileSync(repository.file('staged'), 'staged\n')
      repository.git('add', 'staged')
      repository.git('rm', '--quiet', '--cached', 'conf/z')
      if (version === '3') repository.git('update-index', '--skip-worktree', 'conf/a')
      else repository.git('update-index', `--index-version=${version}`)
      repository.git('update-index', '--assume-unchanged', 'conf.xml')
      const [before, flags] = [
        repository.git('ls-files', '--stage'),
        repository.git('ls-files', '-v'),
      ]
      const old = repository.git('rev-parse', 'HEAD:conf/config.xml')
      writeFileSync(repository.file('conf/config.xml'), 'two, longer\n')

      expect(await update(repository, 'conf/config.xml')).toBe('updated')

      const now = repository.git('rev-parse', 'HEAD:conf/config.xml')
      expect(repository.git('ls-files', '--stage')).toBe(before.replace(old, now))
      expect(repository.git('ls-files', '-v')).toBe(flags)
      const status = repository.git('status', '--porcelain').split('\n')
      expect(status.toSorted()).toEqual(['?? conf/z', 'A  staged', 'D  conf/z'])
      expect(repository.fsck()).toBe('')
    },
  )

  it('keeps an edit visible that was made after the commit', async () => {
    using repository = new GitRepository()
    writeFileSync(repository.file('config.xml'), 'one\n')
    const oid = commitPastTheIndex(repository, 'config.xml')
    writeFileSync(repository.file('config.xml'), 'two\n')

    const committed = { workTree: repository.path, path: 'config.xml', oid, isExecutable: false }
    expect(await updateGitIndex(repository.store, committed)).toBe('updated')

    expect(repository.git('status', '--porcelain')).toBe(' M config.xml')
  })

  it('keeps a removed file visible', async () => {
    using repository = new GitRepository()
    writeFileSync(repository.file('config.xml'), 'one\n')
    const oid = commitPastTheIndex(repository, 'config.xml')
    rmSync(repository.file('config.xml'))

    const committed = { workTree: repository.path, path: 'config.xml', oid, isExecutable: false }
    expect(await updateGitIndex(repository.store, committed)).toBe('updated')

    expect(repository.git('status', '--porcelain')).toBe(' D config.xml')
  })

  it('ends a conflict of that file', async () => {
    using repository = new GitRepository()
    repository.commit('config.xml', 'base\n')
    repository.git('checkout', '--quiet', '-b', 'side')
    repository.commit('config.xml', 'side\n')
    repository.git('checkout', '--quiet', 'main')
    repository.commit('config.xml', 'main\n')
    expect(() => repository.git('merge', 'side')).toThrow('CONFLICT')
    repository.git('update-ref', '-d', 'MERGE_HEAD')
    writeFileSync(repository.file('config.xml'), 'merged\n')

    expect(await update(repository, 'config.xml')).toBe('updated')

    expect(repository.git('status', '--porcelain')).toBe('')
  })

  it('leaves the index to a git command that keeps it', async () => {
    using repository = new GitRepository()
    writeFileSync(repository.file('config.xml'), 'one\n')
    writeFileSync(repository.file('.git/index.lock'), '')

    expect(await update(repository, 'config.xml', { timeoutMs: 10 })).toBe('busy')
    await removeStaleIndexLock(repository.store)

    expect(existsSync(repository.file('.git/index.lock'))).toBe(true)
  })

  it('removes a lock that a crash of ours left', async () => {
    using repository = new GitRepository()
    writeFileSync(repository.file('.git/.draft-0123456789abcdef'), 'half')
    linkSync(repository.file('.git/.draft-0123456789abcdef'), repository.file('.git/index.lock'))

    await removeStaleIndexLock(repository.store)

    expect(readdirSync(repository.gitDir).filter((name) => /lock|draft/.test(name))).toEqual([])
  })

  it('leaves an index alone that only git understands', async () => {
    using repository = new GitRepository()
    repository.commit('config.xml', 'one\n')
    repository.git('update-index', '--split-index')
    appendFileSync(repository.file('config.xml'), 'two\n')

    expect(await update(repository, 'config.xml')).toBe('unknown')

    expect(repository.git('status', '--porcelain')).toBe('MM config.xml')
  })
})
