import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { git, gitBytes } from '../../support/git/git.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { save } from '../../support/service/saving.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { addSomeone, SOMEONE } from '../../support/service/someone-else.ts'
import { RevisionEntry } from '../../../src/wire/revision-bodies.ts'
import { withRevisions, page } from '../../support/pages/compare-page.ts'

const ONE = documentWith('checkout', 'billing')

/** The card of the changes in words, without its form. */
function words(html: string): string {
  const card = /<section class="card" id="summary">(.*?)<\/section>/s.exec(html)?.[1] ?? ''
  return card.replace(/<form.*?<\/form>/s, '').replaceAll(/<[^>]*>/g, '')
}

/** The shown lines. */
function textOf(html: string): string {
  return rows(html)
    .join('\n')
    .replaceAll(/<[^>]*>/g, '')
}

/** A document whose groups `g0`, `g1` and so on have these pipelines. */
function groups(...names: readonly (readonly string[])[]): string {
  return names.reduce(
    (document, pipelines, n) =>
      document.replace(
        /( *)<pipelines group="[^]*<\/pipelines>/,
        (text) =>
          (n === 0 ? '' : `${text}\n`) +
          `  <pipelines group="g${n}">\n${pipelines.map((name) => pipelineOf(name)).join('')}  </pipelines>`,
      ),
    ONE,
  )
}

function pipelineOf(name: string): string {
  return / *<pipeline name[^]*?<\/pipeline>\n/.exec(documentWith(name))?.[0] ?? ''
}

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

async function revisions(service: TestService): Promise<RevisionEntry[]> {
  const response = await service.fetch('/api/config/revisions')
  return RevisionEntry.array().parse(await response.json())
}

