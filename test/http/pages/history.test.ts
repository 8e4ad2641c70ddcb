import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readXml } from '../../../src/document/xml/xml-reader.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { git } from '../../support/git/git.ts'
import { revisionsOf } from '../../support/history/push-scene.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { partsOf } from '../../support/pages/parts-of.ts'
import { openService, startService, type TestService } from '../../support/service/service.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

const ONE = documentWith('checkout', 'billing')
const TWO = ONE.replace('command="make"', 'command="ninja"')
const Listed = z.array(z.object({ number: z.int(), kind: z.string(), commitSHA: z.string() }))

const BROTLI = { 'accept-encoding': 'br, gzip' }

function withCommand(command: string): string {
  return ONE.replace('command="make"', `command="${command}"`)
}

describe('the history', () => {
  it('explains itself while there is but the first configuration', async () => {
    const service = await startService()

    const html = await page(service, '/config')

    expect(html).toContain('This is the first configuration')
    expect(html).toContain('href="/config/new-pipeline"')
    expect(html).toContain('>cairn import /path/to/config.git')
    expect(html).toContain(`git clone ${service.url}/git/config.git`)
    expect(html).toContain('1 revision since')
    expect(html).not.toContain('name="a"')
    expect(html).not.toContain('aria-label="Filter"')
  })

  it('says once what has no name, and links to no page of it', async () => {
    const service = await startService()
    const before = ONE.replace(
      /schemaVersion="75">/,
      `schemaVersion="90">
  <config-repos>
    <config-repo plugin="yaml.config.plugin">
      <git url="https://example.org/pipelines.git" />
    </config-repo>
  </config-repos>`,
    )
    await saveRevisions(service, before, before.replace('pipelines.git', 'all.git'))

    const html = await page(service, '/config')

    expect(html).toContain('<span class="muted">config-repo </span>')
    expect(html).not.toContain('/config/entity/config-repo')
    expect(await page(service, '/config/compare/r2/r3')).toContain('>config-repo: git: url')
  })

  it('takes at most 120 KB for the first visit of a browser', async () => {
    const service = await openService()
    await saveRevisions(service, ...Array.from({ length: 50 }, (_, n) => withCommand(`make-${n}`)))
    const sizeOf = async (path: string) =>
      (await (await service.fetch(path, { headers: BROTLI })).arrayBuffer()).byteLength

    const html = await (await service.fetch('/config')).text()
    const files = new Set(
      Array.from(html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g), ([, path = '']) => path),
    )
    const sizes = await Promise.all(['/config', ...files].map(sizeOf))

    expect(files.size).toBeGreaterThan(5)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(120_000)
  })

  it('says of each revision what changed, how much, who did it and when', async () => {
    const service = await withHistory()

    const row = rowOf(await page(service, '/config'), 3)

    expect(row).toContain('current')
    expect(row).toMatch(/<b>checkout<\/b>.*<b>test<\/b>.*<b>unit<\/b>/s)
    expect(row).toMatch(/<del>make<\/del>.*<ins>ninja<\/ins>/s)
    expect(row).toMatch(/\+1<.*−1</s)
    expect(row).toContain('admin')
    expect(row).toMatch(/<time datetime="\d{4}-\d\d-\d\dT[^"]+" title="[^"]+ UTC"/)
    expect(row).toContain('href="/config/compare/r2/r3"')
  })

  it('names the characters of a message that would reorder it', async () => {
    const service = await withHistory()
    const reordering = '\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'
    const message = encodeURIComponent(`Ship <1> ${reordering}\u2764\ufe0f`)
    const headers = { 'if-match': '*', 'x-cairn-message': message }
    await service.fetch('/api/admin/config.xml', { method: 'PUT', headers, body: ONE })

    for (const path of ['/config', '/config/r4', '/config/compare/r3/r4']) {
      const html = await page(service, path)
      const [, words = ''] =
        /<span class="spoken" dir="auto">(Ship.*?\ufe0f)<\/span>/s.exec(html) ?? []
      const named = Array.from(
        words.matchAll(/<span class="odd"[^>]*>([^<]*)</g),
        ([, name]) => name,
      )
      expect(words).toMatch(/^Ship &lt;1&gt; <span/)
      expect(words).toMatch(/>\u2764\ufe0f$/)
      expect(words).not.toMatch(/\p{Bidi_Control}/u)
      expect(named).toEqual(Array.from(reordering, nameOf))
    }
  })

  it.each([
    ['q=ninja', [3]],
    ['q=NINJA', [3]],
    ['user=admin', [3, 2]],
    ['user=ADMIN', [3, 2]],
    ['kind=upgrade', [1]],
    ['kind=agent', []],
    ['entity=pipeline%2Fcheckout', [3, 2]],
    ['entity=pipeline%2FBILLING', [2]],
    ['entity=pipeline%2Fnone', []],
    ['entity=pipeline%2Fcheckout&q=ninja', [3]],
    ['changed=created&of=pipeline', [2]],
    ['changed=changed&of=pipeline', [3]],
    ['changed=removed&of=pipeline', []],
    ['of=group', [2]],
    ['of=template', []],
    ['since=2999-01-01', []],
    ['since=2999-01-01T22:00:00.000Z', []],
    ['until=2999-01-01T21:59:59.999Z', [3, 2, 1]],
    ['until=2999-01-01', [3, 2, 1]],
    ['offset=2', [1]],
  ])('is narrowed by its address: %s', async (query, numbers) => {
    const service = await withHistory()
    await page(service, '/config')

    expect(numbersOf(await page(service, `/config?${query}`))).toEqual(numbers)
  })

  it.each([
    ['offset=3', 'It has 3 revisions.', '/config'],
    ['q=ninja&offset=100', 'It has 1 revision.', '/config?q=ninja'],
    ['q=nowhere', 'The history has 3 revisions; none matches the filter.', '/config'],
  ])('says why it is empty: %s', async (query, reason, all) => {
    const service = await withHistory()

    const shown = await page(service, `/config?${query}`)

    expect(numbersOf(shown)).toEqual([])
    expect(shown).toMatch(
      new RegExp(`${reason.replace('.', '[.]')} <a href="${all.replace('?', '[?]')}"`),
    )
  })

  it('begins each kind that can be chosen with a capital letter', async () => {
    const service = await startService()
    const admins = '<security><admins><user>admin</user></admins></security>'
    await saveRevisions(service, ONE.replace('  <pip', `  <server>${admins}</server>\n  <pip`))

    const html = await page(service, '/config')
    const [, kinds = ''] = /<select name="of"[^>]*>(.*?)<\/select>/s.exec(html) ?? []

    expect(kinds).toContain('>Users<')
    expect(kinds).not.toMatch(/>[a-z]/)
  })

  it('refuses ways and kinds of change that there are not', async () => {
    const service = await withHistory()

    for (const query of ['changed=lost', 'of=thing', 'since=2015-02-30', 'until=yesterday']) {
      expect([query, (await service.fetch(`/config?${query}`)).status]).toEqual([query, 400])
    }
  })

  it('shows the line in which a searched text came or went, but none of a hidden secret', async () => {
    const service = await withHistory()
    const secret = '<environmentvariables><variable name="KEY" secure="true">'
    const value = `${secret}<value>ninja-secret</value></variable></environmentvariables>`
    await saveRevisions(service, TWO.replaceAll('ninja', 'bazel'))
    await saveRevisions(
      service,
      TWO.replaceAll('ninja', 'bazel').replace('<materials>', `${value}<materials>`),
    )

    const html = await page(service, '/config?text=ninja')
    const lines = Array.from(
      html.matchAll(/<p class="matched">(.*?)<\/p>/gs),
      ([, line = '']) => line,
    )

    expect(lines.map((line) => /title="(\w+)"/.exec(line)?.[1])).toEqual(['removed', 'added'])
    expect(lines[1]).toContain('&lt;exec command=&quot;<mark>ninja</mark>&quot;')
    expect(html).not.toContain('ninja-secret')
  })

  it('says first what its author wrote, then at most three changes and how many more', async () => {
    const service = await withHistory()
    const more = documentWith('checkout', 'billing', 'a', 'b', 'c', 'd')
    const headers = { 'if-match': '*', 'x-cairn-message': 'Four more' }
    await service.fetch('/api/admin/config.xml', { method: 'PUT', headers, body: more })

    const row = rowOf(await page(service, '/config'), 4)

    expect(row.indexOf('Four more')).toBeLessThan(row.indexOf('class="gist"'))
    expect(row.match(/class="gist-change"/g)).toHaveLength(3)
    expect(row).toMatch(/>\+2<\/a>/)
  })

  it('says the title of a proposal that became a revision above its changes', async () => {
    const service = await withHistory()
    const proposed = JSON.stringify({
      title: 'Fewer pipelines',
      entities: [{ kind: 'pipeline', name: 'billing', xml: null }],
    })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
    await service.fetch('/api/proposals', { ...init, body: proposed })
    await service.fetch('/api/proposals/1/merge', { ...init, body: '{}' })

    const html = await page(service, '/config')

    expect(rowOf(html, 4)).toMatch(/<b><span[^>]*>Fewer pipelines<.*class="gist"/s)
    expect(rowOf(html, 3)).not.toContain('headline')
  })

  it('names no count for a group, whose pipelines count too', async () => {
    const html = await page(await withHistory(), '/config')

    expect(html).toMatch(/<option value="group\/first">first<\/option>/)
    expect(html).toMatch(/<option value="pipeline\/checkout">checkout \(\d+\)<\/option>/)
  })

  it('sends what is above the revisions before it reads lines of documents for them', async () => {
    const service = await openService()
    await saveRevisions(service, ONE, TWO)

    const [first = '', ...others] = await partsOf(await service.fetch('/config?text=ninja'))

    expect(first).toContain('1 revision')
    expect(first).toContain('aria-label="Filter"')
    expect(first).not.toContain('class="revision"')
    expect(others.join('')).toMatch(/class="revision".*<mark>ninja<\/mark>.*<\/html>/s)
  })

  it('opens at the page that has a revision', { tags: ['long'] }, async () => {
    const service = await withHistory()
    const documents = Array.from({ length: 52 }, (_, n) => documentWith(`p${n}`))
    await saveRevisions(service, ...documents)

    const html = await page(service, '/config?show=r4')

    expect(numbersOf(html)).toEqual([5, 4, 3, 2, 1])
    expect(await page(service, '/config/r4')).toContain('href="/config?show=r4#r4"')
  })

  it('is narrowed to an entity under its former names too', async () => {
    const service = await withHistory()
    await saveRevisions(service, TWO.replace('name="checkout"', 'name="cart"'))

    expect(numbersOf(await page(service, '/config?entity=pipeline%2Fcart'))).toEqual([4, 3, 2])
  })

  it('leaves agents that registered themselves out until they are asked for', async () => {
    const service = await withHistory()
    commitAs(service, 'agent_7c5-1_10.0.0.9_build-04')

    const hidden = async () => page(service, '/config')
    await expect.poll(hidden).toContain('Agent registrations (1)')
    const shown = await page(service, '/config?agents=1')

    expect(numbersOf(await hidden())).toEqual([3, 2, 1])
    expect(numbersOf(shown)).toEqual([4, 3, 2, 1])
    expect(rowOf(shown, 4)).toContain('build-04')
  })

  it('leaves out what only changed the layout or the version of the schema, when asked to', async () => {
    const service = await withHistory()
    const indented = TWO.replaceAll('  <stage', '      <stage')
    const upgraded = indented.replace('schemaVersion="75"', 'schemaVersion="76"')
    const both = upgraded
      .replace('schemaVersion="76"', 'schemaVersion="77"')
      .replace('ninja', 'bazel')
    await saveRevisions(service, indented, upgraded, both)

    const all = await page(service, '/config')
    await expect.poll(() => page(service, '/config?noise=0')).toContain('Hide layout changes (2)')
    const quiet = await page(service, '/config?noise=0')

    expect(numbersOf(all)).toEqual([6, 5, 4, 3, 2, 1])
    expect(numbersOf(quiet)).toEqual([6, 3, 2, 1])
  })

  it('escapes the names of people and texts of searches', async () => {
    const service = await withHistory()
    commitAs(service, '" onfocus="alert(1)', '<script>alert(1)</script>')

    const all = async () => page(service, '/config')
    await expect.poll(all).toContain('id="r4"')
    const found = await page(service, '/config?q=%22%3E%3Cscript%3E')

    expect(rowOf(await all(), 4)).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(await all()).not.toMatch(/<script>|" onfocus="/)
    expect(found).toContain('value="&quot;&gt;&lt;script&gt;"')
  })

  it('has a feed and a list in JSON with the same filter', async () => {
    const service = await withHistory()
    await page(service, '/config')

    const feed = await service.fetch('/config/feed.atom?q=ninja')
    const list = await service.fetch('/config/feed.json?q=ninja')
    const atom = await feed.text()

    expect(feed.headers.get('content-type')).toContain('application/atom+xml')
    expect(runSync(readXml(Buffer.from(atom))).ok).toBe(true)
    expect(atom.match(/<entry>/g)).toHaveLength(1)
    expect(Listed.parse(await list.json()).map(({ number }) => number)).toEqual([3])
  })

  it('answers which configuration was in effect at a time', async () => {
    const service = await withHistory()

    const [now, asked, early, bad] = await Promise.all(
      [
        '/config/at/2999-01-01',
        '/config/at?time=2999-01-01T10:00',
        '/config/at/1999-01-01',
        '/config/at/x',
      ].map((path) => service.fetch(path)),
    )

    expect(now?.headers.get('location')).toBe('/config/r3')
    expect(asked?.headers.get('location')).toBe('/config/r3')
    expect(early?.status).toBe(404)
    expect(bad?.status).toBe(400)
  })

  it('answers it for the minute and the day in which the history began', async () => {
    const service = await startService()
    const [first] = await revisionsOf(service)
    const began = new Date(first.time).toISOString()

    for (const length of [
      '2015-06-03T14:00:00'.length,
      '2015-06-03T14:00'.length,
      '2015-06-03'.length,
    ]) {
      const { status, headers } = await service.fetch(`/config/at/${began.slice(0, length)}`)
      expect({ status, to: headers.get('location') }).toEqual({ status: 302, to: '/config/r1' })
    }
    const before = new Date(first.time - 60_000).toISOString().slice(0, '2015-06-03T14:00'.length)
    expect((await service.fetch(`/config/at/${before}`)).status).toBe(404)
  })

  it('is sent once, and again when it has changed', async () => {
    const service = await withHistory()
    await page(service, '/config')
    const etag = (await service.fetch('/config')).headers.get('etag') ?? ''
    const headers = { 'if-none-match': etag }

    const same = await service.fetch('/config', { headers })
    await saveRevisions(service, ONE)
    const other = await service.fetch('/config', { headers })

    expect(same.status).toBe(304)
    expect(other.status).toBe(200)
  })

  it.each(['kind=nobody', 'since=yesterday', 'until=2026-02-30', 'offset=-1'])(
    'refuses %s',
    async (query) => {
      const service = await startService()

      const response = await service.fetch(`/config?${query}`)

      expect(response.status).toBe(400)
      expect(response.headers.get('content-type')).toContain('text/html')
    },
  )

  it.each(['since', 'until'])('says that %s is no date, by its name', async (name) => {
    const service = await startService()

    const response = await service.fetch(`/config?${name}=2026-02-30`)

    expect(await response.text()).toContain(`${name} &quot;2026-02-30&quot; is not a valid date`)
  })
})

async function withHistory(): Promise<TestService> {
  const service = await startService(['--poll-interval', '200ms'])
  await saveRevisions(service, ONE, TWO)
  return service
}

function commitAs(service: TestService, name: string, message = 'Nothing'): void {
  const author = `--author=${name} <someone@example.org>`
  git(service.repository, 'commit', '-q', '--allow-empty', author, '-m', message)
}

async function page(service: TestService, path: string): Promise<string> {
  return (await service.fetch(path)).text()
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}`
}

function numbersOf(html: string): number[] {
  return Array.from(html.matchAll(/<tr class="revision" id="r(\d+)"/g), ([, n]) => Number(n))
}

function rowOf(html: string, number: number): string {
  return new RegExp(`<tr class="revision" id="r${number}".*?</tr>`, 's').exec(html)?.[0] ?? ''
}
