import { createHash } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { pageOf, sendForm } from '../support/pages/page-forms.ts'
import { postForm, save } from '../support/service/saving.ts'
import { openService, type CalledService } from '../support/service/service.ts'

const WHY = 'Cart V2 breaks checkout: see INC-42 “now”\n\n<b>Not</b> before Friday'
const Entries = z.array(
  z.object({ md5: z.string(), commitSHA: z.string(), username: z.string(), message: z.string() }),
)

const ONE = documentWith('shop').replace(
  '</cruise>',
  '  <agents>\n    <agent uuid="one" hostname="one" ipaddress="10.0.0.1" />\n  </agents>\n</cruise>',
)
const TWO = ONE.replace('command="make"', 'command="ninja"')

async function saved(): Promise<CalledService> {
  const service = await openService()
  expect((await save(service, ONE)).status).toBe(200)
  return service
}

function put(service: CalledService, document: string, message: string): Promise<Response> {
  const headers = { 'if-match': '*', 'x-cairn-message': message }
  return service.fetch('/api/admin/config.xml', { method: 'PUT', headers, body: document })
}

async function newest(service: CalledService) {
  const response = await service.fetch('/api/config/revisions?limit=1')
  return Entries.parse(await response.json())[0]
}

function commitOf({ repository }: CalledService): { subject: string; body: string } {
  const [subject = '', body = ''] = git(repository, 'log', '-1', '--format=%s%x00%b').split('\0')
  return { subject, body }
}

describe('the message of a change', () => {
  it('is the body of the commit, above its facts, and stands with the revision', async () => {
    const service = await saved()

    const response = await put(service, TWO, encodeURIComponent(WHY))

    expect(response.status).toBe(200)
    const { subject, body } = commitOf(service)
    expect(subject).toMatch(/^shop: .*make.*ninja/)
    expect(body).toMatch(new RegExp(`^${WHY.replaceAll(/[.*+?^$()]/g, '\\$&')}\n\nConfig-MD5: `))
    expect(await newest(service)).toMatchObject({ message: WHY, username: 'admin' })
    const feed: unknown = await (await service.fetch('/config/feed.json')).json()
    expect(feed).toMatchObject([{ message: WHY, subject }, { message: '' }, { message: '' }])
    const atom = await (await service.fetch('/config/feed.atom')).text()
    expect(atom).toContain('INC-42 “now”')
    const found = await service.fetch('/api/config/revisions?q=inc-42')
    expect(await found.json()).toHaveLength(1)
  })

  it.each(['/config', '/config/compare/r2/r3', '/config/compare/r1/r3', '/config/r3'])(
    'is shown on %s',
    async (path) => {
      const service = await saved()
      await put(service, TWO, encodeURIComponent(WHY))

      const html = await pageOf(service, path)

      expect(html).toContain('see INC-42')
      expect(html).toContain('&lt;b&gt;Not&lt;/b&gt;')
    },
  )

  it('is shown with the steps of an entity and between its runs', async () => {
    const service = await saved()
    await put(service, TWO, encodeURIComponent(WHY))

    const entity = () => pageOf(service, '/config/entity/pipeline/shop')
    await expect.poll(entity).toContain('see INC-42')
    expect(await pageOf(service, '/pipelines/shop')).toContain('see INC-42')
  })

  it('comes from the field of a form at every save by one', async () => {
    const service = await saved()
    const md5 = createHash('md5').update(ONE).digest('hex')
    const said: (string | undefined)[] = []
    const say = async (sent: Promise<Response>) => {
      const { status } = await sent
      expect([200, 201, 303]).toContain(status)
      said.push((await newest(service))?.message)
    }
    const post = (path: string, fields: Record<string, string>) => postForm(service, fields, path)

    await say(post('/api/admin/config.xml', { xmlFile: TWO, md5, message: 'one\r\ntwo ' }))
    await say(
      post('/tab/admin/pipelines/new.json', {
        url: 'https://git.example.org/new.git',
        scm: 'git',
        message: 'created',
      }),
    )
    await say(post('/api/agents/one/disable', { message: 'too old' }))
    await say(
      service.fetch('/api/agents/one', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ resources: ['linux'], message: 'has Linux now' }),
      }),
    )
    await say(post('/api/agents/one/delete', { message: 'sold' }))
    const edited = (await (await service.fetch('/api/admin/config.xml')).text()).replace(
      'ninja',
      'bazel',
    )
    const { md5: basedOn = '' } = (await newest(service)) ?? {}
    await say(
      sendForm(service, '/config/edit', { xml: edited, basedOn, action: 'save', message: 'OPS-1' }),
    )

    expect(said).toEqual(['one\ntwo', 'created', 'too old', 'has Linux now', 'sold', 'OPS-1'])
  })

  it('forges no facts, however it ends, also when the history is read anew', async () => {
    const service = await saved()
    const forged = `Fine\n\nConfig-MD5: ${'0'.repeat(32)}\nConfig-Time: 1\nSchema-Version: 1\nServer-Edition: x\nServer-Version: y\nConfig-User: "eve"`

    await put(service, TWO, encodeURIComponent(forged))
    const before = await newest(service)
    await service.close()
    rmSync(join(service.repository, '.git/cairn/revisions'))
    const again = await openService([], service.folder)

    const digest = createHash('md5').update(TWO).digest('hex')
    expect(before).toMatchObject({ md5: digest, username: 'admin', message: forged })
    expect(await newest(again)).toEqual(before)
    const facts = git(service.repository, 'log', '-1', '--format=%(trailers:key=Config-MD5)')
    expect(facts.trim()).toBe(`Config-MD5: ${digest}`)
  })

  it('stays when the service starts with the index that another version has left', async () => {
    const service = await saved()
    await put(service, TWO, 'why')
    await service.close()
    writeFileSync(join(service.repository, '.git/cairn/revisions'), 'cairn revisions 4\n')

    const again = await openService([], service.folder)

    expect(await newest(again)).toMatchObject({ message: 'why' })
  })

  it.each([
    { what: 'too long', sent: 'x'.repeat(4001) },
    { what: 'not percent-encoded UTF-8', sent: '%ff' },
    { what: 'written in another encoding', sent: 'für' },
    { what: 'unfit to be shown', sent: 'bell%07' },
  ])('is refused, and nothing is saved, when it is $what', async ({ sent }) => {
    const service = await saved()

    const response = await put(service, TWO, sent)

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      errors: [{ path: 'x-cairn-message', message: expect.any(String) }],
    })
    expect(await newest(service)).toMatchObject({ message: '' })
  })

  it('of a native commit is its body, and its subject is shown too', async () => {
    const service = await saved()
    writeFileSync(join(service.repository, 'config.xml'), TWO)
    const words = ['--message', 'Give unit tests more time', '--message', 'They swap: OPS-77']
    git(service.repository, 'commit', '--quiet', '--all', ...words)

    const message = async () => (await newest(service))?.message
    await expect.poll(message).toBe('They swap: OPS-77')

    for (const path of ['/config', '/config/compare/r2/r3', '/config/r3']) {
      const html = await pageOf(service, path)
      expect(html).toContain('Give unit tests more time')
      expect(html).toContain('OPS-77')
    }
  })
})

