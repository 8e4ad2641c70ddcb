import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { save } from '../../support/service/saving.ts'
import { type CalledService, openService } from '../../support/service/service.ts'
import { DELEGATED } from '../../support/service/delegated-changes.ts'
import { delegate, loginOf } from '../../support/service/delegated-service.ts'
import { addSomeone, SOMEONE } from '../../support/service/someone-else.ts'
import { bearer, makeToken } from '../../support/service/tokens.ts'
import { PermissionsBody, WhoAmIBody } from '../../../src/wire/identity-bodies.ts'

const SECURITY = `<server><security><passwordFile path="/u" /><roles>
  <role name="crew"><users><user>someone</user></users></role></roles>
  <admins><user>admin</user></admins></security></server>`
const DOCUMENT = documentWith('one')
  .replace('<cruise schemaVersion="75">', (root) => root + SECURITY)
  .replace(
    '<pipelines group="first">',
    (group) => `${group}<authorization><view><role>crew</role></view></authorization>`,
  )

async function secured(): Promise<CalledService> {
  const service = await openService()
  await save(service, DOCUMENT)
  await addSomeone(service)
  return service
}

describe('GET /api/whoami', () => {
  it('says who calls, by what, and what the configuration says of them', async () => {
    const service = await secured()
    const { id, token } = await makeToken(service, 'operate', { as: SOMEONE })
    const ask = async (init: Parameters<CalledService['fetch']>[1]) =>
      WhoAmIBody.parse(await (await service.fetch('/api/whoami', init)).json())
    const someone = {
      name: 'someone',
      source: 'users-file',
      administrator: false,
      roles: ['crew'],
      groups: ['first'],
    }

    expect(await ask({})).toEqual({
      name: 'admin',
      source: 'users-file',
      administrator: true,
      roles: [],
      groups: ['first'],
      credential: { kind: 'password', scope: 'admin' },
    })
    expect(await ask({ as: SOMEONE.replace('someone', 'SOMEONE') })).toMatchObject(someone)
    expect(await ask(bearer(token))).toEqual({
      ...someone,
      credential: { kind: 'token', id, scope: 'operate' },
    })
  })
})

describe('GET /api/permissions', () => {
  it('says what a user may do and by which entry, to administrators', async () => {
    const service = await secured()
    const ask = (query: string, as?: string) =>
      service.fetch(`/api/permissions${query}`, as === undefined ? {} : { as })

    const answer = PermissionsBody.parse(await (await ask('?user=someone')).json())
    const own = PermissionsBody.parse(await (await ask('')).json())

    expect(answer).toEqual({
      user: 'someone',
      administrator: false,
      roles: ['crew'],
      permissions: [
        { permission: 'view pipeline one', because: ['role crew in view of the group first'] },
      ],
    })
    expect(own.permissions).toEqual([
      { permission: 'administer the server', because: ['user admin in admins of the server'] },
    ])
    expect((await ask('?user=nobody')).status).toBe(404)
    expect((await ask('?user=someone', SOMEONE)).status).toBe(403)
  })

  it('knows who administers a group or a template, as the page does', async () => {
    const service = await delegate(await openService())
    const root = loginOf('root')
    const ofUser = async (user: string) => {
      const answer = await service.fetch(`/api/permissions?user=${user}`, { as: root })
      const { permissions } = PermissionsBody.parse(await answer.json())
      return permissions.filter(({ permission }) => permission.startsWith('administer'))
    }

    const owner = await ofUser('owner')
    const read = async (path: string) => (await service.fetch(path, { as: root })).text()
    const page = await read('/permissions?q=owner')
    const templates = await read('/permissions?q=templater')
    const person = await read('/users/templater')

    expect(owner).toEqual(
      ['mine', 'ours'].map((group) => ({
        permission: `administer group ${group}`,
        because: [`user owner in admins of the group ${group}`],
      })),
    )
    expect(await ofUser('templater')).toEqual([
      {
        permission: 'administer template tpl',
        because: ['user templater in admins of the template tpl'],
      },
    ])
    expect(page).toMatch(/administer: user owner in admins of the group mine \(line \d+\)/)
    expect(templates).toMatch(/administer: user templater in admins of the template tpl/)
    expect(person).toContain('template tpl</a>')
    const given = DELEGATED.replace('<user>templater</user>', '<user>viewer</user>')
    expect((await save(service, given, root)).status).toBe(200)
    const changes = (await read('/permissions?from=r2')).replaceAll(/<[^>]*>/g, ' ')
    expect(changes.match(/administer +template tpl/g)).toHaveLength(2)
  })
})
