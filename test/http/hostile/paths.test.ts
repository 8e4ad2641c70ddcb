import { describe, expect, it } from 'vitest'
import { DescribedApi } from '../../support/service/described-api.ts'
import { rawGet, statusOf } from '../../support/http/raw-http.ts'
import { startService } from '../../support/service/service.ts'

/** Ways up and out, each as one or more segments. */
const TRICKS = [
  '..',
  '../../../../../../etc/passwd',
  '..%2f..%2f..%2f..%2fetc%2fpasswd',
  '..%252f..%252fetc%252fpasswd',
  '%2e%2e/%2e%2e/etc/passwd',
  '..%5c..%5cetc%5cpasswd',
  '..\\..\\etc\\passwd',
  '%c0%ae%c0%ae/%c0%ae%c0%ae/etc/passwd',
  '%e0%80%af%e0%80%af',
  '%00',
  'x%00.xml',
  '%ff%fe',
  '%',
  '%zz',
  '.git%2fconfig',
  '%2fetc%2fpasswd',
  'file:%2f%2f%2fetc%2fpasswd',
  '__proto__',
]

/** Dots that lead to a page that is there are no way out. */
function isPlain(path: string): boolean {
  return ['/', '/api', '/config'].includes(
    new URL(path, 'http://x').pathname.replace(/(.)\/$/, '$1'),
  )
}

describe('a path that tries to get out', () => {
  it(
    'finds nothing at any address, and breaks nothing',
    { timeout: 60_000, tags: ['long'] },
    async () => {
      const service = await startService()
      const { operations } = await DescribedApi.read(service)
      const patterns = new Set(
        operations
          .filter(({ method, path }) => method === 'get' && path.includes('{'))
          .map(({ path }) => path),
      )
      const paths = [...patterns].flatMap((path) =>
        TRICKS.map((trick) => path.replaceAll(/\{\w+\}/g, () => trick)),
      )

      const found: string[] = []
      for (const path of paths) {
        const answer = await rawGet(service.url, path)
        const status = statusOf(answer)
        if (isPlain(path) && status === 200) continue
        if (status < 300 || status >= 500 || /root:|repositoryformatversion/.test(answer))
          found.push(`${path} ${answer.slice(0, 200)}`)
      }

      expect(paths.length).toBeGreaterThan(200)
      expect(found).toEqual([])
    },
  )

  it.each([
    'http://evil.example/api/agents',
    '//evil.example/api/agents',
    '*',
    '/./api/../api/agents',
  ])('is only ever a path of this service: %s', async (target) => {
    const service = await startService()

    const answer = await rawGet(service.url, target)

    expect([200, 400, 404]).toContain(statusOf(answer))
    expect(answer).not.toMatch(/^location:.*evil/im)
  })
})
