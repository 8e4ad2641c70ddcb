// @module-tag long
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../../src/core/digest.ts'
import type { History, HistoryOptions } from '../../../src/history/history.ts'
import { fastImport } from '../../support/git/fast-import.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { cloneRealHistory } from '../../support/documents/config-corpus.ts'
import { SHARED_DATA } from '../../support/programs/shared-data.ts'

/** Takes every document for valid: what real documents mean is not this room's business. */
const lenient: Partial<HistoryOptions> = {
  fileName: 'cruise-config.xml',
  inspect: async (document) => ({ ok: true, document, schemaVersion: 75 }),
}

const READERS: readonly { reader: string; defaults: Partial<HistoryOptions> }[] = [
  { reader: 'the git program', defaults: {} },
  { reader: 'the git program, by SHA-256', defaults: { objectFormat: 'sha256' } },
  { reader: 'isomorphic-git', defaults: { programPath: null } },
]

function all(history: History) {
  return history.list({ offset: 0, limit: history.size() })
}

/** The real one names its objects by SHA-1. */
const OF_ITS_FORMAT = READERS.filter(({ defaults }) => defaults.objectFormat === undefined)

describe.each(OF_ITS_FORMAT)('adopting a repository with $reader', ({ defaults }) => {
  it.runIf(SHARED_DATA !== null)(
    'takes every commit of a real one with its user, its time and the digest of its bytes',
    { tags: ['long'] },
    async () => {
      await using folder = new HistoryFolder({ ...lenient, ...defaults })
      cloneRealHistory(folder.path)
      const head = folder.git('rev-parse', 'HEAD')

      const history = await folder.open()

      const revisions = all(history)
      expect(revisions.map(({ commit }) => commit)).toEqual(
        folder.git('log', '--date-order', '--format=%H').trim().split('\n'),
      )
      expect(revisions).toHaveLength(551)
      const recorded = revisions.map(({ username, time, digest }) => ({ username, time, digest }))
      const different = recordedIn(folder).filter(
        (facts, place) => JSON.stringify(facts) !== JSON.stringify(recorded[place]),
      )
      expect(different).toEqual([
        { username: 'gunnarx', time: 1_450_735_164_000, digest: undefined },
        // Committed a second time by another tool, with the message of another document.
        {
          username: 'Filesystem',
          time: 1_449_523_626_397,
          digest: '2295fd03d6186c62981b066fab794c6e',
        },
      ])
      for (const revision of revisions) {
        expect(digestOf(await history.readDocument(revision))).toBe(revision.digest)
      }
      expect(folder.git('rev-parse', 'HEAD')).toBe(head)
      expect(folder.complaints()).toBe('')
    },
  )
})

