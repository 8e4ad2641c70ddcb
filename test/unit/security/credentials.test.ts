import { createHash } from 'node:crypto'
import { hash as hashAtCost, verify } from '@node-rs/bcrypt'
import { describe, expect, it } from 'vitest'
import { ServiceError, unavailable } from '../../../src/core/errors.ts'
import { CredentialCheck, parseBasic } from '../../../src/security/credentials.ts'
import { newApiToken } from '../../../src/security/issued-secret.ts'
import { hashPassword, isPasswordOf } from '../../../src/security/password.ts'
import { median } from '../../bench/measure.ts'
import { until } from '../../support/programs/until.ts'

/** The facts of a file of users besides the users. */
const FINE = { ids: new Map<string, string>(), problems: [], unusable: [], isTorn: false }

async function aCheck() {
  const hash = await hashPassword('right')
  const waits: number[] = []
  const time = { now: 0 }
  const users = { users: new Map([['ana', hash]]), ...FINE }
  const check = new CredentialCheck({
    refreshUsers: async () => undefined,
    users: async () => users,
    clock: () => time.now,
    wait: async (milliseconds) => void waits.push(milliseconds),
    compare: async (given) => isPasswordOf(given),
    find: async () => null,
  })
  return { check, waits, time }
}

/** A check whose comparisons wait until they are let go, and say then whether the password is `right`. */
function aHeldCheck() {
  const held: (() => void)[] = []
  const time = { now: 0 }
  const check = new CredentialCheck({
    refreshUsers: async () => undefined,
    users: async () => ({ users: new Map([['bob', '$2b$10$stored']]), ...FINE }),
    clock: () => time.now,
    wait: async () => undefined,
    compare: ({ password, stored }) =>
      new Promise((resolve) => {
        held.push(() => resolve(stored !== null && password === 'right'))
      }),
    find: async () => null,
  })
  const release = () => {
    for (const end of held.splice(0)) end()
  }
  return { check, held, release, time }
}

/** A check that compares with nothing but the word `right`. */
async function aQuickCheck() {
  const time = { now: 0 }
  const passwords = { right: 'right' }
  const compared: string[] = []
  const users = new Map(['bob', 'ana'].map((name) => [name, '$2b$10$stored']))
  const check = new CredentialCheck({
    refreshUsers: async () => undefined,
    users: async () => ({ users, ...FINE }),
    clock: () => time.now,
    wait: async () => undefined,
    compare: async ({ password, stored }) => {
      compared.push(password)
      if (password.startsWith('uncomparable')) throw new Error('The thread has ended')
      return stored !== null && password === passwords.right
    },
    find: async () => null,
  })
  return { check, time, passwords, users, compared }
}

const BOB = { username: 'bob' }
const TOO_MANY = { code: 'too-many-requests' }

/** The outcome of each log-in: the user, null, or the code of an error. */
async function endsOf(logins: readonly Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(logins)
  return settled.map((end) => (end.status === 'fulfilled' ? end.value : codeOf(end.reason)))
}

