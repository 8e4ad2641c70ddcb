import { describe, expect, it } from 'vitest'
import { BuildScene } from '../../support/builds/build-service.ts'
import { sendForm } from '../../support/pages/page-forms.ts'
import { openService } from '../../support/service/service.ts'

/** Forms with a wrong value: the page, what is sent, the field, and what is said at it. */
const REFUSED = [
  ['/users', { name: 'ana', password: 'eight or more', again: 'eight or less' }, 'again', 'differ'],
  ['/users', { name: 'ana', password: 'short', again: 'short' }, 'password', 'A password has 8'],
  ['/users', { name: 'Admin' }, 'name', 'There is a user admin already'],
  ['/users/admin', { action: 'password', password: 'a', again: 'b' }, 'again', 'differ'],
  ['/account', { old: 'wrong', password: 'eight or more', again: 'eight or more' }, 'old', 'wrong'],
  ['/tokens', { action: 'create', name: '', scope: 'read' }, 'name', 'A token name has'],
  [
    '/tokens',
    { action: 'create', name: 'nightly', scope: 'read', expires: '2015-06-05' },
    'expires',
    'in the past',
  ],
  [
    '/agent-invitations',
    { action: 'create', hours: '24', resources: 'a/b' },
    'resources',
    'is not the name of a resource',
  ],
  ['/config/new-pipeline', { action: 'preview', name: 'web shop!' }, 'name', 'Use letters'],
  ['/config/new-pipeline', { action: 'preview', name: 'web' }, 'url', 'Enter the URL'],
] as const

/** Forms with a wrong value, and how the others stand in the page that says so. */
const PARTLY_WRONG = [
  [
    '/tokens',
    { action: 'create', name: 'nightly', scope: 'operate', expires: '2015-06-05' },
    [/ name="name" value="nightly"/, / value="operate" selected/, / value="2015-06-05"/],
  ],
  [
    '/agent-invitations',
    { action: 'create', hours: '168', resources: 'linux, a/b' },
    [/ value="168" selected/, / value="linux, a\/b"/],
  ],
  [
    '/account/mail',
    { address: 'ana@example.org', fails: '1', entities: 'group/none', pipelines: '' },
    [
      / value="ana@example.org"/,
      / name="fails"[^>]* checked/,
      / name="breaks" value="1"\/?>/,
      /<textarea name="entities"[^>]* aria-invalid="true"[^>]*>group\/none</,
    ],
  ],
] as const

describe('a form that is refused', () => {
  it.each(REFUSED)('says it at the field, on %s', async (path, sent, name, words) => {
    const service = await openService()

    const html = await (await sendForm(service, path, sent)).text()

    const field = new RegExp(`<input[^>]* name="${name}"[^>]*>`).exec(html)?.[0]
    expect(field).toContain('aria-invalid="true"')
    const [, described = ''] = /aria-describedby="([^"]+)"/.exec(field ?? '') ?? []
    expect(new RegExp(`id="${described}">([^<]*)<`).exec(html)?.[1]).toContain(words)
  })

  it.each(PARTLY_WRONG)('keeps what was typed, on %s', async (path, sent, kept) => {
    const service = await openService()

    const answer = await sendForm(service, path, sent)

    expect(answer.status).toBe(400)
    const html = await answer.text()
    expect(kept.filter((field) => !field.test(html))).toEqual([])
  })

  it('says above all fields what is about none of them', async () => {
    const { service, origin } = await BuildScene.open()
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ saves: 'refused', reason: 'New disks' })
    await service.fetch('/api/maintenance', { method: 'POST', headers, body })
    const typed = { name: 'web', scm: 'git', url: origin, builder: 'exec', command: 'true' }

    const answer = await sendForm(service, '/config/new-pipeline', { action: 'create', ...typed })
    const html = await answer.text()

    expect(answer.status).toBe(503)
    expect(html).toContain('changes of the configuration are refused: New disks')
    expect(html).not.toContain('aria-invalid')
  })
})