describe('the comparison of two revisions', () => {
  it('shows what changed in words, in the text, and where in the configuration', async () => {
    const service = await withRevisions(ONE, ONE.replace('command="make"', 'command="ninja"'))

    const html = await page(service, '/config/compare/r2/r3')

    expect(html).toContain('<h2>Changes</h2>')
    expect(html).toMatch(/<del>make<\/del>/)
    expect(html).toMatch(/<ins><span class="v">ninja<\/span><\/ins>/)
    expect(html).toMatch(/pipeline<\/span><b> checkout<\/b>.*stage<\/span><b> test<\/b>/s)
    expect(html).toContain('<span class="visually-hidden">removed: </span>')
  })

  it('names everybody who made one of the revisions, also where not all are listed', async () => {
    const service = await withRevisions(ONE)
    await addSomeone(service)
    const version = (n: number) => ONE.replace('command="make"', `command="make${n}"`)
    await save(service, version(0), SOMEONE)
    await saveRevisions(service, ...Array.from({ length: 12 }, (_, n) => version(n + 1)))

    const html = await page(service, '/config/compare/r2/r15')

    expect(html).toMatch(/<h1[^>]*>13 revisions by admin, someone/)
    expect(html).toContain(', by admin, someone"')
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
    expect(ignoring).toContain('Only whitespace differs')
  })

  it('says so when nothing differs, and when it Comparing backwards', async () => {
    const service = await withRevisions(ONE, documentWith('checkout'))

    const same = await page(service, '/config/compare/r2/r2')
    const back = await page(service, '/config/compare/r3/r2')

    expect(same).toContain('Both sides are the same revision')
    expect(same).toMatch(/<h1>The same revision/)
    expect(same).not.toContain('in 0 places')
    expect(back).toContain('Comparing backwards')
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

  it('narrows the words and the text to a group with its pipelines, also to those that left it', async () => {
    const service = await withRevisions(
      groups(['one', 'left'], ['other', 'third']),
      groups(['one'], ['other', 'third', 'left'])
        .replace('one.git', '1.git')
        .replace('left.git', 'l.git')
        .replace('third.git', '3.git'),
    )

    const all = await page(service, '/config/compare/r2/r3')
    const group = await page(service, '/config/compare/r2/r3?entity=group%2FG0')

    expect(words(all)).toMatch(/one.*left.*third/s)
    expect(words(group)).toMatch(/one.*left/s)
    expect(words(group)).not.toContain('third')
    expect(textOf(group)).toContain('1.git')
    expect(textOf(group)).not.toContain('3.git')
    expect(all).toContain('<option value="group/g0">')
    expect(all).toContain('<option value="pipeline/third">')
    expect(group).toMatch(/name="entity" value="group\/G0"/)
  })

  it('narrows the words to one entity under its old name and its new one', async () => {
    const after = ONE.replace('name="checkout"', 'name="till"').replaceAll('make', 'ninja')
    const service = await withRevisions(ONE, after)

    for (const name of ['checkout', 'till']) {
      const html = await page(service, `/config/compare/r2/r3?entity=pipeline%2F${name}`)
      expect(words(html)).toMatch(/checkout.*till.*ninja/s)
      expect(words(html)).not.toContain('billing')
    }
  })

  it('keeps its other options when it is narrowed, and shows everything again', async () => {
    const service = await withRevisions(ONE, ONE.replaceAll('make', 'ninja'))

    const html = await page(service, '/config/compare/r2/r3?view=split&entity=pipeline/billing')
    const nothing = await page(service, '/config/compare/r2/r3?entity=pipeline/none')

    expect(html).toMatch(/<form[^>]*aria-label="Narrow">.*name="view" value="split".*<\/form>/s)
    expect(html).toContain('<a href="/config/compare/r2/r3?view=split">Show everything</a>')
    expect(words(html)).not.toContain('checkout')
    expect(words(nothing)).toContain('No changes')
    expect(nothing).toContain('Nothing differs in pipeline none.')
  })

  it('says where a change is on a line that begins outside of the entity', async () => {
    const joined = ONE.replace(/(<pipelines group="[^"]*">)\s*/, '$1')
    const changed = joined.replace('<pipeline name="checkout"', '$& labeltemplate="v${COUNT}"')
    const service = await withRevisions(joined, changed)
    const [line] = joined
      .split('\n')
      .flatMap((text, n) => (/><pipeline /.test(text) ? [n + 1] : []))

    const html = await page(service, '/config/compare/r2/r3?entity=pipeline/checkout')
    const other = await page(service, '/config/compare/r2/r3?entity=pipeline/billing')

    expect(words(html)).toContain('label')
    expect(html).toContain(
      `The change of pipeline checkout is on line ${line}, which begins outside of it. <a href="/config/compare/r2/r3">`,
    )
    expect(other).toContain('Nothing differs in pipeline billing. ')
  })

  it('narrows to the lines of one entity, whatever changed beside them', async () => {
    const ends = documentWith('first', 'last')
    const more = documentWith('first', 'one', 'two', 'three', 'last')
    const service = await withRevisions(
      ends,
      more,
      documentWith('first', 'three', 'last').replace('three.git', 'other.git'),
    )
    const linesOf = async (path: string) => {
      const [, head = ''] = /class="page-head"(.*?)<\/div>/s.exec(await page(service, path)) ?? []
      return [/>\+(\d+)/.exec(head)?.[1], />−(\d+)/.exec(head)?.[1]]
    }

    for (const name of ['one', 'two', 'three']) {
      const query = `?entity=pipeline%2F${name}`
      expect(await linesOf(`/config/compare/r2/r3${query}`)).toEqual(['14', '0'])
      expect(await linesOf(`/config/compare/r3/r2${query}`)).toEqual(['0', '14'])
    }
    expect(await linesOf('/config/compare/r3/r4?entity=pipeline%2Ftwo')).toEqual(['0', '14'])
    expect(await linesOf('/config/compare/r3/r4?entity=pipeline%2Fthree')).toEqual(['1', '1'])
    const two = await page(service, '/config/compare/r2/r3?entity=pipeline%2Ftwo')
    expect(two).toContain('<b> two</b>')
    expect(two).not.toContain('<b> one</b>')
  })

  it('refuses what is no revision', async () => {
    const service = await startService()

    const answers = await Promise.all([
      service.fetch('/config/compare/r1/r7'),
      service.fetch('/config/compare?b=r7'),
    ])

    expect(answers.map(({ status }) => status)).toEqual([404, 404])
  })

  it.each([
    ['a=r1&b=r2', '/config/compare/r1/r2'],
    ['a=r1', '/config/compare/r1/r3'],
    ['b=r2', '/config/compare/r1/r2'],
    ['b=r1', '/config/compare/r1/r1'],
    ['', '/config/compare/r2/r3'],
  ])('takes the choice that the history sends: %s', async (query, to) => {
    const service = await withRevisions(ONE, documentWith('checkout'))

    const response = await service.fetch(`/config/compare?${query}`)

    expect(response.headers.get('location')).toBe(to)
  })
})
