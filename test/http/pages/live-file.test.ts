import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BASE, currentOf, md5, submit, textIn } from '../../support/pages/editor-forms.ts'
import { joined, KEY } from '../../support/pages/agents-page.ts'
import { sendForm } from '../../support/pages/page-forms.ts'
import { until } from '../../support/programs/until.ts'
import { save } from '../../support/service/saving.ts'
import { addSomeone, ADMIN_ALONE, SOMEONE } from '../../support/service/someone-else.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const BROKEN = BASE.replace('<job name="unit">', '<job nmae="unit">')
const EDITED = BASE.replace('alpha.git', 'other.git')

const Revisions = z.tuple([z.object({ commitSHA: z.string() })], z.unknown())

/** A service with an invalid live file. */
async function withInvalidFile(text = BROKEN, flags: readonly string[] = []): Promise<TestService> {
  const service = await startService(['--poll-interval', '100ms', ...flags])
  await save(service, BASE)
  writeFileSync(live(service), text)
  await until(async () => (await (await service.fetch('/health')).text()).includes('not valid'))
  return service
}

function live({ repository }: TestService): string {
  return join(repository, 'config.xml')
}

/** The names of the files that were set aside. */
function asideIn({ repository }: TestService): string[] {
  return readdirSync(repository).filter((name) => name.startsWith('config.xml.invalid-'))
}

async function pageAt(service: TestService, path: string): Promise<string> {
  return (await service.fetch(path)).text()
}

/** Sends a form that succeeds, and names the page after it. */
async function sent(
  service: TestService,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<string> {
  const response = await sendForm(service, path, fields)
  expect(response.status).toBe(303)
  return response.headers.get('location') ?? ''
}

function asideText(service: TestService): string {
  return `The file on disk was not valid, and is kept as ${asideIn(service).join()}.`
}

function versionIn(html: string): string {
  return /name="version" value="([^"]+)"/.exec(html)?.[1] ?? ''
}

function putAside(service: TestService, version: string): Promise<Response> {
  const body = new URLSearchParams({ version })
  return service.fetch('/config/live', { method: 'POST', body })
}

