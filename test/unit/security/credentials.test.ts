import { createHash } from 'node:crypto'
import { hash as hashAtCost, verify } from '@node-rs/bcrypt'
import { describe, expect, it } from 'vitest'
import { CredentialCheck, parseBasic } from '../../../src/security/credentials.ts'
import { hashPassword } from '../../../src/security/password.ts'
import { median } from '../../bench/measure.ts'

async function aCheck() {
  const hash = await hashPassword('right')
  const waits: number[] = []
  const time = { now: 0 }
  const users = { users: new Map([['ana', hash]]), problems: [] }
  const check = new CredentialCheck({
    users: async () => users,
    clock: () => time.now,
    wait: async (milliseconds) => void waits.push(milliseconds),
  })
  return { check, waits, time }
}

/** CPU time of this process and its threads, in microseconds: what else runs here does not count. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

describe('the credential check', () => {
  it('knows a user by the right password only', async () => {
    const { check } = await aCheck()

    expect(await check.check(basic('ana:right'), '10.0.0.1')).toEqual({ username: 'ana' })
    expect(await check.check(basic('ana:wrong'), '10.0.0.1')).toBeNull()
    expect(await check.check(basic('bob:right'), '10.0.0.1')).toBeNull()
    expect(await check.check(undefined, '10.0.0.1')).toBeNull()
    expect(await check.check('Bearer x', '10.0.0.1')).toBeNull()
  })

  it('remembers a verified password for a short time, and not after the users have changed', async () => {
    const { check, time } = await aCheck()
    await check.check(basic('ana:right'), 'a')

    expect(check.remembered(basic('ana:right'))).toEqual({ username: 'ana' })
    time.now = 60_001
    expect(check.remembered(basic('ana:right'))).toBeNull()
    await check.check(basic('ana:right'), 'a')
    check.forget()
    expect(check.remembered(basic('ana:right'))).toBeNull()
  })

  it('knows a header that comes over its connection again, as long as it is remembered', async () => {
    const { check, time } = await aCheck()
    const [connection, another] = [{}, {}]
    const asked = (header: string) => check.rememberedOn(connection, basic(header))
    expect(asked('ana:right')).toBeNull()
    await check.check(basic('ana:right'), 'a')

    const again = [asked('ana:right'), asked('ana:right'), asked('ana:wrong'), asked('ana:righ')]

    expect(again).toEqual([{ username: 'ana' }, { username: 'ana' }, null, null])
    expect(check.rememberedOn(another, basic('ana:wrong'))).toBeNull()
    time.now = 60_001
    expect(asked('ana:right')).toBeNull()
    await check.check(basic('ana:right'), 'a')
    expect(asked('ana:right')).toEqual({ username: 'ana' })
    check.forget()
    expect(asked('ana:right')).toBeNull()
  })

  it('slows an address down more with each failure, and no other address', async () => {
    const { check, waits } = await aCheck()
    for (let n = 0; n < 8; n += 1) await check.check(basic('ana:wrong'), 'attacker')

    await check.check(basic('ana:right'), 'office')

    expect(waits).toEqual([0, 0, 0, 0, 0, 200, 400, 800, 0])
  })

  it('slows down guesses that are made at once, and not the same login made at once', async () => {
    const { check, waits } = await aCheck()
    const guesses = Array.from({ length: 8 }, (_, n) => check.check(basic(`ana:${n}`), 'attacker'))
    const logins = Array.from({ length: 8 }, () => check.check(basic('ana:right'), 'office'))

    await Promise.all(guesses)
    const users = await Promise.all(logins)

    expect(waits).toEqual([0, 0, 0, 0, 0, 200, 400, 800, 0])
    expect(users).toEqual(users.map(() => ({ username: 'ana' })))
  })

  it('forgives an address after a success', async () => {
    const { check, waits } = await aCheck()
    for (let n = 0; n < 6; n += 1) await check.check(basic('ana:wrong'), 'a')
    await check.check(basic('ana:right'), 'a')

    await check.check(basic('ana:wrong'), 'a')

    expect(waits.at(-1)).toBe(0)
  })
})

describe('a login that fails', () => {
  it('costs the same for users of every kind of hash, and for who is no user', async () => {
    const sha = `{SHA}${createHash('sha1').update('right').digest('base64')}`
    const [usual, cheap] = await Promise.all([hashPassword('right'), hashAtCost('right', 7)])
    const users = new Map([
      ['ana', usual],
      ['bob', cheap],
      ['old', sha],
    ])
    const check = new CredentialCheck({
      users: async () => ({ users, problems: [] }),
      clock: Date.now,
      wait: async () => undefined,
    })
    const costs = new Map(
      ['ana', 'bob', 'old', 'nobody'].map((name) => [name, new Array<number>()]),
    )
    const comparisons: number[] = []

    for (let round = 0; round < 9; round += 1) {
      for (const [name, found] of costs) {
        found.push(await cpuOf(() => check.check(basic(`${name}:wrong ${round}`), name)))
      }
      comparisons.push(await cpuOf(() => verify('wrong', usual)))
    }

    const comparison = median(comparisons)
    const shares = [...costs].map(([name, found]) => ({ name, share: median(found) / comparison }))
    expect(shares.filter(({ share }) => share < 0.75 || share > 1.5)).toEqual([])
  })
})

describe('parseBasic', () => {
  it('splits at the first colon and keeps the rest of the password', () => {
    expect(parseBasic(basic('ana:a:b'))).toEqual({ username: 'ana', password: 'a:b' })
  })

  it.each(['', 'Basic', 'Basic !!!', basic('nocolon'), 'Digest abc'])('refuses %j', (header) => {
    expect(parseBasic(header)).toBeNull()
  })
})
