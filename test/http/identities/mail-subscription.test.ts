import { describe, expect, it } from 'vitest'
import { aConfiguration, git } from '../../support/documents/a-configuration.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { flagsFor, PeopleProvider, PUBLIC_URL } from '../../support/identities/people-provider.ts'
import { WalkingBrowser } from '../../support/identities/walking-browser.ts'
import { sendForm } from '../../support/pages/page-forms.ts'
import { until } from '../../support/programs/until.ts'
import { MailReceiver } from '../../support/service/mail-receiver.ts'
import { mailServerElement, subscribeByForm } from '../../support/service/mail-scene.ts'
import { save } from '../../support/service/saving.ts'
import { type CalledService, openService } from '../../support/service/service.ts'
import { bearer, makeToken } from '../../support/service/tokens.ts'

const PATH = '/api/account/mail'
const USUAL = { news: ['breaks', 'fixed'], own: true, pipelines: [], entities: [], proposals: true }
const DAY_MS = 86_400_000

async function put(service: Pick<CalledService, 'fetch'>, body: object, headers = {}) {
  const init = { method: 'PUT', body: JSON.stringify(body), headers }
  const answer = await service.fetch(PATH, init)
  return { status: answer.status, body: await answer.json() }
}

async function read(service: Pick<CalledService, 'fetch'>): Promise<unknown> {
  return (await service.fetch(PATH)).json()
}

describe('the subscription of the caller', () => {
  it('is read, replaced and ended, and is the one of the page', async () => {
    const service = await openService()
    await save(service, aConfiguration({ pipelines: [{ name: 'shop', materials: [git('a')] }] }))
    expect(await read(service)).toEqual({ address: '', ...USUAL })

    const wanted = {
      address: 'kim@example.org',
      pipelines: ['shop'],
      entities: ['group/defaultGroup'],
    }
    expect(await put(service, wanted)).toEqual({ status: 200, body: { ...USUAL, ...wanted } })
    expect(await read(service)).toEqual({ ...USUAL, ...wanted })
    const page = await (await service.fetch('/account')).text()
    expect(page).toContain('value="kim@example.org"')
    await sendForm(service, '/account/mail', { address: 'lee@example.org', fails: '1' })
    expect(await read(service)).toMatchObject({ address: 'lee@example.org', news: ['fails'] })

    const ended = await service.fetch(PATH, { method: 'DELETE' })
    expect([ended.status, await ended.json()]).toEqual([200, { message: 'You get no more mail' }])
    expect(await read(service)).toEqual({ address: '', ...USUAL })
  })

  it('is refused with the field that is wrong, and to a token', async () => {
    const service = await openService()
    for (const [body, path] of [
      [{ address: 'kim' }, 'address'],
      [{}, 'address'],
      [{ address: 'kim@example.org', news: ['breakages'] }, 'news.0'],
      [{ address: 'kim@example.org', pipelines: ['none'] }, 'pipelines'],
      [{ address: 'kim@example.org', entities: ['group/none'] }, 'entities'],
    ] as const) {
      const { status, body: refusal } = await put(service, body)
      expect([status, refusal]).toEqual([
        400,
        expect.objectContaining({ errors: [expect.objectContaining({ path })] }),
      ])
    }
    const { token } = await makeToken(service, 'admin')
    const ended = await service.fetch(PATH, { method: 'DELETE', ...bearer(token) })
    expect(ended.status).toBe(403)
  })
})

describe('a subscriber of an OpenID Connect provider', () => {
  it('is asked for an address, gets mail there, and gets none without a login for 30 days', async () => {
    const [receiver, provider] = [await MailReceiver.open(), await PeopleProvider.start()]
    provider.person = { preferred_username: 'ana' }
    let ahead = 0
    const clock = () => Date.now() + ahead
    const service = await openService(flagsFor(provider.issuer), tempDir(), { clock })
    const documentOf = (name: string) =>
      aConfiguration({
        server: mailServerElement(receiver),
        pipelines: [{ name, materials: [git('a')] }],
      })
    await save(service, documentOf('one'))
    const browser = new WalkingBrowser(service)
    const login = await browser.go('/login/oidc?next=%2Faccount')
    expect(login.text).toContain('enter an address to get them')

    const headers = {
      cookie: `__Host-cairn=${browser.cookie('__Host-cairn') ?? ''}`,
      host: new URL(PUBLIC_URL).host,
      origin: PUBLIC_URL,
    }
    const asAna = {
      fetch: (path: string, init: RequestInit = {}) =>
        service.fetch(path, { ...init, as: null, headers }),
    }
    const wanted = { address: 'ana@example.org', entities: ['group/defaultGroup'] }
    expect(await put(asAna, wanted)).toMatchObject({ status: 200 })
    expect(await (await asAna.fetch('/account')).text()).toContain('not logged in for 30 days')
    await save(service, documentOf('two'))
    await until(() => receiver.mails.length === 1 && receiver.isIdle)
    expect(receiver.mails[0]?.to).toEqual(['ana@example.org'])

    await subscribeByForm(service, { entities: 'group/defaultGroup' })
    ahead += 31 * DAY_MS
    await save(service, documentOf('three'))
    await until(() => receiver.mails.length === 2 && receiver.isIdle)
    await new WalkingBrowser(service).go('/login/oidc?next=%2Faccount')
    ahead += DAY_MS
    await save(service, documentOf('four'))
    await until(() => receiver.mails.length === 4)
    const readers = receiver.mails.slice(1).flatMap(({ to }) => to)
    expect(readers.toSorted()).toEqual([
      'admin@example.org',
      'admin@example.org',
      'ana@example.org',
    ])
    expect(receiver.textsTo('ana@example.org').join('\n')).not.toContain('two → three')
  })
})
