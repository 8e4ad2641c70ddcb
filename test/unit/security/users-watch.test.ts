import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeUser } from '../../../src/security/users.ts'
import { UsersFile } from '../../../src/security/users-file.ts'
import { UsersWatch } from '../../../src/security/users-watch.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'
import { until } from '../../support/programs/until.ts'

/** Waits while something that happens once in the interval would have happened many times. */
async function rounds(interval: number, times: number): Promise<void> {
  let passed = 0
  const timer = setInterval(() => (passed += 1), interval)
  await until(() => passed >= times)
  clearInterval(timer)
}

/** A users file with one user, and what the watch over it tells. */
async function watchOver(folder: TempFolder) {
  const store = new UsersFile(join(folder.path, 'users.htpasswd'))
  await writeUser(store, { username: 'first', password: 'a password' })
  const told: (readonly string[])[] = []
  const watch: UsersWatch = await UsersWatch.open({
    store,
    interval: 2,
    changed: () => told.push(watch.names()),
  })
  return { store, told, watch, [Symbol.dispose]: () => watch[Symbol.dispose]() }
}

describe('the watch over the users file', () => {
  it('says nothing of a file that stays as it was when the watch began', async () => {
    using folder = new TempFolder()
    using watched = await watchOver(folder)
    const { store, told } = watched

    await rounds(2, 20)
    expect(told).toEqual([])

    await writeUser(store, { username: 'second', password: 'a password' })
    await until(() => told.length > 0)
    expect(told[0]).toEqual(['first', 'second'])
  })

  it('takes a text apart once, however often it is read', async () => {
    using folder = new TempFolder()
    using watched = await watchOver(folder)
    const { watch } = watched
    const before = await watch.read()

    await watch.reload()

    expect(await watch.read()).toBe(before)
  })

  it('tells of a change once, which it sees as it happens and in its next look', async () => {
    using folder = new TempFolder()
    using watched = await watchOver(folder)
    const { store, told, watch } = watched

    await writeUser(store, { username: 'second', password: 'a password' })
    await until(() => told.length > 0)
    await rounds(2, 20)
    expect(told).toEqual([['first', 'second']])

    await watch.reload()
    expect(told).toHaveLength(2)
  })
})