describe.each(READERS)('adopting a repository with $reader', ({ defaults }) => {
  it('goes on where it was, on its own branch, under its own file name', async () => {
    await using folder = new HistoryFolder(defaults)
    folder.init('trunk')
    folder.commit(documentOf('one'))
    folder.commit('not valid')
    folder.commit(documentOf('two'))

    const history = await folder.open()
    await save(history, documentOf('three'))

    expect(all(history).map(({ username }) => username)).toEqual(['ana', 'native', 'native'])
    expect(folder.git('log', '--format=%an', 'trunk')).toBe('ana\nnative\nnative\nnative\n')
    expect(folder.complaints()).toBe('')
  })

  it('takes user, time and versions from a message of the original, whoever committed it when', async () => {
    await using folder = new HistoryFolder(defaults)
    folder.init()
    folder.commit(documentOf('one'), originalMessage(documentOf('one')).replace(':ana|', ':a||b|'))
    const another = originalMessage(documentOf('no document of this history'))
    folder.commit(documentOf('two'), another)

    const history = await folder.open()

    const facts = { time: 1_450_718_883_389, serverEdition: 'OpenSource', serverVersion: '15.2.0' }
    expect(all(history)).toMatchObject([
      { ...facts, username: 'ana', digest: digestOf(Buffer.from(documentOf('two'))) },
      { ...facts, username: 'a|b', digest: digestOf(Buffer.from(documentOf('one'))) },
    ])
  })

  it('takes the digest of the bytes where the original recorded that of an earlier document', async () => {
    await using folder = new HistoryFolder(defaults)
    folder.init()
    folder.commit(documentOf('first'), originalMessage(documentOf('first')))
    const documents = Array.from({ length: 1_200 }, (_, n) => documentOf(`number-${n}`))
    const recordedFor = new Map([
      [3, documents[2]],
      [700, documents[650]],
      [1_199, documentOf('no document of this history')],
    ])
    const messageOf = (n: number) => originalMessage(recordedFor.get(n) ?? documents[n] ?? '')
    await fastImport(folder.path, documents, { messageOf })
    folder.git('reset', '--hard')

    const history = await folder.open()

    const revisions = all(history).toReversed().slice(1)
    const digests = documents.map((document) => digestOf(Buffer.from(document)))
    const wrong = [...digests.keys()].filter((n) => revisions[n]?.digest !== digests[n])
    expect(wrong).toEqual([])
    expect(new Set(revisions.map(({ username }) => username))).toEqual(new Set(['ana']))
    expect(digests.filter((digest) => history.find(digest) === null)).toEqual([])
    expect(history.problem()).toBeNull()
  })

  it('commits the file of a repository that has other commits only', async () => {
    await using folder = new HistoryFolder(defaults)
    folder.init()
    folder.git('commit', '--allow-empty', '-qm', 'Begin')
    folder.write(documentOf('mine'))

    const history = await folder.open()

    expect(all(history).map(({ username }) => username)).toEqual(['Upgrade'])
    expect(folder.git('log', '--format=%s')).toContain('Begin')
    expect(folder.complaints()).toBe('')
  })

  it('makes no file of its own where the repository has commits without one', async () => {
    await using folder = new HistoryFolder(defaults)
    folder.init()
    folder.git('commit', '--allow-empty', '-qm', 'Begin')

    await expect(folder.open()).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('reads the whole history, whatever is grafted', async () => {
    await using folder = new HistoryFolder(defaults)
    folder.init()
    for (const name of ['one', 'two', 'three']) folder.commit(documentOf(name))
    folder.write(`${folder.git('rev-parse', 'HEAD~1').trim()}\n`, '.git/info/grafts')

    const history = await folder.open()

    expect(history.size()).toBe(3)
  })

  it('reads the whole history, whatever is said to be shallow', async () => {
    await using folder = new HistoryFolder(defaults)
    folder.init()
    for (const name of ['one', 'two', 'three']) folder.commit(documentOf(name))
    folder.write(folder.git('rev-parse', 'HEAD~1'), '.git/shallow')

    const history = await folder.open()
    await save(history, documentOf('four'))

    expect(history.size()).toBe(4)
  })

  it('refuses a history whose older commits are not there, and says how they come', async () => {
    await using origin = new HistoryFolder(defaults)
    origin.init()
    for (const name of ['one', 'two', 'three']) origin.commit(documentOf(name))
    await using folder = new HistoryFolder(defaults)
    folder.init()
    const source = `file://${origin.path}`
    folder.git('fetch', '--quiet', '--depth', '2', source, 'HEAD')
    folder.git('reset', '--quiet', '--hard', 'FETCH_HEAD')

    await expect(folder.open()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/shallow.*git fetch --unshallow/),
    })
    folder.git('fetch', '--quiet', '--unshallow', source)

    expect((await folder.open()).size()).toBe(3)
  })

  it('takes an edit that nobody has committed', async () => {
    await using folder = new HistoryFolder(defaults)
    folder.init()
    folder.commit(documentOf('one'))
    folder.write(documentOf('edited'))

    const history = await folder.open()

    expect(all(history).map(({ username }) => username)).toEqual(['Filesystem', 'native'])
    expect(folder.complaints()).toBe('')
  })

  it('replaces plain secrets in a commit on top of it, by Upgrade', async () => {
    await using folder = new HistoryFolder(defaults)
    folder.init()
    folder.commit(documentOf('svn password="s3cret"'))

    const history = await folder.open()

    expect(all(history).map(({ username }) => username)).toEqual(['Upgrade', 'native'])
    expect(folder.live()).toBe(documentOf('svn encryptedPassword="sealed"'))
  })

  it('lets a push move the live file, unless somebody has set otherwise', async () => {
    await using folder = new HistoryFolder(defaults)
    folder.init()
    folder.commit(documentOf('one'))
    folder.git('config', 'core.autocrlf', 'input')

    await folder.open()

    expect(folder.git('config', 'receive.denyCurrentBranch')).toBe('updateInstead\n')
    expect(folder.git('config', 'receive.hideRefs')).toBe('refs/proposals\n')
    expect(folder.git('config', 'core.autocrlf')).toBe('input\n')
  })
})

/** A message of the original that records this document. */
function originalMessage(document: string): string {
  const facts = 'user:ana|timestamp:1450718883389|schema_version:139|go_edition:OpenSource'
  return `${facts}|go_version:15.2.0|md5:${digestOf(Buffer.from(document))}`
}

/** The revisions in the messages of the original, read independently. */
function recordedIn(folder: HistoryFolder) {
  const log = folder.git('log', '--date-order', '--format=%an%x00%at%x00%s').trim()
  return log.split('\n').map((line) => {
    const [author = '', seconds = '', subject = ''] = line.split('\0')
    const [, user, time, digest] =
      /^user:(.*?)\|timestamp:(\d+)\|.*\|md5:([0-9a-f]{32})$/.exec(subject) ?? []
    return { username: user ?? author, time: Number(time ?? Number(seconds) * 1000), digest }
  })
}
