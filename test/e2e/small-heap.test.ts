// @module-tag long
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { writeCommitOf } from '../support/history/hostile-commits.ts'
import { callerOf } from '../support/service/service.ts'
import { start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { until } from '../support/programs/until.ts'
import { blobOfZeroes } from '../support/disk/zeroes.ts'

const ENV = {
  CAIRN_ADMIN_PASSWORD: 'correct horse',
  CAIRN_PORT: '0',
  CAIRN_POLL_INTERVAL: '100ms',
  NODE_OPTIONS: '--max-old-space-size=128',
}

/** A valid document of about this many megabytes. */
function documentOf(megabytes: number, prefix: string): string {
  const count = Math.round((megabytes * 1e6) / documentWith(`${prefix}-10000`).length)
  return documentWith(...Array.from({ length: count }, (_, n) => `${prefix}-${n}`))
}

async function startIn(cwd: string) {
  const program = start(['serve'], { cwd, env: ENV })
  const url = await program.line(/^cairn ready (\S+)\n$/)
  return { program, call: callerOf(url) }
}

describe('a service with little memory', () => {
  it('takes what it has room for, refuses the rest, and lives', { timeout: 240_000 }, async () => {
    const cwd = tempDir()
    const { program, call } = await startIn(cwd)
    const put = (body: string) =>
      call('/api/admin/config.xml', { method: 'PUT', headers: { 'if-match': '*' }, body })

    for (const prefix of ['one', 'two', 'three']) {
      expect((await put(documentOf(1.5, prefix))).status).toBe(200)
    }
    const refused = await put(documentOf(4, 'large'))
    expect(refused.status).toBe(422)
    expect(await refused.text()).toMatch(/has \d+ bytes; at most/)

    writeFileSync(join(cwd, 'config-repo/config.xml'), documentOf(4, 'edited'))
    await until(async () => (await (await call('/health')).text()).includes('at most'))
    expect((await call('/api/admin/config.xml')).status).toBe(200)
    program.process.kill('SIGTERM')
    expect((await program.ended()).code).toBe(0)

    const again = await startIn(cwd)
    expect(await (await again.call('/api/admin/config.xml')).text()).toBe(documentOf(1.5, 'three'))
    expect(await (await again.call('/health')).text()).toContain('at most')
  })

  it(
    'serves on beside a commit of a gigabyte, however often it begins',
    { timeout: 240_000 },
    async () => {
      const cwd = tempDir()
      const repository = join(cwd, 'config-repo')
      const { program, call } = await startIn(cwd)
      const put = (name: string) =>
        call('/api/admin/config.xml', {
          method: 'PUT',
          headers: { 'if-match': '*' },
          body: documentWith(name),
        })
      expect((await put('before')).status).toBe(200)
      const large = blobOfZeroes(repository, 2 ** 30)
      const moveToLarge = () =>
        git(
          repository,
          'update-ref',
          'refs/heads/main',
          writeCommitOf(repository, 'HEAD', '100644', large),
        )
      moveToLarge()

      await until(async () =>
        (await (await call('/health')).text()).includes('a file of 1073741824'),
      )
      const text = async () => (await call('/api/admin/config.xml')).text()
      expect(await text()).toBe(documentWith('before'))
      expect((await put('after')).status).toBe(200)
      expect(peakOf(program.process.pid)).toBeLessThan(400)
      moveToLarge()
      program.process.kill('SIGTERM')
      expect((await program.ended()).code).toBe(0)

      const again = await startIn(cwd)
      expect(await (await again.call('/api/admin/config.xml')).text()).toBe(documentWith('after'))
      expect(peakOf(again.program.process.pid)).toBeLessThan(400)
    },
  )
})

/** The most memory that a process has had, in megabytes. */
function peakOf(pid: number | undefined): number {
  const [, kilobytes] =
    /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1000
}
