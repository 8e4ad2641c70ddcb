import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents.ts'
import { git, gitBytes } from '../../support/git.ts'
import { saveRevisions } from '../../support/saved-revisions.ts'
import { startService, type TestService } from '../../support/service.ts'
import { RevisionEntry } from '../../../src/wire/revision-entry.ts'

const ONE = documentWith('checkout', 'billing')

function withAgents(text: string, count: number): string {
  const agents = Array.from(
    { length: count },
    (_, n) => `    <agent uuid="u${n}" hostname="box-${n}" ipaddress="10.0.0.${n}" />\n`,
  )
  return text.replace('</cruise>', `  <agents>\n${agents.join('')}  </agents>\n</cruise>`)
}

describe('the comparison of two revisions', () => {
  it('shows what changed in words, in the text, and where in the configuration', async () => {
    const service = await withRevisions(ONE, ONE.replace('command="make"', 'command="ninja"'))

    const html = await page(service, '/config/compare/r2/r3')

    expect(html).toContain('What changed')
    expect(html).toMatch(/<del>make<\/del>/)
    expect(html).toMatch(/<ins><span class="v">ninja<\/span><\/ins>/)
    expect(html).toMatch(/pipeline<\/span><b> checkout<\/b>.*stage<\/span><b> test<\/b>/s)
    expect(html).toContain('<span class="visually-hidden">removed: </span>')
  })

  it('names revisions by number, digest and commit alike', async () => {
    const service = await withRevisions(ONE, documentWith('checkout'))
    const [after, before] = await revisions(service)

    const [byNumber, byDigest, byCommit] = await Promise.all([
      page(service, '/config/compare/r2/r3'),
      page(service, `/config/compare/${before?.md5}/${after?.md5}`),
      page(service, `/config/compare/${before?.commitSHA}/${after?.commitSHA}`),
    ])

    expect(rows(byDigest)).toEqual(rows(byNumber))
    expect(rows(byCommit)).toEqual(rows(byNumber))
  })

  it('gives a patch that git applies', async () => {
    const after = ONE.replace('command="make"', 'command="ninja"')
    const service = await withRevisions(ONE, after)
    const clone = join(service.folder, 'clone')
    git(service.folder, 'clone', '-q', service.repository, clone)
    git(clone, 'checkout', '-q', 'HEAD~1')

    const patch = await page(service, '/config/compare/r2/r3.patch')
    gitBytes(clone, ['apply', '-'], { input: patch })

    expect(patch).toMatch(/^diff --git a\/config.xml b\/config.xml\n--- a\/config.xml\n\+\+\+ b/)
    expect(readFileSync(join(clone, 'config.xml'), 'utf8')).toBe(after)
  })

  it('is kept for ever when both revisions are named by commit and others have come since', async () => {
    const service = await withRevisions(ONE, documentWith('checkout'), documentWith('billing'))
    const [, after, before] = await revisions(service)
    const address = `/config/compare/${before?.commitSHA}/${after?.commitSHA}`

    const response = await service.fetch(address)
    const etag = response.headers.get('etag') ?? ''
    const again = await service.fetch(address, { headers: { 'if-none-match': etag } })
    const byNumber = await service.fetch('/config/compare/r2/r3')

    expect(response.headers.get('cache-control')).toContain('immutable')
    expect(again.status).toBe(304)
    expect(byNumber.headers.get('cache-control')).toBe('private, no-cache')
  })

  it('keeps secrets hidden, and says that they changed', async () => {
    const service = await withRevisions(secret('b25lb25l'), secret('dHdvdHdv'))

    const html = await page(service, '/config/compare/r2/r3')

    expect(html).not.toMatch(/b25lb25l|dHdvdHdv/)
    expect(html).toContain('<del><span class="secret">•••• hidden</span></del>')
    expect(html).toContain('<ins><span class="secret">•••• hidden</span></ins>')
  })

  it('escapes whatever a configuration holds, and flags what is not seen', async () => {
    const hostile = '"&lt;/td>&lt;script>alert(1)&lt;/script>\u202eevil"'
    const service = await withRevisions(ONE, ONE.replace('command="make"', `command=${hostile}`))

    const html = await page(service, '/config/compare/r2/r3')
    const history = await page(service, '/config')

    expect(html).not.toContain('<script>')
    expect(history).not.toContain('<script>')
    expect(html).toContain('&amp;lt;')
    expect(html).toContain('U+202E</span>')
  })

  it('passes over white space when asked to', async () => {
    const service = await withRevisions(ONE, ONE.replaceAll('  <stage', '      <stage'))

    const plain = await page(service, '/config/compare/r2/r3')
    const ignoring = await page(service, '/config/compare/r2/r3?w=1')

    expect(plain).toContain('id="c1"')
    expect(ignoring).not.toContain('id="c1"')
    expect(ignoring).toContain('Only white space differs')
  })

  it('says so when nothing differs, and when it goes back in time', async () => {
    const service = await withRevisions(ONE, documentWith('checkout'))

    const same = await page(service, '/config/compare/r2/r2')
    const back = await page(service, '/config/compare/r3/r2')

    expect(same).toContain('the same revision')
    expect(back).toContain('goes back in time')
    expect(back).toContain('href="/config/compare/r2/r3"')
  })

  it('narrows to one entity', async () => {
    const after = ONE.replaceAll('command="make"', 'command="ninja"')
    const service = await withRevisions(ONE, after)

    const all = await page(service, '/config/compare/r2/r3')
    const one = await page(service, '/config/compare/r2/r3?entity=pipeline%2Fbilling')

    expect(all.match(/<section class="hunk"/g)).toHaveLength(2)
    expect(one.match(/<section class="hunk"/g)).toHaveLength(1)
    expect(one).toContain('<b> billing</b>')
  })

  it('shows a large change in pages that together have every line once', async () => {
    const names = Array.from({ length: 150 }, (_, n) => `pipeline-${n}`)
    const service = await withRevisions(ONE, documentWith(...names))

    const lines: string[] = []
    let next: string | undefined = '/config/compare/r2/r3'
    for (let pages = 0; next !== undefined && pages < 20; pages++) {
      const html: string = await page(service, next)
      lines.push(...Array.from(html.matchAll(/id="R(\d+)"/g), ([, line = '']) => line))
      expect(html.match(/<tr/g)?.length).toBeLessThan(1_300)
      const more = /rel="next" href="([^"]*start=[^"]*)#diff"/.exec(html)
      next = more?.[1]?.replaceAll('&amp;', '&')
    }

    const count = documentWith(...names).split('\n').length - 1
    expect(new Set(lines).size).toBe(lines.length)
    expect(lines.length).toBeGreaterThan(count - 20)
  })

  it('shows the lines between two changes when asked to', async () => {
    const service = await withRevisions(ONE, ONE.replaceAll('command="make"', 'command="ninja"'))

    const plain = await page(service, '/config/compare/r2/r3')
    const [, address = ''] = /class="expand" href="([^"]*x=1[^"]*)"/.exec(plain) ?? []
    const expanded = await page(service, address.replaceAll('&amp;', '&'))

    expect(plain).not.toContain('id="R17"')
    expect(expanded).toContain('id="R17"')
  })

  it('leaves out what differs about agents alone, and fits more lines, when asked to', async () => {
    const ninja = ONE.replace('command="make"', 'command="ninja"')
    const service = await withRevisions(withAgents(ONE, 1), withAgents(ninja, 2))

    const all = await page(service, '/config/compare/r2/r3')
    const quiet = await page(service, '/config/compare/r2/r3?agents=0&rows=compact')

    expect(all).toContain('Hide agents')
    expect(all).toContain('id="c2"')
    expect(quiet).toContain('id="c1"')
    expect(quiet).not.toContain('id="c2"')
    expect(quiet).toContain('class="diff compact"')
    expect(all).not.toContain('class="diff compact"')
  })

  it('shows the lines after the last change when asked to', async () => {
    const service = await withRevisions(ONE, ONE.replace('command="make"', 'command="ninja"'))

    const plain = await page(service, '/config/compare/r2/r3')
    const [, address = '', count = ''] =
      /class="expand" href="([^"]*)" title="Show (\d+) lines below"/.exec(plain) ?? []
    const expanded = await page(service, address.replaceAll('&amp;', '&'))

    const last = ONE.trimEnd().split('\n').length
    expect(Number(count)).toBeGreaterThan(3)
    expect(plain).not.toContain(`id="R${last}"`)
    expect(expanded).toContain(`id="R${last}"`)
    expect(expanded).not.toContain('lines below')
  })

  it('folds a very long line, and unfolds it', async () => {
    const service = await withRevisions(long('one'), long('two'))

    const folded = await page(service, '/config/compare/r2/r3')
    const unfolded = await page(service, '/config/compare/r2/r3?long=1')

    expect(folded).toMatch(/… [\d,]+ characters …/)
    expect(folded).toContain('two')
    expect(unfolded).not.toContain('characters …')
  })

  it('refuses what is no revision and no choice of two', async () => {
    const service = await startService()

    const [unknown, none] = await Promise.all([
      service.fetch('/config/compare/r1/r7'),
      service.fetch('/config/compare?a=r1'),
    ])

    expect(unknown.status).toBe(404)
    expect(none.status).toBe(400)
  })

  it('takes the choice of two that the history sends', async () => {
    const service = await withRevisions(ONE)

    const response = await service.fetch('/config/compare?a=r1&b=r2')

    expect(response.headers.get('location')).toBe('/config/compare/r1/r2')
  })
})

function rows(html = ''): string[] {
  return html.match(/<tr.*?<\/tr>/gs) ?? []
}

function secret(value: string): string {
  const variable = `<variable name="KEY" secure="true"><encryptedValue>${value}</encryptedValue></variable>`
  return ONE.replace(
    '<materials>',
    `<environmentvariables>${variable}</environmentvariables>\n      <materials>`,
  )
}

function long(end: string): string {
  return ONE.replace('command="make"', `command="${'x '.repeat(4_000)}${end}"`)
}

async function withRevisions(...documents: readonly string[]): Promise<TestService> {
  const service = await startService()
  await saveRevisions(service, ...documents)
  return service
}

async function revisions(service: TestService): Promise<RevisionEntry[]> {
  const response = await service.fetch('/api/config/revisions')
  return RevisionEntry.array().parse(await response.json())
}

async function page(service: TestService, path: string): Promise<string> {
  const response = await service.fetch(path)
  return response.text()
}
