import { spawn } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { CommitSha } from '../../../src/core/revision.ts'
import type { ObjectFormatName } from '../../../src/core/object-name.ts'
import type { CommitRange, ObjectReader } from '../../../src/git/objects/object-reader.ts'
import type { GitRepository } from '../../support/git/git-repository.ts'
import { absentIn, blobOf, commitsIn, fileText, type OpenReader, readEach } from './reading.ts'

/** The ways in which git stores objects, as a reader of history may find them. */
const STORAGES: Record<string, (repository: GitRepository) => void> = {
  loose: () => undefined,
  packed: (repository) => repository.git('gc', '--quiet'),
  'partly packed': (repository) => {
    repository.git('repack', '-d', '--quiet')
    repository.commit('config.xml', 'after the pack\n')
  },
}

/** Describes a reader of the objects of a repository. */
export function describeObjects(
  kind: string,
  open: OpenReader,
  objectFormat: ObjectFormatName = 'sha1',
): void {
  const absent = absentIn(objectFormat)
  describe(`object reader (${kind})`, () => {
    let repository: GitRepository
    let reader: ObjectReader
    readEach(open, objectFormat, (opened, readBy) => {
      repository = opened
      reader = readBy
    })

    const textAt = (commit: CommitSha, path?: string) => fileText(reader, commit, path)
    const list = (range: CommitRange) => commitsIn(reader, range)

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
      expect(await textAt(absent, 'conf/x')).toBeNull()
      expect(await textAt(blob, 'conf/x')).toBeNull()
      expect(await reader.findCommit(absent)).toBeNull()
      expect(await reader.findCommit(blob)).toBeNull()
      expect(await reader.findObject(absent)).toBeNull()
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
  })
}
