import { expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { flagsFor, PeopleProvider, PUBLIC_URL } from '../../support/identities/people-provider.ts'
import { WalkingBrowser } from '../../support/identities/walking-browser.ts'
import { putRules } from '../../support/service/ruled-service.ts'
import { save } from '../../support/service/saving.ts'
import { ADMIN_PASSWORD, openService } from '../../support/service/service.ts'

const SECURITY = `<server><security><roles><role name="Crew"><users><user>nobody</user></users></role></roles>
  <admins><user>root</user></admins></security></server>`
const DOCUMENT = documentWith('one')
  .replace('<cruise schemaVersion="75">', (root) => root + SECURITY)
  .replace(
    '<pipelines group="first">',
    (group) => `${group}<authorization><admins><role>Crew</role></admins></authorization>`,
  )

/** A rule that needs so many approvals, none of them by those who are named. */
function rulesFor(approvals: number, not: string): string {
  return `version: 1
rules:
  - name: eyes
    match: { entity: pipeline in group/first }
    need: [{ approvals: ${approvals}, of: role/Crew }]
    not: [${not}]
`
}

/** A service with rules, and a way to act in it as an account of the provider, by any name. */
async function openWorld(rules: string) {
  const provider = await PeopleProvider.start()
  const service = await openService(flagsFor(provider.issuer))
  await save(service, DOCUMENT)
  await putRules(service, rules, `admin:${ADMIN_PASSWORD}`)
  const act = async (account: string, name: string, path: string, body: object = {}) => {
    provider.account = account
    provider.person = { preferred_username: name, groups: ['crew'] }
    const browser = new WalkingBrowser(service)
    await browser.go('/login/oidc')
    const cookie = `__Host-cairn=${browser.cookie('__Host-cairn') ?? ''}`
    const answer = await service.fetch(`/api/proposals${path}`, {
      method: 'POST',
      as: null,
      headers: { cookie, host: new URL(PUBLIC_URL).host, 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify(body),
    })
    return answer.status
  }
  const read = await service.fetch('/api/config/entities/pipeline/one')
  const xml = (await read.text()).replace('name="one"', 'name="one" labeltemplate="x-${COUNT}"')
  const change = { title: 'A label', entities: [{ kind: 'pipeline', name: 'one', xml }] }
  return { act, change }
}

it.each(['author', 'contributor'])(
  'who has another name at the provider does not approve the own proposal as %s',
  async (not) => {
    const { act, change } = await openWorld(rulesFor(1, not))
    expect(await act('one', 'ana', '', change)).toBe(201)

    const own = [await act('one', 'anna', '/1/approve'), await act('one', 'ana', '/1/merge')]
    const others = [await act('two', 'ben', '/1/approve'), await act('one', 'anna', '/1/merge')]

    expect(own).toEqual([200, 403])
    expect(others).toEqual([200, 200])
  },
)

it('who has another name at the provider approves once', async () => {
  const { act, change } = await openWorld(rulesFor(2, 'author'))
  expect(await act('one', 'ana', '', change)).toBe(201)
  const approvals = [await act('two', 'ben', '/1/approve'), await act('two', 'benn', '/1/approve')]

  const early = await act('one', 'ana', '/1/merge')
  const second = [await act('three', 'cid', '/1/approve'), await act('one', 'ana', '/1/merge')]

  expect(approvals).toEqual([200, 200])
  expect(early).toBe(403)
  expect(second).toEqual([200, 200])
})
