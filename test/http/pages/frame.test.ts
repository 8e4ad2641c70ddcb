import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filledFieldsOf } from '../../support/pages/page-forms.ts'
import { MADE, NINJA } from '../../support/history/small-history.ts'
import { shared } from '../../support/programs/at-end.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { startService, type TestService } from '../../support/service/service.ts'

/** Sends the form of a page for which there is no revision. */
async function sendInVain(
  service: TestService,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
) {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  const accept = { accept: 'text/html', ...headers }
  const answer = await service.fetch('/config/r99/tags?a=b', {
    method: 'POST',
    headers: accept,
    body,
  })
  const html = await answer.text()
  return { answer, html, main: html.slice(html.indexOf('<main')) }
}

describe('the frame of the pages', () => {
  /** For tests that change nothing. */
  const reading = shared(() => startService())

  it('leads from the front door to the history', async () => {
    const service = await startService(['--base-path', '/go'])

    const response = await service.fetch('/')

    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe('/go/config')
  })

  it('leads administrators to the servers, also where there is one', async () => {
    const service = reading()

    const html = await (await service.fetch('/config')).text()

    expect(html).toContain('<a href="/servers">Servers</a>')
  })

  it('allows no script and no style but its own', async () => {
    const service = reading()

    const response = await service.fetch('/config')
    const html = await response.text()

    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style=| on[a-z]+=/)
  })

  it('serves what pages load to anybody, for ever, under names that change with it', async () => {
    const service = reading()
    const html = await (await service.fetch('/config')).text()
    const addresses = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, at]) => at)

    const answers = await Promise.all(
      addresses.map((address) => service.fetch(address ?? '', { as: null })),
    )

    expect(addresses.length).toBeGreaterThan(3)
    expect(answers.map(({ status }) => status)).toEqual(addresses.map(() => 200))
    expect(answers[0]?.headers.get('cache-control')).toContain('immutable')
  })

  it('names the fonts of its style sheets before them', async () => {
    const service = reading()
    const html = await (await service.fetch('/config')).text()
    const [early = ''] = html.split('<link rel="stylesheet"')
    const sheet = /href="(\/assets\/tokens-[^"]+)"/.exec(html)?.[1] ?? ''

    const named = [...early.matchAll(/href="\/assets\/([^"]+\.woff2)"/g)].map(([, name]) => name)

    const styles = await (await service.fetch(sheet)).text()
    const asked = [...styles.matchAll(/url\(([^)]+\.woff2)\)/g)].map(([, name]) => name)
    expect(named).toEqual(asked)
    expect(named).toHaveLength(2)
  })

  it.each(['/config/r99', '/config/compare/r1/r99', '/nothing'])(
    'answers %s with an error page to a browser',
    async (path) => {
      const service = reading()

      const response = await service.fetch(path, { headers: { accept: 'text/html' } })

      expect(response.status).toBe(404)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(await response.text()).toContain('<h1>Not found</h1>')
    },
  )

  it('leads from an error back to where somebody was, with all that was sent', async () => {
    const service = await startService(['--base-path', '/go'])
    const referer = `${service.url}/config/r1?x=1`

    const { answer, html, main } = await sendInVain(
      service,
      { name: 'a"b', message: 'one\n<two>' },
      { referer },
    )

    expect(answer.status).toBe(404)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(main).toContain('<a class="button" href="/go/config/r1?x=1">Back</a>')
    expect(main).toContain('action="/go/config/r99/tags?a=b"')
    expect(main).toContain('Send again')
    expect(filledFieldsOf(html)).toEqual(
      expect.arrayContaining([
        ['name', 'a"b'],
        ['message', 'one\r\n<two>'],
      ]),
    )
  })

  it.each([
    ['with a password', { password: 'of somebody' }, {}],
    ['by another site', { name: 'x' }, { 'sec-fetch-site': 'cross-site' }],
    ['without a field', {}, {}],
  ])('offers nothing to be sent again that was sent %s', async (_, fields, headers) => {
    const service = reading()

    const { main } = await sendInVain(service, fields, {
      ...headers,
      referer: 'https://evil.example/config',
    })

    expect(main).toContain('Home')
    expect(main).not.toContain('Send again')
    expect(main).not.toContain('Back')
    expect(main).not.toContain('of somebody')
  })

  it('asks a browser for credentials with a page', async () => {
    const service = reading()

    const response = await service.fetch('/config', { as: null })

    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic/)
    expect(await response.text()).toContain('Log in')
  })

  it('makes a browser forget the credentials at log-out', async () => {
    const service = await startService()

    const response = await service.fetch('/log-out')

    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic/)
    expect(await response.text()).toContain('You are logged out')
    expect(await (await service.fetch('/audit')).text()).not.toContain('Tried to open')
  })

  it('names the methods of a page that has others', async () => {
    const service = reading()

    const response = await service.fetch('/config', { method: 'DELETE' })

    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
    expect(await response.text()).toContain('<!doctype html>')
  })

  it('leads from the address of a form alone to the page with the form', async () => {
    const service = reading()

    const response = await service.fetch('/rules/form')
    const html = await response.text()

    expect(response.status).toBe(405)
    expect(html).toContain('This address takes POST, not GET.')
    expect(html).toContain('Open the page that has the form instead.')
  })

  it('shows on every page that the live file is not valid, and where', async () => {
    const service = await startService(['--poll-interval', '100ms'])
    writeFileSync(join(service.repository, 'config.xml'), '<cruise>\n  <<\n</cruise>\n')

    const page = async () => (await service.fetch('/config')).text()

    await expect.poll(page).toMatch(/line 2, column \d+/)
  })

  it('shows problems of the service as one line, and what the page itself is about in full', async () => {
    const service = await startService(['--poll-interval', '100ms'])
    writeFileSync(join(service.repository, 'config.xml'), '<cruise>\n  <<\n</cruise>\n')
    const page = async (path: string) => (await service.fetch(path)).text()

    await expect
      .poll(() => page('/pipelines'))
      .toMatch(/1 problem<\/a><[^>]*in-wide[^>]*>: the file on disk is not valid \(line 2, column/)

    for (const path of ['/config', '/agents', '/audit', '/config/r99']) {
      expect((await page(path)).match(/class="notice[^"]*"/g)).toEqual(['class="notice"'])
    }
    expect((await page('/config/edit')).match(/class="notice|on disk is not valid/g)).toEqual([
      'on disk is not valid',
    ])
    expect(await page('/problems')).toContain('The live file is not valid: line 2')
  })

  it('says once what is wrong with a request, with its id and a way home', async () => {
    const service = reading()

    const response = await service.fetch('/config?since=yesterday')
    const html = await response.text()

    expect(response.status).toBe(400)
    expect(html.match(/is not a valid date such as/g)).toHaveLength(1)
    expect(html).toContain(`<code>${response.headers.get('x-request-id')}</code>`)
    expect(html).toContain('<a class="button" href="/">Home</a>')
  })

  it('says what to do while the repository is gone, and nothing of the host', async () => {
    const service = await startService(['--poll-interval', '100ms'])
    await saveRevisions(service, MADE, NINJA)
    renameSync(join(service.repository, '.git'), join(service.folder, 'gone'))

    const answer = async () => service.fetch('/config/compare/r1/r2')
    await expect.poll(async () => (await answer()).status).toBe(503)
    const refused = await (await answer()).text()
    await expect.poll(async () => (await service.fetch('/problems')).text()).toContain('repository')
    const others = await Promise.all(
      ['/config', '/problems', '/config/edit', '/pipelines', '/health'].map(async (path) =>
        (await service.fetch(path)).text(),
      ),
    )

    expect(refused).toContain('Try again in a minute')
    expect(refused).toContain('<a class="button primary" href="/config/compare/r1/r2">')
    expect(others[0]).toContain('class="notice bad"')
    expect(others[1]).toContain('Changes cannot be saved.')
    expect(others[1]).not.toContain('The service is running')
    for (const text of [refused, ...others]) {
      expect(text).not.toContain(service.folder)
      expect(text).not.toMatch(/ENOENT|scandir|\.git\b/)
    }
  })

  it('describes each page for previews of links, and its title', async () => {
    const service = reading()

    const html = await (await service.fetch('/config')).text()

    expect(html).toContain('<meta property="og:title" content="Configuration history"')
    expect(html).toMatch(/<meta name="description" content="[^"]{20,}"/)
    expect(html).toMatch(/<meta property="og:description" content="[^"]{20,}"/)
  })

  it('keeps the choice of colours, and comes back to where it was made', async () => {
    const service = reading()

    const chosen = await post(service, { colours: 'blue-orange', back: '/config?q=a' })
    const cookie = chosen.headers.get('set-cookie')?.split(';')[0] ?? ''
    const page = await service.fetch('/config', { headers: { cookie } })

    expect(chosen.status).toBe(303)
    expect(chosen.headers.get('location')).toBe('/config?q=a')
    expect(await page.text()).toContain('<body class="colour-blind">')
  })

  it.each(['//evil.example/', '/\\evil.example', 'https://evil.example/'])(
    'never leads to another host: %s',
    async (back) => {
      const service = reading()

      const chosen = await post(service, { colours: 'blue-orange', back })

      expect(chosen.headers.get('location')).toBe('/config')
    },
  )

  it.each([
    ['sec-fetch-site', 'cross-site'],
    ['sec-fetch-site', 'same-site'],
    ['origin', 'https://evil.example'],
    ['origin', 'null'],
  ])('refuses a form that comes from elsewhere: %s %s', async (name, value) => {
    const service = reading()

    const response = await post(service, { colours: 'blue-orange' }, { [name]: value })

    expect(response.status).toBe(403)
  })

  it('goes back to the log-in of somebody who has not logged in', async () => {
    const service = reading()
    const fields = { colours: 'blue-orange', back: '/login?next=%2Fconfig' }

    const response = await post(service, fields, {}, { as: null })

    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/login?next=%2Fconfig')
    expect(response.headers.get('set-cookie')).toContain('blue-orange')
  })

  it('takes a form of its own origin', async () => {
    const service = reading()

    const response = await post(service, { back: '/config' }, { origin: service.url })

    expect(response.status).toBe(303)
  })
})

function post(
  service: Awaited<ReturnType<typeof startService>>,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  who: { readonly as?: null } = {},
): Promise<Response> {
  const body = new URLSearchParams(fields)
  return service.fetch('/colours', { method: 'POST', headers, body, ...who })
}
