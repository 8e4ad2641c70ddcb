import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { git } from '../../support/git/git.ts'
import { BASE, currentOf, serviceAt, textIn } from '../../support/pages/editor-forms.ts'
import { addSomeone, ADMIN_ALONE, SOMEONE } from '../../support/service/someone-else.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const PAGE = '/config/new-pipeline'
const GIT = {
  name: 'delta',
  pipelineGroup: 'first',
  scm: 'git',
  url: 'https://example.org/delta.git',
  builder: 'exec',
  command: 'make all',
}

/** The parameters of the call that creates a pipeline. */
const FIELDS = [
  'name',
  'pipelineGroup',
  'builder',
  'buildfile',
  'target',
  'command',
  'source',
  'dest',
  'scm',
  'url',
  'branch',
  'username',
  'password',
  'useTickets',
  'view',
  'domain',
  'projectPath',
]

async function pageAt(service: TestService, path: string): Promise<string> {
  return (await service.fetch(path)).text()
}

function send(service: TestService, fields: Record<string, string>): Promise<Response> {
  return service.fetch(PAGE, { method: 'POST', body: new URLSearchParams(fields) })
}

/** A service with a user who administers the first group, and nothing else. */
async function serviceWithGroupAdmin(): Promise<TestService> {
  const admins = '<admins><user>someone</user></admins>'
  const secured = BASE.replace('<pipelines', `${ADMIN_ALONE}<pipelines`)
  const service = await serviceAt(
    secured.replace(/(<pipelines [^>]*>)/, `$1<authorization>${admins}</authorization>`),
  )
  await addSomeone(service)
  return service
}

describe('the form for a new pipeline', () => {
  it('is reached from the list of pipelines, and has every field of the call', async () => {
    const service = await serviceAt()

    const list = await pageAt(service, '/pipelines')
    const html = await pageAt(service, PAGE)

    expect(list).toContain(`href="${PAGE}"`)
    const fields = [...html.matchAll(/ id="(\w+)" name="\1"/g)].map(([, name]) => name)
    expect(fields).toEqual(expect.arrayContaining(FIELDS))
  })

  it('shows the XML and the plan, and changes nothing', async () => {
    const service = await serviceAt()

    const html = await (await send(service, { ...GIT, action: 'preview' })).text()

    expect(html).toContain('&lt;pipeline name=&quot;delta&quot;&gt;')
    expect(html).toContain('&lt;arg&gt;all&lt;/arg&gt;')
    expect(html).toContain('<b>delta</b> (new pipeline)')
    expect(html).toContain('value="https://example.org/delta.git"')
    expect(await currentOf(service)).toBe(BASE)
  })

  it('says that nothing starts where the repository is in no allowed folder', async () => {
    const service = await serviceAt(BASE)

    const page = await (await send(service, { ...GIT, url: '/nowhere/at/all' })).text()

    expect(page).toContain('Starts runs</dt><dd>None')
    expect(page).toMatch(/<b>delta<\/b>: a material cannot be read: .*--local-materials allows/)
  })

  it('refuses what only a shell would act upon, by name, and says the way out', async () => {
    const service = await serviceAt(BASE)
    const command = 'sh ci/build.sh hello && echo done'

    const refused = await send(service, { ...GIT, command })
    const taken = await send(service, { ...GIT, command: `sh -c '${command}'` })

    expect(refused.status).toBe(422)
    expect(await refused.text()).toContain(
      'The command has the shell operator &amp;&amp; outside quotes',
    )
    expect(await taken.text()).toContain('hello &amp;amp;&amp;amp; echo done')
  })

  it('shows the XML and the plan of the pipeline to who administers its group', async () => {
    const service = await serviceWithGroupAdmin()

    const body = new URLSearchParams({ ...GIT, action: 'preview' })
    const html = await (await service.fetch(PAGE, { method: 'POST', body, as: SOMEONE })).text()

    expect(html).toContain('&lt;pipeline name=&quot;delta&quot;&gt;')
    expect(html).toContain('<b>delta</b> (new pipeline)')
    expect(html).not.toContain('alpha')
  })

  it('keeps what was entered where the group is not one that the caller administers', async () => {
    const service = await serviceWithGroupAdmin()

    for (const action of ['preview', 'create']) {
      const body = new URLSearchParams({ ...GIT, pipelineGroup: 'another', action })
      const refused = await service.fetch(PAGE, { method: 'POST', body, as: SOMEONE })
      const html = await refused.text()

      expect(refused.status).toBe(403)
      expect(html).toMatch(/<a href="#pipelineGroup">[^<]*may not administer[^<]*another/)
      expect(html).toContain('value="https://example.org/delta.git"')
      expect(html).not.toContain('Created if new')
    }
  })

  it('creates it with the reason, and leads to it', async () => {
    const service = await serviceAt()

    const fields = { ...GIT, action: 'create', message: 'For the new team' }
    const response = await send(service, fields)
    const location = response.headers.get('location') ?? ''

    expect(response.status).toBe(303)
    expect(location).toMatch(/^\/pipelines\/delta\?flash=/)
    expect(await pageAt(service, location)).toContain('Created pipeline delta.')
    expect(await currentOf(service)).toContain('<pipeline name="delta">')
    expect(git(service.repository, 'log', '-1', '--format=%an %b')).toMatch(
      /^admin [^]*For the new team/,
    )
  })

  it.each([
    ['a missing field', { url: '' }, 422, 'Enter the URL', 'url'],
    ['a field of another choice', { view: '//depot' }, 422, 'does not belong to scm git', 'view'],
    ['a name in use', { name: 'Alpha' }, 409, 'A pipeline', 'name'],
  ])('names %s, and keeps what was typed', async (_, change, status, message, field) => {
    const service = await serviceAt()

    const response = await send(service, { ...GIT, ...change, action: 'create' })
    const html = await response.text()

    expect(response.status).toBe(status)
    expect(html).toContain(message)
    expect(html).toContain(`href="#${field}"`)
    expect(html).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
    expect(html).toContain('value="make all"')
    expect(await currentOf(service)).toBe(BASE)
  })

  it('shows no password in the XML', async () => {
    const service = await serviceAt()
    const { command, ...rest } = GIT

    const fields = { ...rest, command, scm: 'svn', username: 'u', password: 'hunter2' }
    const html = await (await send(service, { ...fields, action: 'preview' })).text()

    const [, xml = ''] = /<pre class="code">([^]*?)<\/pre>/.exec(html) ?? []
    expect(xml).toContain('svn')
    expect(xml).not.toContain('hunter2')
  })

  it.each([
    { who: 'views no group', viewer: 'admin', status: 403, isOffered: false },
    {
      who: 'views one, as the form of a proposal',
      viewer: 'someone',
      status: 200,
      isOffered: true,
    },
  ])('answers $status to who $who', async ({ viewer, status, isOffered }) => {
    const rights = `<authorization><view><user>${viewer}</user></view></authorization>`
    const grouped = BASE.replace(/<pipelines group="\w+">/g, (tag) => `${tag}${rights}`)
    const service = await serviceAt(grouped.replace('<pipelines', `${ADMIN_ALONE}<pipelines`))
    await addSomeone(service)
    const list = await (await service.fetch('/pipelines', { as: SOMEONE })).text()

    expect((await service.fetch(PAGE, { as: SOMEONE })).status).toBe(status)
    expect(list.includes(PAGE)).toBe(isOffered)
    expect(list.includes('Propose a pipeline')).toBe(isOffered)
  })
})

