// @module-tag long
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { backUp, checkCodes, placesIn, restoreNew } from '../support/service/backups.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git, gitBytes, gitLine } from '../support/git/git.ts'
import { saved } from '../support/service/saved-digest.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { mayMount, SmallDisk } from '../support/disk/small-disk.ts'
import { start } from '../support/programs/start.ts'
import { StuckGit } from '../support/git/stuck-git.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { until } from '../support/programs/until.ts'

const HOOK = '.git.draft-restored/hooks/post-index-change'
const WIDTH = 10
const DEPTH = 7

async function aStoppedService(): Promise<TestService> {
  const service = await startService()
  await saved(service, 'one')
  await service.close()
  return service
}

function treeOf(repository: string, lines: readonly string[]): string {
  return gitBytes(repository, ['mktree'], { input: lines.join('') })
    .toString()
    .trim()
}

/** Commits a folder beside the document that names ten million files in eight objects. */
function commitManyFiles(repository: string): void {
  const names = Array.from({ length: WIDTH }, (_, n) => `n${n}`)
  const blob = gitLine(repository, 'rev-parse', 'HEAD:config.xml')
  let entry = `100644 blob ${blob}`
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const lines = names.map((name) => `${entry}\t${name}\n`)
    entry = `040000 tree ${treeOf(repository, lines)}`
  }
  const root = treeOf(repository, [`100644 blob ${blob}\tconfig.xml\n`, `${entry}\tmany\n`])
  const commit = gitLine(repository, 'commit-tree', '-p', 'HEAD', '-m', 'Many', root)
  git(repository, 'update-ref', 'HEAD', commit)
}

describe('a backup and its restore', () => {
  it('run no program that lies in a tree', async () => {
    const { folder, repository } = await aStoppedService()
    const [marker, hook] = [join(tempDir(), 'ran'), join(repository, HOOK)]
    mkdirSync(join(hook, '..'), { recursive: true })
    writeFileSync(hook, `#!/bin/sh\necho ran >${marker}\n`)
    chmodSync(hook, 0o755)
    git(repository, 'add', '--force', '--all')
    git(repository, 'commit', '--quiet', '-m', 'A hook')
    const file = join(tempDir(), 'backup.tar.gz')

    const made = await backUp(folder, file)
    const restored = await restoreNew(file)

    expect([made.code, restored.code]).toEqual([0, 0])
    expect(existsSync(marker)).toBe(false)
    const names = readdirSync(join(restored.folder, 'config-repo'))
    expect(names.toSorted()).toEqual(['.git', 'config.xml'])
  })

  it('write the document alone, and let git delete no other file', async () => {
    const { folder, repository } = await aStoppedService()
    mkdirSync(join(repository, 'notes'))
    writeFileSync(join(repository, 'notes/odd \u00e9\nname'), 'by hand\n')
    git(repository, 'add', '--all')
    git(repository, 'commit', '--quiet', '-m', 'Notes')
    const file = join(tempDir(), 'backup.tar.gz')
    await backUp(folder, file)

    const restored = join((await restoreNew(file)).folder, 'config-repo')
    const names = readdirSync(restored)
    writeFileSync(join(restored, 'config.xml'), documentWith('two'))
    git(restored, 'commit', '--quiet', '--all', '-m', 'By hand')

    expect(names.toSorted()).toEqual(['.git', 'config.xml'])
    expect(git(restored, 'diff', '--name-only', 'HEAD~1')).toBe('config.xml\n')
    expect(git(restored, 'ls-tree', '-r', 'HEAD~1', 'notes')).toContain('name')
  })

  it('do not unfold a tree of ten million files', { timeout: 60_000 }, async () => {
    const { folder, repository } = await aStoppedService()
    commitManyFiles(repository)
    const file = join(tempDir(), 'backup.tar.gz')

    const made = await backUp(folder, file)
    const restored = await restoreNew(file)

    expect([made.code, restored.code]).toEqual([0, 0])
    expect(await checkCodes(restored.folder)).toEqual([0, 0])
    const live = join(restored.folder, 'config-repo', 'config.xml')
    expect(readFileSync(live, 'utf8')).toBe(readFileSync(join(repository, 'config.xml'), 'utf8'))
  })

  it(
    'that is killed ends its git, and the next one beside it clears up',
    { tags: ['util-linux'] },
    async () => {
      const { folder } = await aStoppedService()
      const target = tempDir()
      const stuck = new StuckGit('bundle create')
      const args = ['backup', join(target, 'monday.tar.gz'), ...placesIn(folder)]
      const killed = start(args, { env: { PATH: stuck.path } })
      await until(() => stuck.isStuck)

      killed.process.kill('SIGKILL')
      await killed.ended()
      await until(() => stuck.running().length === 0)
      const made = await backUp(folder, join(target, 'tuesday.tar.gz'))

      expect(made.code).toBe(0)
      expect(readdirSync(target)).toEqual(['tuesday.tar.gz'])
    },
  )
})

describe('a backup onto a disk without room', () => {
  it.skipIf(!mayMount())('fails and leaves nothing behind (needs mount)', async () => {
    using disk = new SmallDisk(4)
    const { folder } = await aStoppedService()
    const ends: unknown[] = []
    for (const left of [0, 8_192, 40_960]) {
      disk.fill(left)
      const { code } = await backUp(folder, join(disk.path, 'backup.tar.gz'))
      ends.push([code, readdirSync(disk.path)])
      disk.empty()
    }

    const artifacts = join(folder, 'state', 'artifacts', 'app')
    mkdirSync(artifacts, { recursive: true })
    writeFileSync(join(artifacts, 'larger'), randomBytes(8 * 1024 * 1024))
    const { code } = await backUp(folder, join(disk.path, 'backup.tar.gz'), '--artifacts')

    expect(ends).toEqual(ends.map(() => [1, ['filler']]))
    expect([code, readdirSync(disk.path)]).toEqual([1, []])
  })
})
