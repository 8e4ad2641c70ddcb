import { describe, expect, it } from 'vitest'
import type { HistoryOptions } from '../../../src/history/history.ts'
import { findUnfit } from '../../../src/history/revision/commit-limits.ts'
import { git, gitBytes } from '../../support/git/git.ts'
import { HistoryFolder, documentOf } from '../../support/history/history-folder.ts'
import { HOSTILE_COMMITS, writeCommit } from '../../support/history/hostile-commits.ts'

const READERS: readonly Partial<HistoryOptions>[] = [{}, { programPath: null }]

function repository(): HistoryFolder {
  const folder = new HistoryFolder()
  folder.init()
  folder.commit(documentOf('one'))
  return folder
}

describe('what is looked for in a commit that somebody brings', () => {
  it.each(Object.entries(HOSTILE_COMMITS))('finds %s', async (_, raw) => {
    await using folder = repository()

    const content = gitBytes(folder.path, [
      'cat-file',
      'commit',
      writeCommit(folder.path, 'HEAD', raw),
    ])

    expect(findUnfit(new Uint8Array(content)).join('; ')).toMatch(raw.why)
  })

  it.each([
    ['an author of another script', { author: 'Łukasz Żółć 株式会社 <l@example.org> 1 +1400' }],
    ['a message of lines that end as on Windows', { message: 'One\r\n\r\nTwo\tand three\r\n' }],
    ['no message', { message: '' }],
    ['another encoding', { header: 'encoding ISO-8859-1', message: Buffer.from([0xe4, 0x0a]) }],
    ['an author without a name', { author: ' <l@example.org> 1700000000 -0330' }],
  ])('takes %s', async (_, raw) => {
    await using folder = repository()

    const content = gitBytes(folder.path, [
      'cat-file',
      'commit',
      writeCommit(folder.path, 'HEAD', raw),
    ])

    expect(findUnfit(new Uint8Array(content))).toEqual([])
  })

  it('is made sane alike with and without the git program', { tags: ['long'] }, async () => {
    await using folder = repository()
    let head = git(folder.path, 'rev-parse', 'HEAD').trim()
    for (const raw of Object.values(HOSTILE_COMMITS)) head = writeCommit(folder.path, head, raw)
    git(folder.path, 'update-ref', 'refs/heads/main', head)

    const [withGit, without] = await Promise.all(
      READERS.map(async (options) => {
        await using copy = new HistoryFolder(options)
        copy.init()
        copy.git('pull', '--quiet', folder.path, 'main')
        const history = await copy.open()
        return history.list({ offset: 0, limit: 100 })
      }),
    )

    expect(without).toEqual(withGit)
    expect(without).toHaveLength(1 + Object.keys(HOSTILE_COMMITS).length)
  })
})