function codeOf(error: unknown): string {
  return error instanceof ServiceError ? error.code : String(error)
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

  it('ends the calls of who is disabled without comparing a password', async () => {
    const { check, users, compared } = await aQuickCheck()
    await check.check(basic('ana:right'), 'a')
    expect(compared).toEqual(['right'])

    users.set('ana', '!$2b$10$stored')
    check.forget()

    expect(await check.recheck(basic('ana:right'), 'recently')).toBeNull()
    expect(compared).toEqual(['right'])
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

  it('compares a password anew after a minute or a change of its user, and not of others', async () => {
    const { check, time, users, compared } = await aQuickCheck()
    const login = basic('bob:right')
    await check.check(login, 'a')

    users.set('cleo', '$2b$10$stored')
    check.forget()
    expect(await check.check(login, 'a')).toEqual(BOB)
    expect(check.remembered(login)).toEqual(BOB)
    expect(compared).toHaveLength(1)

    users.set('bob', '$2b$10$again')
    check.forget()
    expect(await check.check(login, 'a')).toEqual(BOB)
    expect(compared).toHaveLength(2)

    time.now += 59_000
    check.forget()
    expect(await check.check(login, 'a')).toEqual(BOB)
    expect(compared).toHaveLength(2)
    time.now += 1_001
    expect(check.remembered(login)).toBeNull()
    expect(await check.check(login, 'a')).toEqual(BOB)
    expect(compared).toHaveLength(3)
  })

  it(
    'slows an address down more with each failure, and no other address',
    { tags: ['long'] },
    async () => {
      const { check, waits } = await aCheck()
      for (let n = 0; n < 8; n += 1) await check.check(basic('ana:wrong'), 'attacker')

      await check.check(basic('ana:right'), 'office')

      expect(waits).toEqual([0, 0, 0, 0, 0, 200, 400, 800, 0])
    },
  )

  it(
    'slows down guesses that are made at once, and not the same login made at once',
    { tags: ['long'] },
    async () => {
      const { check, waits } = await aCheck()
      const guesses = Array.from({ length: 8 }, (_, n) =>
        check.check(basic(`ana:${n}`), 'attacker'),
      )
      const logins = Array.from({ length: 8 }, () => check.check(basic('ana:right'), 'office'))

      await Promise.all(guesses)
      const users = await Promise.all(logins)

      expect(waits).toEqual([0, 0, 0, 0, 0, 200, 400, 800, 0])
      expect(users).toEqual(users.map(() => ({ username: 'ana' })))
    },
  )

  it('forgives a user at an address after a success', { tags: ['long'] }, async () => {
    const { check, waits } = await aCheck()
    for (let n = 0; n < 6; n += 1) await check.check(basic('ana:wrong'), 'a')
    await check.check(basic('ana:right'), 'a')

    await check.check(basic('ana:wrong'), 'a')

    expect(waits.at(-1)).toBe(0)
  })
})

describe('the limits of logins', () => {
  it('end the guesses of a user at one address, whatever the case, and not his own', async () => {
    const { check } = await aQuickCheck()
    const names = Array.from({ length: 25 }, (_, n) => (n % 2 === 0 ? 'bob' : 'BOB'))

    const guesses = await endsOf(
      names.map((name, n) => check.check(basic(`${name}:${n}`), '2001:db8::1')),
    )

    expect(guesses.filter((end) => end === null)).toHaveLength(20)
    expect(guesses.slice(20)).toEqual(Array.from({ length: 5 }, () => TOO_MANY.code))
    await expect(check.check(basic('bob:right'), '2001:db8::2')).rejects.toMatchObject(TOO_MANY)
    expect(await check.check(basic('bob:right'), '2001:db8:0:1::1')).toEqual(BOB)
  })

  it('say after how many seconds there is one more', async () => {
    const { check, time } = await aQuickCheck()
    for (let n = 0; n < 20; n += 1) await check.check(basic(`bob:${n}`), 'a')

    const facts = { retryAfter: 15 }
    await expect(check.check(basic('bob:20'), 'a')).rejects.toMatchObject({ ...TOO_MANY, facts })
    time.now += 15_000
    expect(await check.check(basic('bob:21'), 'a')).toBeNull()
  })

  it('end the guesses of one address, of as many users as there may be', async () => {
    const { check } = await aQuickCheck()
    for (let n = 0; n < 100; n += 1) await check.check(basic(`user${n}:x`), 'a')

    await expect(check.check(basic('bob:right'), 'a')).rejects.toMatchObject(TOO_MANY)
    expect(await check.check(basic('bob:right'), 'b')).toEqual(BOB)
  })

  it('end the guesses of one user from many addresses', async () => {
    const { check } = await aQuickCheck()
    for (let n = 0; n < 100; n += 1) await check.check(basic(`bob:${n}`), `10.0.0.${n}`)

    await expect(check.check(basic('bob:x'), '10.0.1.1')).rejects.toMatchObject(TOO_MANY)
    expect(await check.check(basic('ana:right'), '10.0.1.1')).toEqual({ username: 'ana' })
  })

  it('know credentials that were right before, which are no guess', async () => {
    const { check, time } = await aQuickCheck()
    await check.check(basic('bob:right'), 'a')
    for (let n = 0; n < 20; n += 1) await check.check(basic(`bob:${n}`), 'a')

    expect(check.remembered(basic('bob:right'))).toEqual(BOB)
    time.now += 60_001
    const wrong = await endsOf(
      Array.from({ length: 9 }, (_, n) => check.check(basic(`bob:x${n}`), 'a')),
    )

    expect(wrong.at(-1)).toBe(TOO_MANY.code)
    expect(check.remembered(basic('bob:right'))).toBeNull()
    expect(await check.check(basic('bob:right'), 'a')).toEqual(BOB)
  })

  it('count a password as a guess again once it is wrong', async () => {
    const { check, passwords, users } = await aQuickCheck()
    await check.check(basic('bob:right'), 'a')
    passwords.right = 'another'
    users.set('bob', '$2b$10$another')
    check.forget()

    const ends: unknown[] = []
    for (let n = 0; n < 22; n += 1)
      ends.push(...(await endsOf([check.check(basic('bob:right'), 'a')])))

    expect(ends).toEqual([...Array<null>(21).fill(null), TOO_MANY.code])
  })

  it('count no login whose password could not be compared', async () => {
    const { check } = await aQuickCheck()
    for (let n = 0; n < 200; n += 1)
      await expect(check.check(basic(`bob:uncomparable ${n}`), 'a')).rejects.toThrow('has ended')

    expect(await check.check(basic('bob:right'), 'a')).toEqual(BOB)
  })

  it('end the guesses of a user at one site, before nobody may log in as that user', async () => {
    const { check } = await aQuickCheck()
    const ends = await endsOf(
      Array.from({ length: 200 }, (_, n) => check.check(basic(`bob:${n}`), `2001:db8:1:${n}::1`)),
    )

    expect(ends.filter((end) => end === null)).toHaveLength(50)
    expect(await check.check(basic('bob:right'), '2001:db8:2::1')).toEqual(BOB)
    const neighbour = '2001:db8:1:ffff::1'
    expect(await check.check(basic('ana:right'), neighbour)).toEqual({ username: 'ana' })
  })

  it('are not those of tokens: what was never a token locks nobody out', async () => {
    const { check } = await aQuickCheck()
    const tokens = Array.from({ length: 200 }, (_, n) => ({
      ofBob: check.check(basic(`bob:${newApiToken()}`), `10.0.0.${n % 50}`),
      ofOthers: check.check(basic(`user${n}:cairn_${n}`), '10.0.0.1'),
    }))
    await endsOf(tokens.flatMap(({ ofBob, ofOthers }) => [ofBob, ofOthers]))

    expect(await check.check(basic('bob:right'), '10.0.0.1')).toEqual(BOB)
  })

  it('forgive nobody else for the success of one', async () => {
    const { check } = await aQuickCheck()
    for (let n = 0; n < 20; n += 1) await check.check(basic(`bob:${n}`), 'a')
    for (let n = 0; n < 80; n += 1) await check.check(basic(`user${n}:x`), 'a')
    await expect(check.check(basic('ana:right'), 'a')).rejects.toMatchObject(TOO_MANY)

    await check.check(basic('ana:right'), 'b')

    await expect(check.check(basic('bob:right'), 'a')).rejects.toMatchObject(TOO_MANY)
    await expect(check.check(basic('ana:right'), 'a')).resolves.toEqual({ username: 'ana' })
    await expect(check.check(basic('carl:x'), 'a')).rejects.toMatchObject(TOO_MANY)
  })

  it('go on counting guesses of a user from elsewhere when the user logs in', async () => {
    const { check } = await aQuickCheck()
    for (let n = 0; n < 99; n += 1) await check.check(basic(`bob:${n}`), `10.0.0.${n}`)

    expect(await check.check(basic('bob:right'), 'home')).toEqual(BOB)

    expect(await check.check(basic('bob:99'), '10.0.1.1')).toBeNull()
    await expect(check.check(basic('bob:100'), '10.0.1.2')).rejects.toMatchObject(TOO_MANY)
  })

  it('go on counting guesses of others at an address from which a user logs in', async () => {
    const { check } = await aQuickCheck()
    for (let n = 0; n < 99; n += 1) await check.check(basic(`user${n}:x`), 'office')

    expect(await check.check(basic('bob:right'), 'office')).toEqual(BOB)

    expect(await check.check(basic('user99:x'), 'office')).toBeNull()
    await expect(check.check(basic('user100:x'), 'office')).rejects.toMatchObject(TOO_MANY)
  })

  it('let 64 passwords be compared or wait, and turn away the others until there is room', async () => {
    const { check, held, release } = aHeldCheck()
    const guesses = endsOf(
      Array.from({ length: 400 }, (_, n) => check.check(basic(`u${n}:x`), `host${n}`)),
    )
    await until(() => held.length === 64)
    release()
    const ends = await guesses

    expect(ends.filter((end) => end === null)).toHaveLength(64)
    expect(ends.filter((end) => end === TOO_MANY.code)).toHaveLength(336)
    const next = check.check(basic('bob:right'), 'home')
    await until(() => held.length === 1)
    release()
    expect(await next).toEqual(BOB)
  })

  it.each([
    ['were right before', (check: CredentialCheck) => check.forget(), () => undefined],
    [
      'were right in a check that the users changed beside',
      () => undefined,
      (check: CredentialCheck) => check.forget(),
    ],
  ])('leave room for credentials that %s', async (_, afterwards, meanwhile) => {
    const { check, held, release, time } = aHeldCheck()
    const first = check.check(basic('bob:right'), 'home')
    await until(() => held.length === 1)
    meanwhile(check)
    release()
    await first
    afterwards(check)
    time.now = 60_001
    const guesses = [...Array(64).keys()].map((n) => check.check(basic(`u${n}:x`), `host${n}`))
    await until(() => held.length === 64)

    const again = endsOf([check.check(basic('bob:right'), 'home')])
    await until(() => held.length === 65).finally(release)

    expect(await again).toEqual([BOB])
    expect(await endsOf(guesses)).toEqual(guesses.map(() => null))
  })
})

describe('a verification that began before the users changed', () => {
  it('is not remembered, and nobody who comes after the change gets its result', async () => {
    const { check, held, release } = aHeldCheck()
    const before = check.check(basic('bob:right'), 'a')
    await until(() => held.length === 1)
    check.forget()
    const after = check.check(basic('bob:right'), 'a')
    await until(() => held.length === 2)

    held.shift()?.()
    expect(await before).toEqual({ username: 'bob' })
    expect(check.remembered(basic('bob:right'))).toBeNull()
    release()
    expect(await after).toEqual({ username: 'bob' })
    expect(check.remembered(basic('bob:right'))).toEqual({ username: 'bob' })
  })
})

describe('a login that fails', () => {
  it(
    'costs the same for users of every kind of hash, and for who is no user',
    { tags: ['long'] },
    async () => {
      const sha = `{SHA}${createHash('sha1').update('right').digest('base64')}`
      const [usual, cheap] = await Promise.all([hashPassword('right'), hashAtCost('right', 7)])
      const users = new Map([
        ['ana', usual],
        ['bob', cheap],
        ['old', sha],
      ])
      const check = new CredentialCheck({
        refreshUsers: async () => undefined,
        users: async () => ({ users, ...FINE }),
        clock: Date.now,
        wait: async () => undefined,
        compare: async (given) => isPasswordOf(given),
        find: async () => null,
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
      const shares = [...costs].map(([name, found]) => ({
        name,
        share: median(found) / comparison,
      }))
      expect(shares.filter(({ share }) => share < 0.75 || share > 1.5)).toEqual([])
    },
  )
})

describe('parseBasic', () => {
  it('splits at the first colon and keeps the rest of the password', () => {
    expect(parseBasic(basic('ana:a:b'))).toEqual({ username: 'ana', password: 'a:b' })
  })

  it.each(['', 'Basic', 'Basic !!!', basic('nocolon'), 'Digest abc'])('refuses %j', (header) => {
    expect(parseBasic(header)).toBeNull()
  })
})

/** A check that knows one token, which `ended` ends. */
function aTokenCheck() {
  const token = newApiToken()
  const issued = { isThere: true, lookedUp: 0, waits: new Array<number>() }
  const time = { now: 0 }
  const check = new CredentialCheck({
    refreshUsers: async () => undefined,
    users: async () => ({ users: new Map(), ...FINE }),
    clock: () => time.now,
    wait: async (milliseconds) => void issued.waits.push(milliseconds),
    compare: async () => false,
    find: async ({ secret }) => {
      issued.lookedUp += 1
      const credential = { kind: 'token', id: 'one', scope: 'read' } as const
      return issued.isThere && secret === token ? { username: 'ana', credential } : null
    },
  })
  return { check, token, issued, time }
}

describe('a token', () => {
  it('is looked up now and then, and not at every request', async () => {
    const { check, token, issued, time } = aTokenCheck()
    const header = `Bearer ${token}`

    for (time.now = 0; time.now < 990; time.now += 10) await check.check(header, 'here')

    expect(issued.lookedUp).toBe(2)
    expect(check.remembered(header)?.username).toBe('ana')
  })

  it('that another process ends is not good any more within a second', async () => {
    const { check, token, issued, time } = aTokenCheck()
    await check.check(`Bearer ${token}`, 'here')

    issued.isThere = false
    time.now += 1_000

    expect(check.remembered(`Bearer ${token}`)).toBeNull()
    expect(await check.check(`Bearer ${token}`, 'here')).toBeNull()
  })

  it('that ends while it is looked up is not remembered', async () => {
    const { check, token } = aTokenCheck()
    const looked = check.check(`Bearer ${token}`, 'here')

    check.forgetIssued()

    await looked
    expect(check.remembered(`Bearer ${token}`)).toBeNull()
  })

  it('is let in where wrong ones are slowed down and turned away', async () => {
    const { check, token, issued } = aTokenCheck()

    const guesses = await endsOf(
      Array.from({ length: 200 }, () => check.check(`Bearer ${newApiToken()}`, 'here')),
    )

    expect(new Set(guesses)).toEqual(new Set([null, 'too-many-requests']))
    expect(Math.max(...issued.waits)).toBeGreaterThanOrEqual(200)
    expect(await check.check(basic(`ana:${token}`), 'here')).toMatchObject({ username: 'ana' })
  })

  it('that was copied badly is not even looked for', async () => {
    const { check, token, issued } = aTokenCheck()

    expect(await check.check(`Bearer ${token.slice(0, -1)}`, 'here')).toBeNull()
    expect(issued.lookedUp).toBe(0)
  })
})

describe('users of elsewhere', () => {
  const ana = { username: 'ana', external: { source: 'ldap', roles: ['crew'] } } as const

  /** The users file has bob, and elsewhere there are ana and another bob. */
  function anExternalCheck() {
    const asked: string[] = []
    const compared: string[] = []
    const waits: number[] = []
    const time = { now: 0 }
    const check = new CredentialCheck({
      refreshUsers: async () => undefined,
      users: async () => ({ users: new Map([['bob', '$2b$10$stored']]), ...FINE }),
      clock: () => time.now,
      wait: async (milliseconds) => void waits.push(milliseconds),
      compare: async ({ password, stored }) => {
        compared.push(password)
        return stored !== null && password === 'right'
      },
      findExternal: async ({ username, password }) => {
        asked.push(username)
        if (password === 'away') throw unavailable('away')
        if (password !== 'right') return null
        return username === 'alias-of-bob' ? { ...ana, username: 'Bob' } : ana
      },
      find: async () => null,
    })
    return { check, asked, compared, waits, time }
  }

  it('are asked for once a minute, and never by a name of the users file', async () => {
    const { check, asked, time } = anExternalCheck()
    const log = (credentials: string) => check.check(basic(credentials), '10.0.0.1')

    expect([await log('ana:right'), await log('ana:right')]).toEqual([ana, ana])
    expect(await log('BOB:wrong')).toBeNull()
    expect(await log('alias-of-bob:right')).toBeNull()
    time.now = 60_001
    expect(await log('ana:right')).toEqual(ana)
    expect(asked).toEqual(['ana', 'alias-of-bob', 'ana'])
  })

  it('who were let in are looked up once for all calls in flight, and again a second after that failed', async () => {
    const { check, asked, compared, time } = anExternalCheck()
    const calls = Array.from({ length: 5 }, () => basic('ana:away'))
    const lookUp = () => endsOf(calls.map((call) => check.recheck(call, 'recently')))

    const failed = [await lookUp(), await lookUp()]
    time.now = 1_001
    await lookUp()

    expect(new Set(failed.flat())).toEqual(new Set(['unavailable']))
    expect(asked).toEqual(['ana', 'ana'])
    await check.check(basic('ana:right'), '10.0.0.1')
    const before = compared.length
    check.forget()
    expect(await check.recheck(basic('ana:right'), 'now')).toEqual(ana)
    expect(compared).toHaveLength(before)
  })

  it('are slowed down when they guess, and not while nobody can say whether they do', async () => {
    const { check, waits } = anExternalCheck()
    const logins = (password: string) =>
      Array.from({ length: 30 }, (_, n) => check.check(basic(`ana:${password}${n}`), '10.0.0.1'))

    const away = await endsOf(
      Array.from({ length: 30 }, () => check.check(basic('ana:away'), '10.0.0.1')),
    )
    const guesses = await endsOf(logins('wrong'))

    expect(new Set(away)).toEqual(new Set(['unavailable']))
    expect(new Set(guesses)).toEqual(new Set([null, 'too-many-requests']))
    expect(Math.max(...waits)).toBe(5_000)
  })
})
