import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { withRevisions, page } from '../../support/pages/compare-page.ts'

const ONE = documentWith('checkout', 'billing')

function withAgents(text: string, count: number): string {
  const agents = Array.from(
    { length: count },
    (_, n) => `    <agent uuid="u${n}" hostname="box-${n}" ipaddress="10.0.0.${n}" />\n`,
  )
  return text.replace('</cruise>', `  <agents>\n${agents.join('')}  </agents>\n</cruise>`)
}

function long(end: string): string {
  return ONE.replace('command="make"', `command="${'x '.repeat(4_000)}${end}"`)
}

describe('the lines of a comparison', () => {
  it(
    'shows a large change in pages that together have every line once',
    { tags: ['long'] },
    async () => {
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
    },
  )

  it('marks the carriage return of a changed line alone', async () => {
    const before = ONE.replaceAll('\n', '\r\n')
    const service = await withRevisions(before, before.replace('"make"', '"ninja"'))

    const compared = await page(service, '/config/compare/r2/r3')

    const marked = /<tr[^>]*>(?:(?!<\/tr>).)*U\+000D.*?<\/tr>/gs
    const lines = compared.match(marked) ?? []
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/make[^]*U\+000D[^]*ninja[^]*U\+000D/)
    expect(await page(service, '/config/r3')).not.toContain('U+000D')
  })

  it('claims no difference between a revision and the one that restores it', async () => {
    const service = await withRevisions(ONE, ONE.replace('"make"', '"ninja"'), ONE)

    const html = await page(service, '/config/compare/r2/r4')

    expect(html).toMatch(
      /the same configuration, byte for byte\.\s+Only other files of the\s+repository can differ/,
    )
  })

  it('names many changes of one part by the first and the last', async () => {
    const names = ['one', 'two', 'three', 'four']
    const before = documentWith(...names)
    const service = await withRevisions(before, before.replaceAll('"make"', '"ninja"'))

    const html = await page(service, '/config/compare/r2/r3?ctx=10')

    expect(/<caption[^>]*>(.*?)<\/caption>/.exec(html)?.[1]).toMatch(/^Changes 1 to 4: /)
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
    expect(quiet).toContain('class="diff box compact"')
    expect(all).not.toContain('class="diff box compact"')
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
})
