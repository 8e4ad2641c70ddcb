// @module-tag long
import { execFileSync, spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { findCommand } from '../support/programs/programs.ts'
import { rootFile } from '../support/programs/root-file.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

const SUITES = ['test/e2e/pages/runs.test.ts', 'test/unit/sources/sources.test.ts']

/** A PATH with Node, git and a shell, and nothing else. */
function barePath(): string {
  const folder = tempDir()
  symlinkSync(process.execPath, join(folder, 'node'))
  for (const command of ['git', 'sh', 'cat', 'cut']) {
    const file = findCommand(command)
    if (file) symlinkSync(file, join(folder, basename(command)))
  }
  return folder
}

it('a run of tests without programs that some need passes, and ends with what was missing', () => {
  const flags = ['run', '--config', 'test/vitest.config.ts', ...SUITES]
  const env = { PATH: barePath(), HOME: tempDir(), NO_COLOR: '1' }
  const vitest = [rootFile('node_modules/vitest/vitest.mjs'), ...flags]
  const options = { cwd: rootFile('.'), encoding: 'utf8' } as const

  const output = execFileSync(process.execPath, vitest, { ...options, env })
  const strict = spawnSync(process.execPath, vitest, {
    ...options,
    env: { ...env, CAIRN_TEST_REPORT: join(tempDir(), 'report.json') },
  })

  const lines = output.trimEnd().split('\n').slice(-3)
  expect(lines).toEqual([
    expect.stringMatching(
      /^chromium is missing: [1-9]\d* tests? skipped \(Debian package chromium\)$/,
    ),
    expect.stringMatching(/^hg is missing: [1-9]\d* tests? skipped \(Debian package mercurial\)$/),
    expect.stringMatching(
      /^svn is missing: [1-9]\d* tests? skipped \(Debian package subversion\)$/,
    ),
  ])
  expect(strict.status).toBe(1)
})
