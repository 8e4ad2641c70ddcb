import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BuildScene, GUARDED, SECURED } from '../../support/builds/build-service.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { git, gitBytes } from '../../support/git/git.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const ONE = documentWith('checkout', 'billing')
const TWO = ONE.replace('command="make"', 'command="ninja"')
const BILLED = TWO.replace('billing.git', 'invoices.git')
const RENAMED = BILLED.replace('name="checkout"', 'name="cart"')
const STAGED = RENAMED.replace('<stage name="test">', '<stage name="check">').replace(
  '<job name="unit">',
  '<job name="unit" timeout="60">',
)

/** r2 to r6, of which r4 is about billing alone. */
async function withHistory(): Promise<TestService> {
  const service = await startService()
  await saveRevisions(service, ONE, TWO, BILLED, RENAMED, STAGED)
  return service
}

async function page(service: Pick<TestService, 'fetch'>, path: string): Promise<string> {
  const response = await service.fetch(path)
  expect(response.status).toBe(200)
  return response.text()
}

function stepsOf(html: string): number[] {
  return [...html.matchAll(/<li class="step" id="r(\d+)">/g)].map(([, number]) => Number(number))
}

/** Where the key for going back leads. */
function backIn(html: string): string | undefined {
  return /href="([^"]*)" aria-keyshortcuts="u"/.exec(html)?.[1]
}

function wordsOf(html: string): string {
  return html
    .slice(html.indexOf('<main'), html.indexOf('</main>'))
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
}

