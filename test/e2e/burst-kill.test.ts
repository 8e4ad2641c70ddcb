// @module-tag long
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { fastImport } from '../support/git/fast-import.ts'
import { git } from '../support/git/git.ts'
import { start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { until } from '../support/programs/until.ts'

const KILLS = 4
const COMMITS = 30
const ENV = { CAIRN_ADMIN_PASSWORD: 'a password', CAIRN_PORT: '0', CAIRN_POLL_INTERVAL: '10ms' }

describe('a service that is killed while git moves its branch in bursts', () => {
  it('takes none of the commits back after it is started again', { timeout: 240_000 }, async () => {
    const cwd = tempDir()
    const repository = join(cwd, 'config-repo')
    let round = 0
    const burst = async () => {
      round += 1
      const names = Array.from({ length: COMMITS }, (_, n) => `p${round}-${n}`)
      await fastImport(
        repository,
        names.map((name) => documentWith(name)),
      )
    }

    for (let kill = 0; kill < KILLS; kill += 1) {
      const program = start(['serve'], { cwd, env: ENV })
      await program.line(/^cairn ready (\S+)\n$/)
      for (let left = 4 + kill; left > 0; left -= 1) await burst()
      const last = burst()
      program.process.kill('SIGKILL')
      await Promise.all([last, program.ended()])
      await burst()
    }
    const program = start(['serve'], { cwd, env: ENV })
    await program.line(/^cairn ready (\S+)\n$/)

    const newest = documentWith(`p${round}-${COMMITS - 1}`)
    await until(() => readFileSync(join(repository, 'config.xml'), 'utf8') === newest)
    await until(() => git(repository, 'status', '--porcelain') === '')
    expect(git(repository, 'show', 'HEAD:config.xml')).toBe(newest)
    expect(git(repository, 'log', '--format=%an')).not.toContain('Filesystem')
    expect(git(repository, 'rev-list', '--count', 'HEAD').trim()).toBe(`${1 + round * COMMITS}`)
  })
})
