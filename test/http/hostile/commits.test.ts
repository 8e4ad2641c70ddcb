import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { git, gitBytes, gitLine } from '../../support/git/git.ts'
import {
  HOSTILE_COMMITS,
  writeCommit,
  writeCommitOf,
} from '../../support/history/hostile-commits.ts'
import { revisionsOf, serviceAndClone } from '../../support/history/push-scene.ts'
import { startService } from '../../support/service/service.ts'
import { until } from '../../support/programs/until.ts'
import { commitOfZeroes } from '../../support/disk/zeroes.ts'

const PAGES = [
  '/config',
  '/config/history',
  '/config/feed.atom',
  '/config/feed.json',
  '/api/config/revisions',
  '/health',
]

describe('commits that no honest tool makes', () => {
  it(
    'are revisions like others when git has them already, with sane facts',
    { tags: ['long'] },
    async () => {
      const service = await startService(['--poll-interval', '50ms'])
      const { repository } = service
      let head = gitLine(repository, 'rev-parse', 'HEAD')
      const commits = Object.values(HOSTILE_COMMITS).map((raw) => {
        head = writeCommit(repository, head, raw)
        return head
      })
      git(repository, 'update-ref', 'refs/heads/main', head)

      await until(async () => (await revisionsOf(service))[0]?.commitSHA === head)
      const revisions = await revisionsOf(service)
      expect(revisions.slice(0, -1).map(({ commitSHA }) => commitSHA)).toEqual(commits.toReversed())
      for (const { time, username, message } of revisions) {
        expect(new Date(time).getUTCFullYear()).toBeLessThan(10_000)
        expect(`${username}${message ?? ''}`).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
        expect(username.length).toBeLessThanOrEqual(256)
      }
      for (const commit of commits) {
        for (const path of [...PAGES, `/config/revisions/${commit}`]) {
          const response = await service.fetch(path)
          const { length } = await response.text()
          expect({ path, isFine: response.status < 500 && length < 500_000 }).toEqual({
            path,
            isFine: true,
          })
        }
      }
    },
  )

  it.each(['120000', '040000', '160000'])(
    'with the mode %s in the place of the configuration are no revisions, and it is said why',
    async (mode) => {
      const kind = { 120000: 'a symbolic link', 160000: 'a submodule' }[mode] ?? 'a folder'
      const { service, clone } = await serviceAndClone('--poll-interval', '50ms')
      const oid = await oidFor(clone.folder, mode)
      const pushed = writeCommitOf(clone.folder, 'HEAD', mode, oid)

      const { code, stderr } = await clone.push('origin', `${pushed}:refs/heads/main`)

      expect(code).toBe(1)
      expect(stderr).toContain(`Commit ${pushed.slice(0, 10)} has ${kind} as config.xml`)
      const before = await revisionsOf(service)
      const { repository } = service
      await oidFor(repository, mode)
      const native = writeCommitOf(repository, 'HEAD', mode, oid)
      git(repository, 'update-ref', 'refs/heads/main', native)
      await until(async () =>
        (await (await service.fetch('/health')).text()).includes(`configuration file is ${kind}`),
      )
      expect(await revisionsOf(service)).toEqual(before)
    },
  )

  it(
    'are refused in a push when their configuration is too large to be read',
    { tags: ['long'] },
    async () => {
      const { service, clone } = await serviceAndClone()
      const before = await revisionsOf(service)
      const pushed = commitOfZeroes(clone.folder, 100_000_000)

      const { code, stderr } = await clone.push('origin', `${pushed}:refs/heads/main`)

      expect(code).toBe(1)
      expect(stderr).toContain(
        `Commit ${pushed.slice(0, 10)} has a file of 100000000 bytes (at most 67108864 are read) as config.xml`,
      )
      expect(await revisionsOf(service)).toEqual(before)
    },
  )
})

async function oidFor(folder: string, mode: string): Promise<string> {
  if (mode === '160000') return 'c'.repeat(40)
  if (mode === '040000') {
    return gitBytes(folder, ['mktree'], { input: '' }).toString().trim()
  }
  const write = ['hash-object', '-w', '--stdin']
  return gitBytes(folder, write, { input: documentWith('linked') })
    .toString()
    .trim()
}