describe('a file on disk that is not valid', () => {
  it('is shown with its problems, and compared with the current configuration', async () => {
    const service = await withInvalidFile()

    const html = await pageAt(service, '/config/live')

    expect(html).toContain('The file on disk is not valid')
    expect(html).toContain('Line 10: ')
    expect(html).toContain('nmae')
    expect(html).toContain('Compared with r2')
    expect(readFileSync(live(service), 'utf8')).toBe(BROKEN)
  })

  it('shows no secret that stands in it', async () => {
    const service = await withInvalidFile(
      BROKEN.replace('<git url=', '<svn username="u" password="hunter2" url='),
    )

    const html = await pageAt(service, '/config/live')

    expect(html).toContain('The file on disk is not valid')
    expect(html).not.toContain('hunter2')
  })

  it('is put aside under a name that is said', async () => {
    const service = await withInvalidFile()

    const response = await putAside(service, versionIn(await pageAt(service, '/config/live')))
    const [name = ''] = asideIn(service)
    const html = await pageAt(service, response.headers.get('location') ?? '')

    expect(response.status).toBe(303)
    expect(readFileSync(join(service.repository, name), 'utf8')).toBe(BROKEN)
    expect(readFileSync(live(service), 'utf8')).toBe(BASE)
    expect(html).toContain(`The file on disk is kept as ${name}.`)
    expect(html).toContain('The file on disk is valid')
  })

  it('is not put aside once somebody has changed it', async () => {
    const service = await withInvalidFile()
    const version = versionIn(await pageAt(service, '/config/live'))

    writeFileSync(live(service), BROKEN.replace('nmae', 'name2'))
    const response = await putAside(service, version)

    expect(response.status).toBe(412)
    expect(await response.text()).toContain('The file on disk has changed since')
    expect(asideIn(service)).toEqual([])
  })

  it('is taken when it is valid again', async () => {
    const service = await withInvalidFile()

    writeFileSync(live(service), EDITED)
    const html = await pageAt(service, '/config/live')

    expect(html).toContain('The file on disk is valid')
    expect(html).toContain('>r3</a> by File on disk')
    expect(await currentOf(service)).toBe(EDITED)
  })

  it('is repaired in the editor', async () => {
    const service = await withInvalidFile()

    const editor = await pageAt(service, '/config/edit?from=live')
    const response = await submit(service, { xml: EDITED, action: 'save' })
    const saved = await pageAt(service, response.headers.get('location') ?? '')

    expect(textIn(editor)).toBe(BROKEN)
    expect(editor.match(/on disk/g)).toHaveLength(1)
    expect(editor).toContain('data-line="10"')
    expect(editor).toContain(`name="basedOn" value="${md5(BASE)}"`)
    expect(saved).toContain(
      `Saved as r3. The file on disk was not valid, and is kept as ${asideIn(service).join()}.`,
    )
    expect(readFileSync(live(service), 'utf8')).toBe(EDITED)
  })

  it('is named by the editor and its preview before a save replaces it', async () => {
    const service = await withInvalidFile()

    const editor = await pageAt(service, '/config/edit')
    const preview = await (await submit(service, { xml: EDITED, action: 'preview' })).text()

    for (const html of [editor, preview]) {
      expect(html).toContain('Saving here renames that file')
      expect(html).toContain('href="/config/live"')
      expect(html.match(/on disk/g)).toHaveLength(1)
    }
    expect(asideIn(service)).toEqual([])
  })

  it('is named after a restore that replaces it', async () => {
    const service = await withInvalidFile()

    const fields = { basedOn: md5(BASE), reason: 'It worked' }
    const location = await sent(service, '/config/r1/restore', fields)

    expect(await pageAt(service, location)).toContain(`Saved as r3. ${asideText(service)}`)
  })

  it('is named after a new pipeline that replaces it', async () => {
    const service = await withInvalidFile()

    const location = await sent(service, '/config/new-pipeline', {
      action: 'create',
      name: 'delta',
      scm: 'git',
      url: 'https://example.org/delta.git',
    })

    expect(await pageAt(service, location)).toContain(
      `Created pipeline delta. ${asideText(service)}`,
    )
  })

  it('is named once after a change of several agents that replaces it', async () => {
    const service = await withInvalidFile(BROKEN, ['--auto-register-key', KEY])
    const agents = [await joined(service, {}), await joined(service, {})]
    writeFileSync(live(service), BROKEN)
    await until(async () => (await (await service.fetch('/health')).text()).includes('not valid'))
    const kept = asideIn(service)

    const chosen = agents.map(({ uuid }) => ['agent', uuid] as const)
    const response = await sendForm(service, '/agents', [['action', 'disable'], ...chosen])
    const html = await response.text()

    const [name = ''] = asideIn(service).filter((each) => !kept.includes(each))
    expect(html.split(`The file on disk was not valid, and is kept as ${name}.`)).toHaveLength(2)
  })

  it('is named in the answer to a save by a program', async () => {
    const service = await withInvalidFile()

    const headers = { 'if-match': `"${md5(BASE)}"` }
    const init = { method: 'PUT', body: EDITED, headers }
    const saved = await service.fetch('/api/admin/config.xml', init)
    const again = await service.fetch('/api/admin/config.xml', {
      ...init,
      headers: { 'if-match': '*' },
      body: BASE,
    })

    const [name] = asideIn(service)
    expect(await saved.json()).toEqual({
      message: `The configuration is saved; the file on disk was not valid, and is kept as ${name}`,
      setAside: name,
    })
    expect(await again.json()).toEqual({ message: 'The configuration is saved' })
  })

  it('is for administrators', async () => {
    const service = await withInvalidFile()
    await save(service, BASE.replace('<pipelines', `${ADMIN_ALONE}<pipelines`))
    await addSomeone(service)

    const body = new URLSearchParams({ version: 'x' })
    const read = await service.fetch('/config/live', { as: SOMEONE })
    const put = await service.fetch('/config/live', { method: 'POST', body, as: SOMEONE })

    expect([read.status, put.status]).toEqual([403, 403])
  })

  it('is named by every call that saves over it', async () => {
    const agents = '<agents><agent uuid="a1" hostname="one" ipaddress="192.0.2.7" /></agents>'
    const service = await startService(['--poll-interval', '100ms'])
    await save(service, BASE.replace('</cruise>', `${agents}</cruise>`))
    const [{ commitSHA: first }] = Revisions.parse(
      await (await service.fetch('/api/config/revisions')).json(),
    )
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const form = (fields: Readonly<Record<string, string>>) => ({
      method: 'POST',
      headers: type,
      body: new URLSearchParams(fields).toString(),
    })
    const pipeline = { scm: 'git', url: 'https://example.org/x.git', builder: 'exec' }
    const calls: readonly (readonly [string, RequestInit])[] = [
      ['/tab/admin/pipelines/x.json', form({ ...pipeline, command: 'make', pipelineGroup: 'g' })],
      ['/api/agents/a1', { ...form({ hostname: 'two' }), method: 'PATCH' }],
      ['/api/agents/a1/disable', { method: 'POST' }],
      ['/api/agents/a1/delete', { method: 'POST' }],
      [`/api/config/revisions/${first}/restore`, { method: 'POST' }],
    ]

    for (const [path, init] of calls) {
      const known = asideIn(service)
      writeFileSync(live(service), BROKEN)
      await until(async () => (await (await service.fetch('/health')).text()).includes('not valid'))
      const answer = await (await service.fetch(path, init)).text()
      const [name] = asideIn(service).filter((each) => !known.includes(each))
      expect([path, answer]).toEqual([path, expect.stringContaining(`"setAside":"${name}"`)])
    }
  })
})
