import { describe, expect, it } from 'vitest'
import { element } from '../support/documents/a-configuration.ts'
import { BuildScene, SECURED, statusesOf } from '../support/builds/build-service.ts'
import { startService } from '../support/service/service.ts'

const ADMINS = element('admins', {}, [element('user', {}, ['admin'])])
const WITHOUT_SOURCE = element('server', {}, [element('security', {}, [ADMINS])])
const NOTICE = 'Every user is an administrator'
const ON_PAGES = 'Everyone is an administrator until the configuration names some.'

describe('security', () => {
  it('is on where the configuration lists administrators and no password file', async () => {
    const scene = await BuildScene.open({ server: WITHOUT_SOURCE })
    const users = ['vera', 'olga']

    const read = (user: string) => scene.get('/api/config/revisions', user)

    expect(await statusesOf(users, read)).toEqual({ vera: 403, olga: 403 })
    expect((await scene.get('/api/config/revisions')).status).toBe(200)
  })

  it('knows the administrators whatever the case of their names', async () => {
    const admins = element('admins', {}, [element('user', {}, ['VERA'])])
    const server = element('server', {}, [element('security', {}, [admins])])
    const scene = await BuildScene.open({ server })
    const as = (name: string) =>
      scene.service
        .fetch('/api/config/revisions', { as: `${name}:vera` })
        .then(({ status }) => status)

    expect(await Promise.all(['vera', 'Vera', 'VERA'].map(as))).toEqual([200, 200, 200])
  })

  it('is said to be off at the start and on pages, while every user is an administrator', async () => {
    const service = await startService()

    const page = await (await service.fetch('/config')).text()

    expect(service.logged.filter(({ message }) => message.startsWith(NOTICE))).toHaveLength(1)
    expect(page).toContain(ON_PAGES)
  })

  it('is not said to be off once there are administrators', async () => {
    const scene = await BuildScene.open({ server: SECURED })

    const pages = [await scene.get('/config'), await scene.get('/pipelines', 'vera')]

    for (const page of pages) expect(await page.text()).not.toContain(ON_PAGES)
  })
})
