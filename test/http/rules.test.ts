import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ErrorBody } from '../../src/wire/error-body.ts'
import { shared } from '../support/programs/at-end.ts'
import { startService } from '../support/service/service.ts'

describe('the common rules', () => {
  /** For tests that change nothing. */
  const reading = shared(() => startService())

  it.each([null, 'admin:wrong', 'nobody:x'])(
    'refuse the credentials %s with a challenge',
    async (as) => {
      const service = reading()

      const response = await service.fetch('/api/admin/config.xml', { as })

      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Basic realm="cairn"')
      expect(ErrorBody.parse(await response.json()).message).not.toBe('')
    },
  )

  it('answer health without credentials', async () => {
    const service = reading()

    const response = await service.fetch('/health', { as: null })

    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ status: 'ok', revisions: 1 })
  })

  it('name the methods of an address that has others', async () => {
    const service = reading()

    const response = await service.fetch('/api/config/revisions', { method: 'DELETE' })

    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
    expect(ErrorBody.parse(await response.json()).message).toContain('GET')
  })

  it.each(['/api/nothing', '/api/admin/config', '/api/config/diff/a'])(
    'say 404 in JSON at %s',
    async (path) => {
      const service = reading()

      const response = await service.fetch(path)

      expect(response.status).toBe(404)
      expect(ErrorBody.parse(await response.json()).message).not.toBe('')
    },
  )

  it('pass over a trailing slash, unknown parameters and whatever Accept asks for', async () => {
    const service = reading()

    const response = await service.fetch('/api/config/revisions/?colour=blue', {
      headers: { accept: 'image/png' },
    })

    expect(response.status).toBe(200)
  })

  it('hold under a base path and nowhere else', async () => {
    const service = await startService(['--base-path', '/go'])
    const outside = service.url.replace(/\/go$/, '')

    const inside = await service.fetch('/health', { as: null })
    const beside = await fetch(`${outside}/gopher/health`)

    expect(inside.status).toBe(200)
    expect(beside.status).toBe(401)
  })

  it('refuse a change that another site sends with the user’s credentials', async () => {
    const service = reading()
    const headers = { 'sec-fetch-site': 'cross-site', 'if-match': '*' }

    const response = await service.fetch('/api/admin/config.xml', {
      method: 'PUT',
      headers,
      body: 'x',
    })

    expect(response.status).toBe(403)
  })

  it('take a change of the users file without a restart', async () => {
    const service = await startService()
    expect((await service.fetch('/api/config/revisions')).status).toBe(200)

    writeFileSync(join(service.folder, 'state', 'users.htpasswd'), '')

    await expect.poll(async () => (await service.fetch('/api/config/revisions')).status).toBe(401)
  })
})
