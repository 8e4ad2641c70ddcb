// @module-tag long
import { describe, expect, it } from 'vitest'
import { tempDir } from '../support/disk/temp-folder.ts'
import { documentWith } from '../support/documents/documents.ts'
import { save } from '../support/service/saving.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { addSomeone, SOMEONE } from '../support/service/someone-else.ts'

const BEHIND_PROXY = ['--trusted-proxies', '127.0.0.1']

function comesFrom(address: string): RequestInit {
  return { headers: { 'x-forwarded-for': address } }
}

/** Concurrent wrong log-ins; each names another user, and perhaps comes from another address. */
function guessAtOnce(service: TestService, addressOf: (n: number) => string) {
  return Array.from({ length: 400 }, (_, n) =>
    service.fetch('/api/agents', { as: `user${n}:wrong`, ...comesFrom(addressOf(n)) }),
  )
}

describe('wrong passwords', () => {
  it.each([
    ['one address', () => '192.0.2.1'],
    ['many addresses', (n: number) => `198.51.100.${n % 250}`],
  ])('by the hundred from %s are turned away, and keep nobody from work', async (_, addressOf) => {
    const service = await startService(BEHIND_PROXY, tempDir(), { hasUsualPasswords: true })
    await addSomeone(service)
    await save(service, documentWith('one'))

    const guesses = guessAtOnce(service, addressOf)
    const saved = await save(service, documentWith('two'))
    const answers = await Promise.all(guesses)
    const other = await service.fetch('/api/agents', { as: SOMEONE, ...comesFrom('192.0.2.77') })

    expect(saved.status).toBe(200)
    expect(other.status).toBe(200)
    const refused = answers.filter(({ status }) => status === 429)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]))
    expect(
      refused.map(({ headers }) => Number(headers.get('retry-after'))).every((s) => s >= 1),
    ).toBe(true)
    expect(await refused[0]?.json()).toEqual({ message: expect.stringMatching(/^Too many logins/) })
  })

  it('that have the form of tokens keep nobody from logging in, there or elsewhere', async () => {
    const service = await startService(BEHIND_PROXY)
    await addSomeone(service)
    const [name = ''] = SOMEONE.split(':')
    const tokens = Array.from({ length: 150 }, (_, n) =>
      service.fetch('/api/agents', {
        as: `${name}:cairn_${n}`,
        ...comesFrom(`2001:db8:0:${n % 30}::1`),
      }),
    )

    const refused = (await Promise.all(tokens)).map(({ status }) => status)
    const there = await service.fetch('/api/agents', {
      as: SOMEONE,
      ...comesFrom('2001:db8:0:1::2'),
    })

    expect(new Set(refused)).toEqual(new Set([401]))
    expect(there.status).toBe(200)
  })

  it('are answered with a page where somebody looks at pages, and do not hide the health', async () => {
    const service = await startService()
    await Promise.all(
      Array.from({ length: 25 }, (_, n) => service.fetch('/health', { as: `bob:${n}` })),
    )

    const page = await service.fetch('/agents', {
      as: 'bob:guess',
      headers: { accept: 'text/html' },
    })
    const health = await service.fetch('/health', { as: 'bob:guess' })

    expect([page.status, page.headers.get('content-type')]).toEqual([
      429,
      'text/html; charset=utf-8',
    ])
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(health.status).toBe(200)
  })
})