describe('the history of an entity', () => {
  it('has its own changes and no others, and follows it to its former names', async () => {
    const service = await withHistory()

    const cart = await page(service, '/config/entity/pipeline/cart')
    const billing = await page(service, '/config/entity/pipeline/billing')

    expect(stepsOf(cart)).toEqual([6, 5, 3, 2])
    expect(wordsOf(cart)).toContain('Formerly checkout.')
    expect(wordsOf(cart)).not.toContain('billing')
    expect(stepsOf(billing)).toEqual([4, 2])
    expect(wordsOf(billing)).not.toMatch(/checkout|cart/)
  })

  it('says first why it was changed, and brings back what was removed', async () => {
    const service = await startService()
    await saveRevisions(service, ONE)
    const headers = { 'if-match': '*', 'x-cairn-message': 'Nobody%20pays' }
    const body = documentWith('checkout')
    await service.fetch('/api/admin/config.xml', { method: 'PUT', headers, body })

    const removed = await page(service, '/config/entity/pipeline/billing')

    expect(removed.indexOf('Nobody pays')).toBeLessThan(removed.indexOf('class="changes"'))
    expect(removed).toMatch(
      /href="\/config\/entity\/pipeline\/billing\/restore\/r2"[^>]*>Bring back…/,
    )
    expect(await page(service, '/config/entity/pipeline/checkout')).not.toContain('Bring back…')
  })

  it('leads back by a key, to what the caller may see', async () => {
    const group = { group: 'shop', authorization: GUARDED, pipelines: [{ name: 'app' }] }
    const { service } = await BuildScene.open({ server: SECURED, groups: [group] })
    const path = '/config/entity/pipeline/app'

    const own = await (await service.fetch(path, { as: 'vera:vera' })).text()

    expect(backIn(await page(service, path))).toBe('/config')
    expect(backIn(own)).toBe('/pipelines/app')
  })

  it('gives the difference of an entity as a patch that git applies, for administrators', async () => {
    const service = await withHistory()
    const clone = join(service.folder, 'clone')
    git(service.folder, 'clone', '-q', service.repository, clone)
    git(clone, 'checkout', '-q', 'HEAD~4')

    const path = '/config/entity/pipeline/cart/compare/r2/r6'
    const patch = await page(service, `${path}.patch`)
    gitBytes(clone, ['apply', '-'], { input: patch })

    expect(await page(service, path)).toContain(`href="${path}.patch" download`)
    expect(readFileSync(join(clone, 'config.xml'), 'utf8')).toBe(
      STAGED.replace('invoices.git', 'billing.git'),
    )
  })

  it('shows each step in words and as a small diff', async () => {
    const service = await withHistory()

    const html = await page(service, '/config/entity/pipeline/cart')
    const step = html.slice(html.indexOf('id="r3"'), html.indexOf('id="r2"'))

    expect(wordsOf(`<main${step}</main>`)).toMatch(/changed .*task make → to ninja/)
    expect(step).toMatch(/<del>.*make.*<\/del>.*<ins>.*ninja.*<\/ins>/s)
    expect(step).toMatch(/\+1<.*−1</s)
  })

  it('is there for a stage, which keeps its history when it is renamed', async () => {
    const service = await withHistory()

    const html = await page(service, '/config/entity/stage/cart%2Fcheck')

    expect(stepsOf(html)).toEqual([6, 5, 3, 2])
    expect(wordsOf(html)).toContain('Formerly cart/test, checkout/test.')
    expect(wordsOf(html)).not.toContain('material')
  })

  it('is there for groups, and not for what never was', async () => {
    const service = await withHistory()

    const group = await page(service, '/config/entity/group/first')
    expect(stepsOf(group)).toEqual([6, 5, 4, 3, 2])
    expect(wordsOf(group)).toContain('5 revisions of the group and its pipelines.')
    expect(group).toContain('href="/config?entity=group%2Ffirst"')
    expect(stepsOf(await page(service, '/config/entity/pipeline/checkout'))).toContain(3)
    for (const nothing of ['pipeline/none', 'planet/mars', 'stage/cart', 'pipeline']) {
      const response = await service.fetch(`/config/entity/${nothing}`)
      expect([nothing, response.status]).toEqual([nothing, 404])
      expect(response.headers.get('content-type')).toContain('text/html')
    }
  })

  it('leads to the difference of the entity alone, under the names of then', async () => {
    const service = await withHistory()

    const html = await page(service, '/config/entity/pipeline/cart/compare/r2/current')

    expect(wordsOf(html)).toMatch(/Pipeline cart\s+r2 → r6/)
    expect(html).toMatch(/<del>.*checkout.*<\/del>/)
    expect(html).not.toContain('invoices')
    const same = await page(service, '/config/entity/pipeline/cart/compare/r3/r4')
    expect(wordsOf(same)).toContain('No changes')
    expect(wordsOf(html)).toMatch(/3 changes, [^→]+→/)
    expect(same).toContain('rel="prev" href="/config/entity/pipeline/cart/compare/r2/r3"')
    expect(same).toContain('rel="next" href="/config/entity/pipeline/cart/compare/r4/r5"')
  })

  it('escapes what names and values hold', async () => {
    const service = await startService()
    const name = `o'x/"&gt;&lt;script&gt;alert(1)&lt;/script&gt;`
    const admins = `<admins><user>admin</user><user>${name}</user></admins>`
    const server = `<server><security><passwordFile path="/u" />${admins}</security></server>`
    await saveRevisions(service, ONE, ONE.replace('  <pipelines', `  ${server}\n  <pipelines`))
    const html = await page(service, '/config')
    const path = /href="(\/config\/entity\/user\/o[^"]+)"/.exec(html)?.[1] ?? ''

    const user = await page(service, path.replaceAll('&#39;', "'"))

    expect(path).toContain('x%2F%22%3E%3Cscript%3E')
    expect(user).not.toContain('<script>')
    expect(wordsOf(user)).toContain('x/&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
  })

  it('has the runs of the pipeline between the changes', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    await scene.schedule()
    await scene.post('/api/stages/app/build/cancel')
    await scene.configure({ pipelines: [{ name: 'app', params: { size: '1' } }] })
    await scene.schedule()

    const pipeline = await page(scene.service, '/config/entity/pipeline/app')
    const words = wordsOf(pipeline)
    const stage = wordsOf(await page(scene.service, '/config/entity/stage/app%2Fbuild'))

    expect(pipeline).toContain('href="/pipelines/app"')
    expect(words).toMatch(/Building Run 2 .*r3 .*Cancelled Run 1 .*r2 /)
    expect(stage).toMatch(/Building Run 2 .*Cancelled Run 1 .*r2 /)
  })

  it('says of which name a run is that was made before a rename', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    await scene.schedule()
    await scene.post('/api/stages/app/build/cancel')
    await scene.configure({ pipelines: [{ name: 'shop' }] })
    await scene.schedule('shop')

    const pipeline = wordsOf(await page(scene.service, '/config/entity/pipeline/shop'))
    const stage = wordsOf(await page(scene.service, '/config/entity/stage/shop%2Fbuild'))

    for (const words of [pipeline, stage]) {
      expect(words).toMatch(/Building Run 1 (?!of).*r3 .*Cancelled Run 1 of app .*r2 /)
    }
  })

  it('is for whoever may view the pipeline, who sees nothing of the rest', async () => {
    const guarded = { group: 'g', authorization: GUARDED, pipelines: [{ name: 'app' }] }
    const other = { group: 'h', pipelines: [{ name: 'secret' }, { name: 'gone' }] }
    const scene = await BuildScene.open({ server: SECURED, groups: [guarded, other] })
    const fewer = { group: 'h', pipelines: [{ name: 'secret' }] }
    await scene.configure({ server: SECURED, groups: [guarded, fewer] })
    const statuses = async (path: string) =>
      Promise.all(
        ['vera', 'pete', 'olga'].map(async (user) => (await scene.get(path, user)).status),
      )

    const html = await (await scene.get('/config/entity/pipeline/app', 'vera')).text()

    expect(stepsOf(html)).toEqual([2])
    expect(html).not.toMatch(/secret|href="\/config\/r\d|config\/edit\?/)
    expect(await statuses('/config/entity/pipeline/app')).toEqual([200, 403, 403])
    expect(await statuses('/config/entity/pipeline/app/compare/r1/r2')).toEqual([200, 403, 403])
    expect(await statuses('/config/entity/stage/app%2Fbuild')).toEqual([200, 403, 403])
    expect(await statuses('/config/entity/pipeline/gone')).toEqual([403, 403, 403])
    expect(await statuses('/config/entity/group/g')).toEqual([403, 403, 403])
    expect(await statuses('/config/entity/server')).toEqual([403, 403, 403])
  })
})
