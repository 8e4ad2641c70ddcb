import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { save } from '../../support/service/saving.ts'
import { addSomeone, ADMIN_ALONE, SOMEONE } from '../../support/service/someone-else.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const OLD = documentWith('alpha', 'beta')
const NEW = OLD.replace('beta.git', 'other.git')

async function serviceWithTwo(): Promise<TestService> {
  const service = await startService()
  await save(service, OLD)
  await save(service, NEW)
  return service
}

async function pageOf(service: TestService, path: string): Promise<string> {
  const response = await service.fetch(path)
  expect(response.status).toBe(200)
  return response.text()
}

/** The text of the lines of a page, without numbers and names. */
function listed(html: string): string[] {
  const lines = html.matchAll(/<(?:div|li) class="l[^"]*" id="L\d+">([^]*?)\n<\/(?:div|li)>/g)
  return Array.from(lines, ([, inner = '']) =>
    inner
      .replace(/<a class="n"[^]*?<\/a>/, '')
      .replace(/<[^>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&'),
  )
}

describe('a snapshot', () => {
  it.each([
    { name: 'current', address: '/config/r3#L4' },
    { name: 'r3', address: '#L4' },
  ])(
    'shows the text of $name, each line with a number that is its permanent address',
    async ({ name, address }) => {
      const service = await serviceWithTwo()

      const html = await pageOf(service, `/config/${name}`)

      expect(listed(html)).toEqual(NEW.trimEnd().split('\n'))
      expect(html).toContain(`<a class="n" tabindex="-1" href="${address}">4</a>`)
    },
  )

  it('is found by its digest and its commit too', async () => {
    const service = await serviceWithTwo()
    const revisions: unknown = await (await service.fetch('/api/config/revisions')).json()
    const [, old] = Array.isArray(revisions) ? revisions : []

    expect(listed(await pageOf(service, `/config/${old.md5}`))).toEqual(OLD.trimEnd().split('\n'))
    expect(listed(await pageOf(service, `/config/${old.commitSHA}`))).toEqual(
      OLD.trimEnd().split('\n'),
    )
  })

  it('links to what comes before and after, to the exact bytes, and to what can be done', async () => {
    const service = await serviceWithTwo()

    const html = await pageOf(service, '/config/r2')

    expect(html).toContain('href="/config/compare/r1/r2"')
    expect(html).toContain('href="/config/compare/r2/r3"')
    expect(html).toContain('href="/config/r2/restore"')
    expect(html).toMatch(/href="\/api\/admin\/config\/[0-9a-f]{32}\.xml"/)
  })

  it('has an outline of groups, pipelines and stages that lead to their lines', async () => {
    const service = await serviceWithTwo()

    const html = await pageOf(service, '/config/r2')

    const line = OLD.split('\n').findIndex((each) => each.includes('name="beta"')) + 1
    expect(html).toContain(`<a href="#L${line}" data-kind="pipeline"`)
    expect(html).toContain('>first</span>')
  })

  it('says which revision wrote each line', async () => {
    const service = await serviceWithTwo()

    const html = await pageOf(service, '/config/r3?blame=1')

    const line = NEW.split('\n').findIndex((each) => each.includes('other.git')) + 1
    const [, run] =
      new RegExp(`<li class="by"([^]*?)<li class="l s\\d" id="L${line}">`).exec(
        html.slice(html.lastIndexOf('class="by"', html.indexOf(`id="L${line}"`)) - 4),
      ) ?? []
    expect(run).toContain(`value="${line - 1}"`)
    expect(run).toContain('>r3</a> admin')
    expect(run).toMatch(/title="admin, \d+ \w+ \d+, [\d:]+ UTC"/)
    expect(html.match(/class="by"/g)).toHaveLength(5)
  })

  it('finds text in what is shown, from one line to the next', async () => {
    const service = await serviceWithTwo()
    const lines = NEW.split('\n').flatMap((each, n) => (each.includes('<exec') ? [n + 1] : []))
    const [first = 0, second = 0] = lines

    const found = await service.fetch('/config/current?find=EXEC+c')
    const html = await pageOf(service, `/config/r3?find=EXEC+c&line=${second}`)

    expect(lines).toHaveLength(2)
    expect(found.headers.get('location')).toBe(`/config/r3?line=${first}&find=EXEC+c#L${first}`)
    expect(html).toContain('2 of 2 lines')
    expect(html).toContain(`href="/config/r3?line=${first}&amp;find=EXEC+c#L${first}"`)
    expect(html).toMatch(/<mark><span class="t">exec<\/span> <span class="a">c<\/span><\/mark>/)
  })

  it('shows no secret, and finds none', async () => {
    const service = await startService()
    await save(
      service,
      OLD.replace(
        '<git url="https://example.org/alpha.git"',
        '<svn url="https://example.org/a" username="u" password="hunter2"',
      ),
    )

    const html = await pageOf(service, '/config/current')
    const sealed = await (await service.fetch('/api/admin/config.xml')).text()
    const [, secret = 'none'] = /encryptedPassword="([^"]+)"/.exec(sealed) ?? []

    expect(html).not.toContain(secret)
    expect(html).toContain('hidden')
    expect(await pageOf(service, `/config/current?find=${encodeURIComponent(secret)}`)).toContain(
      'No line contains',
    )
  })

  it('shows 3,000 lines in one piece, with as many colours as the page has room for', async () => {
    const names = Array.from({ length: 205 }, (_, n) => `p${n}`)
    const document = documentWith(...names)
    const service = await startService()
    await save(service, document)

    const html = await pageOf(service, '/config/current')

    const lines = document.trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(2_700)
    expect(lines.length).toBeLessThan(3_000)
    expect(listed(html)).toEqual(lines)
    expect(html.match(/<[a-z]/g)?.length).toBeLessThan(12_000)
    expect(html).toContain('<span class="t">pipeline</span>')
  })

  it('shows 3,000 lines with their authors in one piece, however often the author changes', async () => {
    const names = Array.from({ length: 205 }, (_, n) => `p${n}`)
    const document = documentWith(...names)
    const lines = document.trimEnd().split('\n')
    const every = lines.map((line, n) =>
      n % 2 === 0 || n < 3 ? line : line.replace(/^ */, '  $& '),
    )
    const service = await startService()
    await save(service, document)
    await save(service, `${every.join('\n')}\n`)

    const ages = await pageOf(service, '/config/r2?blame=1')
    const often = await pageOf(service, '/config/r3?blame=1')

    expect(listed(ages)).toEqual(lines)
    expect(listed(often)).toEqual(every)
    expect(ages).not.toContain('class="pager windows"')
    expect(ages).toMatch(/<li class="by" value="100"[^>]*><a href="[^"]*">r2<\/a> admin · <time/)
    expect(often.match(/class="by"/g)?.length).toBeGreaterThan(2_500)
    expect(often.match(/<[a-z]/g)?.length).toBeLessThan(12_000)
  })

  it('shows a longer document in windows, each line once, and says what is searched', async () => {
    const names = Array.from({ length: 260 }, (_, n) => `p${n}`)
    const document = documentWith(...names)
    const lines = document.trimEnd().split('\n')
    const service = await startService()
    await save(service, document)

    const first = await pageOf(service, '/config/current')
    const second = await pageOf(service, '/config/current?line=2001')

    expect(lines.length).toBeGreaterThan(3000)
    expect(listed(first)).toEqual(lines.slice(0, 2000))
    expect(listed(second)).toEqual(lines.slice(2000, 4000))
    expect(first).toContain('?line=2001#L2001"')
    expect(first).toContain('“Find in file” searches all')
  })

  it('escapes what the configuration says', async () => {
    const service = await startService()
    const hostile = '&lt;script&gt;alert(1)&lt;/script&gt;'
    await save(service, OLD.replace('command="make"', `command="${hostile}"`))

    const html = await pageOf(service, '/config/current')

    expect(html).not.toContain('<script>alert')
    expect(listed(html).join('\n')).toContain(hostile)
  })

  it('is for administrators, and is not found where there is none', async () => {
    const service = await serviceWithTwo()
    await save(service, NEW.replace('<pipelines', `${ADMIN_ALONE}<pipelines`))
    await addSomeone(service)

    expect((await service.fetch('/config/current', { as: SOMEONE })).status).toBe(403)
    expect((await service.fetch('/config/r99')).status).toBe(404)
  })
})

