// @module-tag long
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../support/disk/temp-folder.ts'
import { documentOf } from '../support/history/history-folder.ts'
import { git, gitBytes } from '../support/git/git.ts'
import { documentWith } from '../support/documents/documents.ts'
import { backUp, placesIn, restoreNew } from '../support/service/backups.ts'
import { save } from '../support/service/saving.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { command } from '../support/programs/command.ts'

const WHO = 'A <a@b> 1400000000 +0000'
/** Authors of commits as other programs have written them. */
const AUTHORS: readonly (readonly [string, string])[] = [
  ['badTimezone', 'A <a@b> 1400000000 --700'],
  ['missingEmail', 'A 1400000000 +0000'],
  ['missingSpaceBeforeDate', 'A <a@b>1400000000 +0000'],
  ['missingSpaceBeforeEmail', 'A<a@b> 1400000000 +0000'],
  ['zeroPaddedDate', 'A <a@b> 01400000000 +0000'],
  ['badDateOverflow', 'A <a@b> 18446744073709551615000 +0000'],
  ['multipleAuthors', `${WHO}\nauthor ${WHO}`],
]
type Entry = readonly [mode: string, name: string, oid: string]

function write(repository: string, type: string, content: string | Buffer): string {
  const args = ['hash-object', '-t', type, '-w', '--literally', '--stdin']
  return gitBytes(repository, args, { input: content }).toString().trim()
}

function writeTree(repository: string, entries: readonly Entry[]): string {
  const parts = entries.flatMap(([mode, name, oid]) => [
    Buffer.from(`${mode} ${name}\0`),
    Buffer.from(oid, 'hex'),
  ])
  return write(repository, 'tree', Buffer.concat(parts))
}

/** Trees as other programs have written them, below one that has the document. */
function treesOf(repository: string, document: string): readonly (readonly [string, string])[] {
  const file: Entry = ['100644', 'config.xml', document]
  const beside = (name: string, ...entries: Entry[]) =>
    [name, writeTree(repository, entries)] as const
  return [
    beside('zeroPaddedFilemode', ['0100644', 'config.xml', document]),
    beside('nullSha1', file, ['160000', 'module', '0'.repeat(40)]),
    beside('fullPathname', ['100644', 'a/b', document], file),
    beside('treeNotSorted', file, ['100644', 'a', document]),
    beside('duplicateEntries', file, file),
    beside('hasDotgit', ['40000', '.git', writeTree(repository, [file])], file),
  ]
}

/** Puts badly formed commits below the newest one of the branch of a stopped service. */
function addMalformed(repository: string): readonly string[] {
  const resolve = (name: string) => git(repository, 'rev-parse', name).trim()
  const [whole, document] = [resolve('HEAD^{tree}'), resolve('HEAD:config.xml')]
  let head = resolve('HEAD')
  const commit = (tree: string, author = WHO) => {
    const lines = [`tree ${tree}`, `parent ${head}`, `author ${author}`, `committer ${WHO}`, '', '']
    head = write(repository, 'commit', lines.join('\n'))
  }
  const trees = treesOf(repository, document)
  for (const [, author] of AUTHORS) commit(whole, author)
  for (const [, tree] of trees) commit(tree)
  commit(whole)
  git(repository, 'update-ref', 'refs/heads/main', head)
  return [...AUTHORS, ...trees].map(([fault]) => fault)
}

async function aStoppedService(): Promise<TestService> {
  const service = await startService()
  expect((await save(service, documentWith('a'))).status).toBe(200)
  await service.close()
  return service
}

describe('a history with objects in another form than that of git', () => {
  it('is served, checked, mended, backed up, restored and cloned, and its faults are named', async () => {
    const { folder, repository } = await aStoppedService()
    const faults = addMalformed(repository)
    const places = placesIn(folder)
    const file = join(tempDir(), 'backup')

    const service = await startService([], folder)
    expect((await save(service, documentWith('b'))).status).toBe(200)
    await service.close()
    const verified = await command(['verify', ...places.slice(0, 2)])
    const mended = await command(['doctor', '--repair', ...places])
    const backup = await backUp(folder, file)
    const restored = await restoreNew(file)
    const clone = tempDir()
    git(clone, 'clone', '--quiet', '--bare', `file://${repository}`, '.')

    for (const { code, stdout, stderr } of [verified, mended, backup, restored]) {
      expect(code).toBe(0)
      for (const fault of faults) expect(stdout + stderr).toContain(`(${fault}: `)
    }
    expect(verified.stdout).toMatch(/^note: 1 object is badly formed .*commit [0-9a-f]{40}$/m)
    expect(git(clone, 'rev-parse', 'main')).toBe(git(repository, 'rev-parse', 'HEAD'))
    const restoredTo = join(restored.folder, 'config-repo')
    expect(git(restoredTo, 'rev-parse', 'HEAD')).toBe(git(repository, 'rev-parse', 'HEAD'))
  })

  it('is damaged where an object of it is missing', async () => {
    const { folder, repository } = await aStoppedService()
    addMalformed(repository)
    const lost = write(repository, 'blob', documentOf('lost'))
    git(repository, 'update-ref', 'refs/tags/lost', lost)
    rmSync(join(repository, '.git/objects', lost.slice(0, 2), lost.slice(2)))

    const verified = await command(['verify', ...placesIn(folder).slice(0, 2)])
    const mended = await command(['doctor', ...placesIn(folder)])

    expect([verified.code, mended.code]).toEqual([1, 1])
    expect(verified.stderr).toContain(lost)
    expect(verified.stderr).not.toContain('badTimezone')
  })
})
