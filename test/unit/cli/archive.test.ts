import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { archive } from '../../../src/cli/commands/archive.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

it.each([
  ['to move revisions out', ['--before', '2020-01-01']],
  ['to bring them back', ['--restore']],
])('cairn archive refuses %s where the history is in PostgreSQL', async (_, flags) => {
  const file = join(tempDir(), 'old.bundle')

  const refused = archive([file, ...flags, '--state', 'postgres://127.0.0.1:9/cairn'])

  await expect(refused).rejects.toThrow(/a history in PostgreSQL is whole/)
  expect(existsSync(file)).toBe(false)
})

it.each([
  ['--before', '2020-01-01', 'old.bundle', '--state', 'postgres://127.0.0.1:9/cairn'],
  ['--restore', 'old.bundle', '--state', 'postgres://127.0.0.1:9/cairn'],
  ['--restore', '--state=postgres://127.0.0.1:9/cairn', 'old.bundle'],
])('cairn archive finds its file in %s %s %s %s', async (...args) => {
  await expect(archive(args)).rejects.toThrow(/a history in PostgreSQL is whole/)
})

it.each([
  [[], /^FILE is missing: use archive --before DATE FILE/],
  [['--before', '2020-01-01'], /^FILE is missing: use archive/],
  [['--restore', ''], /^FILE is missing: use archive/],
  [['--before', '2020-01-01', 'one', 'two'], /^Unexpected argument 'two'/],
  [['--nonsense', 'one'], /^Unknown option '--nonsense'/],
])('cairn archive refuses %j', async (args, line) => {
  await expect(archive(args)).rejects.toThrow(line)
})