describe('the reason of a restore', () => {
  it.each([
    { form: '/config/entity/pipeline/shop/restore/r2', said: /restored.*pipeline shop from.*r2/s },
    { form: '/config/r2/restore', said: /restored.*everything from.*r2/s },
    { form: '/config/r3/undo', said: /reverts.*r3/s },
  ])('is its message, and pages say what it took up again: $form', async ({ form, said }) => {
    const service = await saved()
    await save(service, TWO)
    const { md5: basedOn = '' } = (await newest(service)) ?? {}

    const response = await sendForm(service, form, { basedOn, reason: WHY })

    expect(response.status).toBe(303)
    expect(await newest(service)).toMatchObject({ message: WHY })
    expect(commitOf(service).subject).toMatch(/^(Restore|Undo) .*r\d by admin$/)
    const pages = ['/config', '/config/compare/r3/r4', '/config/r4']
    for (const path of [...pages, '/config/entity/pipeline/shop', '/pipelines/shop']) {
      const html = await pageOf(service, path)
      expect(html).toContain('see INC-42')
      expect(html).toMatch(said)
    }
  })

  it('is empty where a form of any type has no body', async () => {
    const service = await saved()

    for (const type of ['multipart/form-data', 'application/x-www-form-urlencoded']) {
      const headers = { 'content-type': type }
      for (const path of ['/api/agents/one/disable', '/api/agents/one/enable']) {
        expect((await service.fetch(path, { method: 'POST', headers })).status).toBe(200)
        expect(await newest(service)).toMatchObject({ message: '' })
      }
    }
  })
})
