import { describe, expect, it } from 'vitest'
import { type CalledService, openService } from '../../support/service/service.ts'
import { bearer } from '../../support/service/tokens.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

function send(service: CalledService, fields: Record<string, string>, headers = {}) {
  const body = new URLSearchParams(fields).toString()
  return service.fetch('/tokens', { method: 'POST', headers: { ...FORM, ...headers }, body })
}

describe('the page of the own tokens', () => {
  it('shows a new token once, and a form that revokes it', async () => {
    const service = await openService()

    const made = await send(service, {
      action: 'create',
      name: 'a <b> report',
      scope: 'operate',
      expires: '2099-12-31',
    })

    const [token = ''] = /cairn_\w{36}/.exec(await made.text()) ?? []
    expect(made.headers.get('cache-control')).toBe('no-store')
    expect((await service.fetch('/api/agents', bearer(token))).status).toBe(200)
    expect(await (await service.fetch('/api/tokens')).json()).toMatchObject([
      { expires: '2099-12-31T23:59:59.999Z' },
    ])
    const page = await (await service.fetch('/tokens')).text()
    expect(page).not.toContain(token)
    expect(page).toContain('a &lt;b&gt; report')
    expect(page).toContain('31 Dec 2099')
    const [, id = ''] = /name="token" value="(\w+)"/.exec(page) ?? []
    const revoked = await send(service, { action: 'revoke', token: id })
    const after = await service.fetch(revoked.headers.get('location') ?? '')
    expect(revoked.status).toBe(303)
    expect(await after.text()).toContain('Revoked token a &lt;b&gt; report.')
    expect((await service.fetch('/api/agents', bearer(token))).status).toBe(401)
  })

  it('says what is wrong with a form, and makes nothing', async () => {
    const service = await openService()

    const answer = await send(service, {
      action: 'create',
      name: 'one',
      scope: 'read',
      expires: '2001-01-01',
    })

    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('The expiry is in the past.')
    expect(await (await service.fetch('/api/tokens')).json()).toEqual([])
  })

  it('takes nothing from another site', async () => {
    const service = await openService()
    const fields = { action: 'create', name: 'one', scope: 'admin' }

    const answer = await send(service, fields, { 'sec-fetch-site': 'cross-site' })

    expect(answer.status).toBe(403)
    expect(await (await service.fetch('/api/tokens')).json()).toEqual([])
  })
})
