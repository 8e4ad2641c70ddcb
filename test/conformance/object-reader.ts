import { spawn } from 'node:child_process'
import { chmodSync, truncateSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CommitSha } from '../../src/core/revision.ts'
import type { CommitRange, CommitRecord, ObjectReader } from '../../src/history/object-reader.ts'
import { GitRepository } from '../support/git-repository.ts'

const ABSENT = CommitSha.parse('0123456789abcdef0123456789abcdef01234567')

/** What git itself puts away, and how a reader of history may find it. */
const STORAGES: Record<string, (repository: GitRepository) => void> = {
  loose: () => undefined,
  packed: (repository) => repository.git('gc', '--quiet'),
  'partly packed': (repository) => {
    repository.git('repack', '-d', '--quiet')
    repository.commit('config.xml', 'after the pack\n')
  },
}

/** What everything that reads objects of a repository has to honour. */
export function describeObjectReader(
  kind: string,
  open: (repository: GitRepository) => Promise<ObjectReader>,
): void {
  describe(`object reader (${kind})`, () => {
    let repository: GitRepository
    let reader: ObjectReader
    beforeEach(async () => {
      repository = new GitRepository()
      reader = await open(repository)
    })
    afterEach(async () => {
      await reader[Symbol.asyncDispose]()
      repository[Symbol.dispose]()
    })

    const textAt = async (commit: CommitSha, path = 'config.xml') => {
      const bytes = await reader.findFile(commit, path)
      return bytes === null ? null : Buffer.from(bytes).toString('latin1')
    }
    const list = async (range: CommitRange) => {
      const commits: CommitRecord[] = []
      for await (const commit of reader.listCommits(range)) commits.push(commit)
      return commits
    }
    const shas = async (range: CommitRange) => (await list(range)).map(({ sha }) => sha)
    const byGit = (...args: readonly string[]) =>
      repository
        .git('log', '--date-order', '--format=%H', ...args)
        .split('\n')
        .filter(Boolean)

    describe.each(Object.entries(STORAGES))('over %s objects', (_, store) => {
      it('finds a file as it was at every commit, byte for byte', async () => {
        const texts = ['one\n', '', 'caf\xe9\0\r\n', 'x'.repeat(200_000), 'one\n']
        const commits = texts.map((text, n) => {
          repository.commit('count', `${n}`)
          return repository.commit('config.xml', Buffer.from(text, 'latin1'))
        })
        store(repository)

        const found = await Promise.all(commits.map((commit) => textAt(commit)))

        expect(found.map((text) => text?.length)).toEqual(texts.map((text) => text.length))
        expect(found).toEqual(texts)
      }, 60_000)

      it('lists what git log lists, with the same facts', async () => {
        for (const name of ['a', 'b', 'c'])
          repository.commit(name, name, `Add ${name}\n\nWith a body\n`)
        store(repository)
        const head = repository.head()
        const format = '--format=%H|%P|%an|%at|%cn|%ce|%ct|%B'

        const found = await list({ from: head, until: null })

        const lines = found.map(({ sha, parents, author, time, committer: by, message }) =>
          [
            sha,
            parents.join(' '),
            author,
            time / 1000,
            by.name,
            by.email,
            by.time / 1000,
            message,
          ].join('|'),
        )
        expect(lines.join('\n').trimEnd()).toBe(repository.git('log', format).trimEnd())
        expect(await reader.findCommit(head)).toEqual(found[0])
      })
    })

    it('finds files in folders, and with names that git reads in its own way', async () => {
      const names = ['a b.xml', 'caf\u00e9.xml', 'conf:x', '-config', 'HEAD']
      for (const name of names) repository.commit(`./${name}`, name)
      repository.git(
        'update-index',
        '--add',
        '--cacheinfo',
        `100644,${blobOf(repository, 'deep')},conf/a/b.xml`,
      )
      repository.git(
        'update-index',
        '--add',
        '--cacheinfo',
        `100644,${blobOf(repository, 'odd')},odd\nname`,
      )
      repository.git('commit', '--quiet', '--message', 'More')
      const head = repository.head()

      const found = await Promise.all(names.map((name) => textAt(head, name)))

      expect(found).toEqual(names.map((name) => Buffer.from(name).toString('latin1')))
      expect(await textAt(head, 'conf/a/b.xml')).toBe('deep')
      expect(await textAt(head, 'odd\nname')).toBe('odd')
    })

    it('finds nothing where there is no such file, folder or commit', async () => {
      repository.git(
        'update-index',
        '--add',
        '--cacheinfo',
        `100644,${blobOf(repository, 'x')},conf/x`,
      )
      repository.git('commit', '--quiet', '--message', 'Add')
      const head = repository.head()
      const blob = CommitSha.parse(blobOf(repository, 'x'))
      const paths = [
        'none',
        'conf',
        'conf/none',
        'conf/x/y',
        '',
        './conf/x',
        '../conf/x',
        'conf/',
        '/conf/x',
      ]

      const found = await Promise.all(paths.map((path) => textAt(head, path)))

      expect(found).toEqual(paths.map(() => null))
      expect(await textAt(ABSENT, 'conf/x')).toBeNull()
      expect(await textAt(blob, 'conf/x')).toBeNull()
      expect(await reader.findCommit(ABSENT)).toBeNull()
      expect(await reader.findCommit(blob)).toBeNull()
      expect(await reader.findObject(ABSENT)).toBeNull()
    })

    it('gives raw objects of every type', async () => {
      const head = repository.commit('config.xml', 'one\n')
      const [tree = '', blob = ''] = ['HEAD^{tree}', 'HEAD:config.xml'].map((name) =>
        repository.git('rev-parse', name),
      )

      const found = await Promise.all([head, tree, blob].map((oid) => reader.findObject(oid)))

      expect(found.map((object) => object?.type)).toEqual(['commit', 'tree', 'blob'])
      expect(Buffer.from(found[2]?.content ?? '').toString()).toBe('one\n')
    })

    it('sees commits that were made after it was opened, loose and packed', async () => {
      const first = repository.commit('config.xml', 'one\n')
      expect(await textAt(first)).toBe('one\n')

      const second = repository.commit('config.xml', 'two\n')
      expect(await textAt(second)).toBe('two\n')
      const third = repository.commit('config.xml', 'three\n')
      repository.git('gc', '--quiet')

      expect(await textAt(third)).toBe('three\n')
      expect(await textAt(first)).toBe('one\n')
    })

    it('answers questions while git replaces packs again and again', async () => {
      const commits = Array.from({ length: 12 }, (_, n) =>
        repository.commit('config.xml', `document ${n}\n`),
      )
      repository.git('gc', '--quiet')
      const script = 'for n in 1 2 3 4 5 6; do git repack -a -d -f -q --window=$n; done'
      const child = spawn('sh', ['-c', script], { cwd: repository.path, stdio: 'ignore' })
      const over = new Promise((resolve) => child.once('close', resolve))

      const wrong: unknown[] = []
      try {
        while (child.exitCode === null && child.signalCode === null) {
          const texts = await Promise.all(commits.map((commit) => textAt(commit)))
          wrong.push(...texts.filter((text, n) => text !== `document ${n}\n`))
        }
      } finally {
        await over
      }

      expect(wrong).toEqual([])
    })

    it('finds an object in a pack that took the place of one it had opened', async () => {
      const commits = Array.from({ length: 3 }, (_, n) =>
        repository.commit('config.xml', `document ${n}\n`),
      )
      repository.git('repack', '-a', '-d', '--quiet')
      const [first, ...others] = commits
      expect(first && (await textAt(first))).toBe('document 0\n')

      repository.git('repack', '-a', '-d', '-f', '--quiet', '--depth=1')
      const packs = repository.git('count-objects', '-v')

      expect(packs).toContain('packs: 1')
      expect(await Promise.all(others.map((commit) => textAt(commit)))).toEqual([
        'document 1\n',
        'document 2\n',
      ])
    })

    it('lists a range of a history with merges as git does', async () => {
      const root = repository.commit('config.xml', 'root\n')
      repository.git('checkout', '--quiet', '-b', 'side')
      const side = repository.commit('side', '1')
      repository.git('checkout', '--quiet', 'main')
      const middle = repository.commit('config.xml', 'middle\n')
      repository.git('merge', '--quiet', '--no-edit', 'side')
      const head = repository.commit('config.xml', 'head\n')

      expect(await shas({ from: head, until: null })).toEqual(byGit(head))
      for (const until of [root, side, middle, head]) {
        expect(await shas({ from: head, until })).toEqual(byGit(head, `^${until}`))
      }
      expect(await shas({ from: root, until: head })).toEqual([])
    })

    it('lists children before parents although the clock went backwards', async () => {
      for (const seconds of [5000, 3000, 4000, 1000]) {
        const tree = repository.run(['mktree'], '')
        const parents = repository.git('for-each-ref', '--format=-p%(objectname)')
        const content = `tree ${tree}\n${parents.replace('-p', 'parent ')}${parents && '\n'}author A <a> ${seconds} +0000\ncommitter A <a> ${seconds} +0000\n\nAt ${seconds}\n`
        const commit = repository.run(['hash-object', '-t', 'commit', '-w', '--stdin'], content)
        repository.git('update-ref', 'refs/heads/main', commit)
      }

      const found = await list({ from: repository.head(), until: null })

      expect(found.map(({ time }) => time)).toEqual([1_000_000, 4_000_000, 3_000_000, 5_000_000])
    })

    it.each(['a\u2028b', 'Zo\u00eb <zoe@', 'tab\there', 'O\u2019Neil \u{1f600}'])(
      'reads the author and the message with %j in them as git does',
      async (text) => {
        repository.commit('config.xml', 'one\n', `${text}\n\n${text}`)
        repository.git(
          'commit',
          '--quiet',
          '--amend',
          '--no-edit',
          `--author=${text.replaceAll('<', '')} <z@example.org>`,
        )
        const head = repository.head()

        const [listed] = await list({ from: head, until: null })

        expect(listed?.author).toBe(repository.git('log', '-1', '--format=%an'))
        expect(listed?.message).toBe(`${text}\n\n${text}\n`)
        expect(await reader.findCommit(head)).toEqual(listed)
      },
    )

    it('reads a commit that is written in another encoding', async () => {
      const tree = repository.run(['mktree'], '')
      const content = `tree ${tree}\nauthor Jos\xe9 <j> 1 +0000\ncommitter Jos\xe9 <j> 1 +0000\nencoding ISO-8859-1\n\nca\xf1a\n`
      const oid = repository.run(
        ['hash-object', '-t', 'commit', '-w', '--stdin'],
        Buffer.from(content, 'latin1'),
      )
      const sha = CommitSha.parse(oid)

      const [listed] = await list({ from: sha, until: null })

      expect(listed).toMatchObject({ author: 'Jos\u00e9', message: 'ca\u00f1a\n' })
      expect(await reader.findCommit(sha)).toEqual(listed)
    })

    it('takes no replacement for an object', async () => {
      const first = repository.commit('config.xml', 'one\n')
      const second = repository.commit('config.xml', 'two\n')
      repository.git('replace', first, second)

      expect(await textAt(first)).toBe('one\n')
    })

    it('says so when an end of the range is not there', async () => {
      const head = repository.commit('config.xml', 'one\n')

      await expect(list({ from: ABSENT, until: null })).rejects.toMatchObject({
        code: 'revision-not-found',
      })
      await expect(list({ from: head, until: ABSENT })).rejects.toMatchObject({
        code: 'revision-not-found',
      })
    })

    it.each([0, 20, 400])(
      'fails on an object cut short after %i bytes, and then goes on',
      async (kept) => {
        const random = Array.from({ length: 900 }, (_, n) => `${(n * 7919) % 1000}`).join('')
        const head = repository.commit('config.xml', random)
        const other = repository.commit('config.xml', 'two\n')
        const oid = repository.git('rev-parse', `${head}:config.xml`)
        const file = `${repository.gitDir}/objects/${oid.slice(0, 2)}/${oid.slice(2)}`
        chmodSync(file, 0o600)
        truncateSync(file, kept)

        await expect(reader.findFile(head, 'config.xml')).rejects.toThrow(/./)
        expect(await textAt(other)).toBe('two\n')
      },
    )

    it('stops listing when the caller has seen enough', async () => {
      repository.commit('config.xml', 'one\n')
      const head = repository.commit('config.xml', 'two\n')

      for await (const commit of reader.listCommits({ from: head, until: null })) {
        expect(commit.sha).toBe(head)
        break
      }

      expect(await textAt(head)).toBe('two\n')
    })
  })
}

function blobOf(repository: GitRepository, content: string): string {
  return repository.run(['hash-object', '-w', '--stdin'], content)
}
