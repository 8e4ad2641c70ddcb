// @module-tag long
import { get, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { until } from '../../support/programs/until.ts'
import { withRevisions, page } from '../../support/pages/compare-page.ts'
import { partsOf } from '../../support/pages/parts-of.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { ADMIN_PASSWORD, openService, type TestService } from '../../support/service/service.ts'

/** Large enough for more than a page of rows, and for a comparison in another thread. */
const NAMES = Array.from({ length: 1_000 }, (_, n) => `pipeline-${n}`)
const LARGE = documentWith(...NAMES)
const INDENTED = LARGE.replaceAll(/^ +</gm, ' $&')
const PATH = '/config/compare/r2/r3'

interface Answer {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** The answer as it comes over the line: `fetch` hides its encoding. */
function rawAnswer({ url }: TestService, encoding: string): Promise<Answer> {
  const headers = { 'accept-encoding': encoding }
  return new Promise((resolve, reject) => {
    get(`${url}${PATH}`, { auth: `admin:${ADMIN_PASSWORD}`, headers }, (response) => {
      buffer(response).then((body) => resolve({ headers: response.headers, body }), reject)
    }).on('error', reject)
  })
}

/** A page is kept once no older rename, which the index may still find, can change it. */
async function isIndexed(service: TestService): Promise<boolean> {
  const listed = await service.fetch('/api/config/revisions?entity=pipeline/pipeline-1')
  return listed.headers.get('x-cairn-indexed') === null
}

/** The headers that do not depend on how, and when, the answer was sent. */
function settled({ headers }: Answer): IncomingHttpHeaders {
  const sending = { 'content-length': '', 'transfer-encoding': '', 'x-request-id': '', date: '' }
  return { ...headers, ...sending }
}

/** The parts that stand in a page, in their order. */
function orderIn(html: string, ...parts: readonly string[]): string[] {
  return parts
    .filter((part) => html.includes(part))
    .toSorted((one, other) => html.indexOf(one) - html.indexOf(other))
}

/** A pipeline of more variables than are compared one by one. */
function withVariables(value: string): string {
  const each = (n: number) => `<variable name="V${n}"><value>${value}</value></variable>`
  const variables = Array.from({ length: 5_001 }, (_, n) => each(n)).join('\n')
  const all = `<environmentvariables>${variables}</environmentvariables>`
  return documentWith('shop').replace('<materials>', `${all}<materials>`)
}

/** A pipeline with many stages of a line each, all of which have this command. */
function withStages(command: string): string {
  const each = (n: number) =>
    `<stage name="s${n}"><jobs><job name="j"><tasks><exec command="${command}" /></tasks></job></jobs></stage>`
  const stages = Array.from({ length: 1_000 }, (_, n) => each(n)).join('\n')
  return documentWith('shop').replace('<stage', () => `${stages}\n<stage`)
}

describe('the comparison of large documents', () => {
  it.each([
    ['every line changed', LARGE, INDENTED],
    ['every end of a line changed', LARGE, LARGE.replaceAll('\n', '\r\n')],
    ['many dense lines changed', withStages('make'), withStages('ninja')],
    ['much is new', documentWith(), withStages('make')],
  ])('has less than 12,000 elements where %s', async (_, before, after) => {
    const service = await openService()
    await saveRevisions(service, before, after)

    for (const view of ['split', 'unified']) {
      const html = await (await service.fetch(`${PATH}?view=${view}`)).text()
      expect(html).toMatch(/id="R\d/)
      expect(html.match(/<[a-z]/g)?.length).toBeLessThan(12_000)
    }
  })

  it.each([
    ['identity', (body: Buffer) => body],
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ])(
    'has the rows before the summary, at first and when it is kept: %s',
    async (encoding, decode) => {
      const service = await withRevisions(LARGE, INDENTED)
      await until(() => isIndexed(service), 30_000)

      const first = await rawAnswer(service, encoding)
      const again = await rawAnswer(service, encoding)

      const parts = ['href="#summary"', 'id="R1"', 'id="R400"', 'id="summary"', '</html>']
      const html = String(decode(first.body))
      expect(orderIn(html, ...parts)).toEqual(parts)
      expect(String(decode(again.body)) === html).toBe(true)
      expect(first.headers['content-length']).toBe(undefined)
      expect(again.headers['content-length']).toBe(String(again.body.length))
      expect(settled(first)).toEqual(settled(again))
    },
  )

  it('sends the rows before it describes what changed', async () => {
    const service = await openService()
    await saveRevisions(service, LARGE, INDENTED)

    const [first = '', ...others] = await partsOf(await service.fetch(PATH))

    expect(orderIn(first, 'id="R1"', 'id="R400"', 'id="summary"')).toEqual(['id="R1"', 'id="R400"'])
    expect(others.join('')).toMatch(/id="summary".*<\/html>/s)
  })

  it('answers two who ask at once alike', async () => {
    const service = await withRevisions(LARGE, INDENTED)

    const [one, other] = await Promise.all([page(service, PATH), page(service, PATH)])

    expect(one.includes('id="summary"')).toBe(true)
    expect(other === one).toBe(true)
  })

  it('has the summary above a text that fits one page', async () => {
    const far = LARGE.replace('org/pipeline-3.git', 'org/one.git')
    const service = await withRevisions(LARGE, far.replace('org/pipeline-990.git', 'org/other.git'))

    const html = await page(service, PATH)

    expect(orderIn(html, 'href="#summary"', 'id="diff"', 'id="summary"')).toEqual([
      'id="summary"',
      'id="diff"',
    ])
  })

  it('gives no values for what changed in too many places to say', async () => {
    const service = await openService()
    await saveRevisions(service, withVariables('a'), withVariables('b'))

    for (const path of ['/config', PATH]) {
      const html = await (await service.fetch(path)).text()
      expect(html).toMatch(/>\s*content|: content changed/)
      expect(html).not.toMatch(/unset/)
    }
  })

  it('says once what many pipelines have in common, and how many changes are left out', async () => {
    const service = await withRevisions(
      LARGE,
      LARGE.replaceAll('command="make"', 'command="ninja"'),
      documentWith(...NAMES.map((name) => `new-${name}`)),
    )

    const common = await page(service, PATH)
    const others = await page(service, '/config/compare/r3/r4')

    expect(/In <b>1000 pipelines<\/b>.* and 900 more/s.test(common)).toBe(true)
    const left = /([\d,]+) more in the diff above/.exec(others)?.[1]?.replace(',', '')
    expect(Number(left)).toBeGreaterThan(1_600)
  })
})