describe('the page that restores a revision', () => {
  it('shows what it would change, and does it with a reason', async () => {
    const service = await serviceWithTwo()
    const html = await pageOf(service, '/config/r2/restore')
    const [, basedOn = ''] = /name="basedOn" value="([0-9a-f]{32})"/.exec(html) ?? []

    const body = new URLSearchParams({ basedOn, reason: 'it worked then' })
    const response = await service.fetch('/config/r2/restore', { method: 'POST', body })

    expect(html).toContain('other')
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toMatch(/^\/config\/compare\/r3\/r4\?flash=/)
    expect(await (await service.fetch('/api/admin/config.xml')).text()).toBe(OLD)
  })

  it('changes nothing without a reason, or over a change that was not seen, and keeps the reason', async () => {
    const service = await serviceWithTwo()
    const post = (fields: Readonly<Record<string, string>>) =>
      service.fetch('/config/r2/restore', { method: 'POST', body: new URLSearchParams(fields) })

    const noReason = await post({ basedOn: '0'.repeat(32), reason: ' ' })
    const stale = await post({ basedOn: '0'.repeat(32), reason: 'because' })

    expect([noReason.status, stale.status]).toEqual([400, 412])
    expect(await stale.text()).toContain('>\nbecause</textarea>')
    expect(await (await service.fetch('/api/admin/config.xml')).text()).toBe(NEW)
  })

  it('has nothing to do where the revision is what is current', async () => {
    const service = await serviceWithTwo()

    expect(await pageOf(service, '/config/r3/restore')).toContain('nothing to restore')
  })
})
