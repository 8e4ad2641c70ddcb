import { describe, expect, it } from 'vitest'
import { git } from '../../support/git/git.ts'
import { addSomeone, ADMIN_ALONE, SOMEONE } from '../../support/service/someone-else.ts'
import {
  BASE,
  md5,
  serviceAt,
  submit,
  currentOf,
  textIn,
} from '../../support/pages/editor-forms.ts'

describe('the editor', () => {
  it('begins with the text of the current configuration, and its digest', async () => {
    const service = await serviceAt()

    const html = await (await service.fetch('/config/edit')).text()

    expect(textIn(html)).toBe(BASE)
    expect(html).toContain(`name="basedOn" value="${md5(BASE)}"`)
  })

  it('is never kept by caches, and lets in the style sheet of its own script alone', async () => {
    const service = await serviceAt()

    const response = await service.fetch('/config/edit')
    const html = await response.text()

    const policy = response.headers.get('content-security-policy') ?? ''
    const [, nonce] = /style-src 'self' 'nonce-([^']+)'/.exec(policy) ?? []
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(html).toContain(`data-nonce="${nonce}"`)
    expect(policy).not.toContain('unsafe')
  })

  it('saves what was typed as a revision by the caller, and shows what it changed', async () => {
    const service = await serviceAt()
    const edited = BASE.replace('alpha.git', 'other.git')

    const response = await submit(service, { xml: edited, action: 'save' })

    expect(response.status).toBe(303)
    const location = response.headers.get('location') ?? ''
    expect(location).toMatch(/^\/config\/compare\/r2\/r3\?flash=/)
    expect(await (await service.fetch(location)).text()).toContain('Saved as r3.')
    expect(await (await service.fetch(location)).text()).not.toContain('Saved as')
    expect(await currentOf(service)).toBe(edited)
    expect(git(service.repository, 'log', '-1', '--format=%an').trim()).toBe('admin')
  })

  it.each([
    ['CR LF', BASE.replaceAll('\n', '\r\n')],
    ['mixed', BASE.replace('\n', '\r\n').replace('  </pipelines>\n', '  </pipelines>\r\n')],
    ['no last', BASE.trimEnd()],
    ['CR at the end', `${BASE.trimEnd()}\r`],
  ])('keeps the line endings of the document: %s', async (_, document) => {
    const service = await serviceAt(document)
    const edited = document.replace('beta.git', 'other.git')

    await submit(service, { xml: edited, basedOn: md5(document), action: 'save' })

    expect(await currentOf(service)).toBe(edited)
  })

  it('reports every problem with its line, and gives the text back', async () => {
    const service = await serviceAt()
    const broken = BASE.replace('<job name="unit">', '<job nmae="unit">')

    const response = await submit(service, { xml: broken, action: 'save' })
    const html = await response.text()

    expect(response.status).toBe(422)
    expect(html).toMatch(/Fix \d problems? before saving/)
    expect(html).toContain('data-line="10"')
    expect(textIn(html).replaceAll('\r\n', '\n')).toBe(broken)
    expect(await currentOf(service)).toBe(BASE)
  })

  it('escapes what was typed', async () => {
    const service = await serviceAt()
    const hostile = '</textarea><script>alert(1)</script>&lt;'

    const html = await (await submit(service, { xml: hostile, action: 'save' })).text()

    expect(html).not.toContain('<script>alert')
    expect(textIn(html)).toBe(hostile)
  })

  it('shows what a save would change without changing anything', async () => {
    const service = await serviceAt()
    const edited = BASE.replace('alpha.git', 'other.git')

    const response = await submit(service, { xml: edited, action: 'preview' })
    const html = await response.text()

    expect(response.status).toBe(200)
    expect(html).toContain('Nothing is saved yet')
    expect(html).toContain('other')
    expect(textIn(html).replaceAll('\r\n', '\n')).toBe(edited)
    expect(await currentOf(service)).toBe(BASE)
  })

  it('shows in the preview which runs a save starts', async () => {
    const service = await serviceAt()
    const [pipeline = ''] = /<pipeline name="gamma"[^]*?<\/pipeline>/.exec(BASE) ?? []
    const added = pipeline.replace('gamma', 'delta')

    const edited = BASE.replace(pipeline, `${pipeline}\n${added}`)
    const html = await (await submit(service, { xml: edited, action: 'preview' })).text()

    expect(html).toContain('When saved')
    expect(html).toContain('<b>delta</b> (new pipeline)')
  })

  it('keeps the reason through every step, and saves it with the revision', async () => {
    const service = await serviceAt()
    const fields = { message: 'Cart V2, see "INC-42"', xml: BASE.replace('alpha.git', 'other.git') }
    const kept = 'name="message" value="Cart V2, see &quot;INC-42&quot;"'

    for (const action of ['check', 'preview', 'edit']) {
      expect(await (await submit(service, { ...fields, action })).text()).toContain(kept)
    }
    const broken = await submit(service, { ...fields, xml: '<cruise', action: 'save' })
    expect(await broken.text()).toContain(kept)
    await submit(service, { ...fields, action: 'save' })

    expect(git(service.repository, 'log', '-1', '--format=%b')).toContain('Cart V2, see "INC-42"')
  })

  it('says so when nothing is different', async () => {
    const service = await serviceAt()

    const html = await (await submit(service, { xml: BASE, action: 'save' })).text()

    expect(html).toContain('No changes to save.')
  })

  it('answers the question what is wrong with a text, for the script', async () => {
    const service = await serviceAt()
    const ask = async (xml: string) => {
      const body = new URLSearchParams({ xml, basedOn: md5(BASE), entity: '' })
      const response = await service.fetch('/config/edit/check', { method: 'POST', body })
      return response.json()
    }

    expect(await ask(BASE.replace('alpha.git', 'other.git'))).toEqual({ problems: [], changes: 1 })
    expect(await ask(BASE.replace('</jobs>', '</job>'))).toMatchObject({
      problems: [{ line: 15, typedLine: 15 }],
      changes: null,
    })
  })

  it('hides secrets that are typed in a preview, and seals them when they are saved', async () => {
    const service = await serviceAt()
    const edited = BASE.replace(
      '/alpha.git"',
      '/alpha.git" password="hunter2" username="u"',
    ).replace('<git ', '<svn ')

    const preview = await (await submit(service, { xml: edited, action: 'preview' })).text()
    await submit(service, { xml: edited, action: 'save' })

    expect(preview.replace(/<textarea[^]*<\/textarea>/, '')).not.toContain('hunter2')
    expect(await currentOf(service)).not.toContain('hunter2')
  })

  it('has an outline, whose places lead without a script to an editor of the entity', async () => {
    const service = await serviceAt()

    const html = await (await service.fetch('/config/edit')).text()
    const entity = await (await service.fetch('/config/edit?entity=pipeline/beta')).text()

    expect(html).toContain('<nav class="outline card"')
    expect(html).toContain('href="/config/edit?entity=pipeline%2Fbeta"')
    expect(html.indexOf('class="outline')).toBeGreaterThan(html.indexOf('</textarea>'))
    expect(entity).not.toContain('<nav class="outline')
  })

  it('names a file with what the schema of the document knows, which never changes', async () => {
    const service = await serviceAt()

    const html = await (await service.fetch('/config/edit')).text()
    const [, address = ''] = /data-vocabulary="([^"]+)"/.exec(html) ?? []
    const response = await service.fetch(address)
    const vocabulary: unknown = await response.json()

    expect(address).toMatch(/^\/assets\/vocabulary-exact-[0-9a-f]{12}\.json$/)
    expect(response.headers.get('cache-control')).toContain('immutable')
    expect(vocabulary).toMatchObject({
      cruise: { children: { pipelines: 'pipelines' } },
      'pipelines/pipeline': {
        attributes: { name: { required: true }, isLocked: { values: ['true', 'false'] } },
      },
    })
  })

  it('is for administrators', async () => {
    const service = await serviceAt(BASE.replace('<pipelines', `${ADMIN_ALONE}<pipelines`))
    await addSomeone(service)
    const body = new URLSearchParams({ xml: BASE, basedOn: md5(BASE), action: 'save' })

    const read = await service.fetch('/config/edit', { as: SOMEONE })
    const saved = await service.fetch('/config/edit', { method: 'POST', body, as: SOMEONE })

    expect([read.status, saved.status]).toEqual([403, 403])
  })
})
