import { readdirSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'

/** The kinds of files and folders that a commit makes in `.git`. */
const KINDS: readonly (readonly [string, RegExp])[] = [
  ['folder of objects', /^objects\/[0-9a-f]{2}$/],
  ['object', /^objects\/[0-9a-f]{2}\/[0-9a-f]{38}$/],
  ['pack', /^objects\/pack\/pack-[0-9a-f]+\.(?:pack|idx)$/],
  ['folder of refs', /^refs\/heads\/team$/],
  ['ref', /^refs\/heads\/team\/main$/],
  ['folder of logs', /^logs\/refs\/heads\/team$/],
  ['log', /^logs\/(?:HEAD|refs\/heads\/team\/main)$/],
  ['index', /^index$/],
]

function aRepository(shared: string): HistoryFolder {
  const folder = new HistoryFolder()
  folder.init('team/main')
  folder.git('config', 'core.sharedRepository', shared)
  return folder
}

/** The permission bits of what is in `.git`, by its kind. */
function modesOf(folder: HistoryFolder): Record<string, string[]> {
  const names = readdirSync(folder.file('.git'), { recursive: true, encoding: 'utf8' })
  return Object.fromEntries(
    KINDS.map(([kind, pattern]) => {
      const ours = names.filter((name) => pattern.test(name))
      const modes = ours.map((name) => statSync(folder.file(`.git/${name}`)).mode & 0o7777)
      return [kind, [...new Set(modes.map((mode) => mode.toString(8)))]]
    }),
  )
}

describe('a repository that is shared among users', () => {
  it.each(['umask', 'group', 'true', '1', 'all', '2', '0640', '0660', '0666', '0600'])(
    'gets from saves the permission bits that git gives with %s',
    async (shared) => {
      await using byGit = aRepository(shared)
      for (const name of ['one', 'two', 'three']) byGit.commit(documentOf(name))
      byGit.git('repack', '-d', '--quiet')
      byGit.commit(documentOf('four'))
      await using ours = aRepository(shared)
      const history = await ours.open()
      const many = Array.from({ length: 30 }, (_, n) => save(history, documentOf(`save-${n}`)))
      await Promise.all(many)
      await save(history, documentOf('last'))
      await ours.close()

      expect(modesOf(ours)).toEqual(modesOf(byGit))
      expect(ours.complaints()).toBe('')
    },
  )

  it('is refused with a value that git does not take', async () => {
    await using folder = aRepository('0660')
    folder.commit(documentOf('one'))
    folder.git('config', 'core.sharedRepository', '0060')

    await expect(folder.open()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/"0060" for core.sharedRepository: git takes umask, group/),
    })
  })
})
