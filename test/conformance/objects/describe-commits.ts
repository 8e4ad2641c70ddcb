import { chmodSync, truncateSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CommitSha } from '../../../src/core/revision.ts'
import type { ObjectFormatName } from '../../../src/core/object-name.ts'
import type { CommitRange, ObjectReader } from '../../../src/git/objects/object-reader.ts'
import type { GitRepository } from '../../support/git/git-repository.ts'
import { absentIn, commitsIn, fileText, type OpenReader, readEach } from './reading.ts'

/** How everything that reads objects of a repository lists its commits. */
export function describeCommits(
  kind: string,
  open: OpenReader,
  objectFormat: ObjectFormatName = 'sha1',
): void {
  const absent = absentIn(objectFormat)
  describe(`commits of an object reader (${kind})`, () => {
    let repository: GitRepository
    let reader: ObjectReader
    readEach(open, objectFormat, (opened, readBy) => {
      repository = opened
      reader = readBy
    })

    const textAt = (commit: CommitSha, path?: string) => fileText(reader, commit, path)
    const list = (range: CommitRange) => commitsIn(reader, range)
    const shas = async (range: CommitRange) => (await list(range)).map(({ sha }) => sha)
    const byGit = (...args: readonly string[]) =>
      repository
        .git('log', '--date-order', '--format=%H', ...args)
        .split('\n')
        .filter(Boolean)

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

    it('lists a line of commits as git does, however long it is and wherever it ends', async () => {
      const line = Array.from({ length: 20 }, (_, n) => repository.commit('config.xml', `${n}\n`))
      const [root = absent, second = absent] = line
      const head = line.at(-1) ?? absent
      repository.git('checkout', '--quiet', '-b', 'side', second)
      const side = repository.commit('side', '1')

      expect(await shas({ from: head, until: null })).toEqual(byGit(head))
      for (const until of [root, second, line.at(-2) ?? absent, head, side]) {
        expect(await shas({ from: head, until })).toEqual(byGit(head, `^${until}`))
        expect(await shas({ from: side, until })).toEqual(byGit(side, `^${until}`))
      }
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

    it('reads messages of any length and characters in a long list as git does', async () => {
      const texts = Array.from({ length: 20 }, (_, n) => 'a\u00eb\u2028\u{1f600}'.repeat(n * 500))
      for (const text of texts) repository.commit('config.xml', text, `Say ${text}`)

      const listed = await list({ from: repository.head(), until: null })

      const subjects = listed.map(({ message }) => message.trimEnd())
      expect(subjects).toEqual(texts.map((text) => `Say ${text}`.trimEnd()).toReversed())
    })

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

      await expect(list({ from: absent, until: null })).rejects.toMatchObject({
        code: 'revision-not-found',
      })
      await expect(list({ from: head, until: absent })).rejects.toMatchObject({
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

      for await (const [commit] of reader.listCommits({ from: head, until: null })) {
        expect(commit?.sha).toBe(head)
        break
      }

      expect(await textAt(head)).toBe('two\n')
    })
  })
}
