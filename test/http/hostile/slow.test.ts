// @module-tag long
// @module-tag node
import { setInterval as every } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { BASIC, RawConnection, statusOf } from '../../support/http/raw-http.ts'
import { startService } from '../../support/service/service.ts'

/** More than the limits of the server, which are 10 and 20 seconds, and less than those of Node. */
const TIMEOUT_MS = 26_000

async function drip(connection: RawConnection, text: string): Promise<void> {
  const letters = text.split('')
  for await (const _ of every(500)) {
    const letter = letters.shift()
    if (letter === undefined || !connection.socket.writable) return
    connection.say(letter)
  }
}

describe('a client that is slow on purpose', () => {
  it(
    'is sent away, whatever it holds up, while others are served',
    { timeout: 60_000 },
    async () => {
      const service = await startService()
      const began = performance.now()
      const silent = new RawConnection(service.url)
      const slowHeaders = new RawConnection(service.url)
      const slowBody = new RawConnection(service.url)
      const many = Array.from({ length: 200 }, () => new RawConnection(service.url))
      for (const connection of many) connection.say('GET /health HTTP/1.1\r\nHost: x\r\nX-A: ')
      slowBody.say(
        `PUT /api/admin/config.xml HTTP/1.1\r\nHost: x\r\nIf-Match: *\r\nAuthorization: ${BASIC}\r\nContent-Length: 1000\r\n\r\n<`,
      )
      void drip(slowHeaders, `GET /health HTTP/1.1\r\nHost: x\r\nX-A: ${'b'.repeat(200)}`)

      const health = await service.fetch('/health', { as: null })
      const [, dripped] = await Promise.all([
        silent.heard(),
        slowHeaders.heard(),
        slowBody.heard(),
        ...many.map((connection) => connection.heard()),
      ])

      expect(health.status).toBe(200)
      expect(statusOf(dripped)).toBe(408)
      expect(performance.now() - began).toBeLessThan(TIMEOUT_MS)
      expect((await service.fetch('/api/config/revisions')).status).toBe(200)
    },
  )
})
