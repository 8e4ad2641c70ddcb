import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

describe('cairn user', { timeout: 120_000 }, () => {
  it.each([6, 20])('keeps all of %d users that are added at once', async (count) => {
    const place = ['--users-file', join(tempDir(), 'users')]
    const names = Array.from({ length: count }, (_, n) => `user${n}`)

    const added = await Promise.all(
      names.map((name) => run(['user', 'add', name, ...place], { input: 'hunter2\n' })),
    )

    const listed = await run(['user', 'list', ...place])
    expect(added.map(({ code }) => code)).toEqual(names.map(() => 0))
    expect(listed.stdout.split('\n').filter(Boolean).toSorted()).toEqual(names.toSorted())
  })

  it('refuses a name that differs from another only in case', async () => {
    const place = ['--users-file', join(tempDir(), 'users')]
    await run(['user', 'add', 'ana', ...place], { input: 'hunter2\n' })

    const again = await run(['user', 'add', 'Ana', ...place], { input: 'hunter2\n' })

    expect(again.code).toBe(1)
    expect(again.stderr).toContain('There is a user ana already')
  })
})