describe('the copy of a pipeline', () => {
  it('is chosen among those that a search finds, where there are many', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `shop-${n}`)
    const service = await serviceAt(documentWith(...names))
    const choicesAt = async (path: string) =>
      [...(await pageAt(service, path)).matchAll(/<option value="(shop-\d+)"/g)].map(
        ([, name]) => name,
      )

    expect(await choicesAt(PAGE)).toEqual(names.slice(0, 50))
    expect(await pageAt(service, PAGE)).toContain('The first 50 of 60.')
    expect(await choicesAt(`${PAGE}?find=SHOP-59`)).toEqual(['shop-59'])
    expect(await pageAt(service, `${PAGE}?find=nothing`)).toContain('No pipelines match.')
  })

  it('opens in the editor, and changes no other line', async () => {
    const service = await serviceAt()

    const html = await pageAt(service, '/config/edit?copy=beta&as=beta-2')
    const [pipeline = ''] = /<pipeline name="beta">[^]*?<\/pipeline>/.exec(BASE) ?? []

    expect(textIn(html)).toBe(
      BASE.replace(pipeline, `${pipeline}\n    ${pipeline.replace('"beta"', '"beta-2"')}`),
    )
    expect(html).toContain('beta-2 is a copy of beta')
    expect(await currentOf(service)).toBe(BASE)
  })

  it('says why a name cannot be taken, and what is not there', async () => {
    const service = await serviceAt()

    expect(await pageAt(service, '/config/edit?copy=beta&as=gamma')).toContain(
      'class="card bad problems"',
    )
    expect((await service.fetch('/config/edit?copy=nothing&as=x')).status).toBe(404)
  })
})

describe('a service without pipelines', () => {
  it('shows three ways in, with the address that people use', async () => {
    const flags = ['--base-path', '/go', '--public-url', 'https://ci.example.org']
    const service = await startService(flags)

    const html = await pageAt(service, '/pipelines')

    expect(html).toContain('href="/go/config/new-pipeline"')
    expect(html).toContain('>cairn import /path/to/config.git')
    expect(html).toContain('git clone https://ci.example.org/go/git/config.git')
  })
})
