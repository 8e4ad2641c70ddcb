import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents.ts'
import { git } from '../../support/git.ts'
import { save } from '../../support/saving.ts'
import { addSomeone, ADMIN_ALONE, SOMEONE } from '../../support/someone-else.ts'
import { startService, type TestService } from '../../support/service.ts'

const BASE = documentWith('alpha', 'beta', 'gamma')

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}

async function serviceAt(document = BASE, flags: readonly string[] = []): Promise<TestService> {
  const service = await startService(flags)
  await save(service, document)
  return service
}

type Fields = Readonly<Record<string, string>>

/** Sends the editor's form as a browser does: every line ends with CR LF. */
function submit(service: TestService, fields: Fields): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ basedOn: md5(BASE), entity: '', ...fields })) {
    form.set(name, name === 'xml' ? value.replace(/\r\n|\r|\n/g, '\r\n') : value)
  }
  return service.fetch('/config/edit', { method: 'POST', body: form })
}

async function currentOf(service: TestService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

function unescape(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

/** The text that a page's form holds. */
function textIn(html: string): string {
  const [, text = ''] = /<textarea[^>]*name="xml"[^>]*>\n?([^]*?)<\/textarea>/.exec(html) ?? []
  return unescape(text)
}

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
    expect(response.headers.get('location')).toBe('/config/compare/r2/r3')
    expect(await currentOf(service)).toBe(edited)
    expect(git(service.repository, 'log', '-1', '--format=%an').trim()).toBe('admin')
  })

  it.each([
    ['CR LF', BASE.replaceAll('\n', '\r\n')],
    ['mixed', BASE.replace('\n', '\r\n').replace('  </pipelines>\n', '  </pipelines>\r\n')],
    ['no last', BASE.trimEnd()],
  ])('keeps the line endings of the document: %s', async (_, document) => {
    const service = await serviceAt(document)
    const edited = document.replace('beta.git', 'other.git')

    await submit(service, { xml: edited, basedOn: md5(document), action: 'save' })

    expect(await currentOf(service)).toBe(edited)
  })

  it('tells every problem with its line, and gives the text back', async () => {
    const service = await serviceAt()
    const broken = BASE.replace('<job name="unit">', '<job nmae="unit">')

    const response = await submit(service, { xml: broken, action: 'save' })
    const html = await response.text()

    expect(response.status).toBe(422)
    expect(html).toMatch(/stops? this from/)
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

  it('says so when nothing is different', async () => {
    const service = await serviceAt()

    const html = await (await submit(service, { xml: BASE, action: 'save' })).text()

    expect(html).toContain('Nothing is different')
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

  it('is for administrators', async () => {
    const service = await serviceAt(BASE.replace('<pipelines', `${ADMIN_ALONE}<pipelines`))
    await addSomeone(service)
    const body = new URLSearchParams({ xml: BASE, basedOn: md5(BASE), action: 'save' })

    const read = await service.fetch('/config/edit', { as: SOMEONE })
    const saved = await service.fetch('/config/edit', { method: 'POST', body, as: SOMEONE })

    expect([read.status, saved.status]).toEqual([403, 403])
  })
})

describe('the editor of one entity', () => {
  it('shows and saves its XML alone', async () => {
    const service = await serviceAt()
    const html = await (await service.fetch('/config/edit?entity=pipeline/beta')).text()
    const text = textIn(html)

    await submit(service, {
      xml: text.replace('beta.git', 'other.git'),
      entity: 'pipeline/beta',
      action: 'save',
    })

    expect(text.trimStart()).toMatch(/^<pipeline name="beta">[^]*<\/pipeline>$/)
    expect(text).not.toContain('alpha')
    expect(await currentOf(service)).toBe(BASE.replace('beta.git', 'other.git'))
  })

  it('counts lines as the whole document does', async () => {
    const service = await serviceAt()
    const text = textIn(await (await service.fetch('/config/edit?entity=pipeline/beta')).text())

    const body = new URLSearchParams({
      xml: text.replace('<job name', '<job nmae'),
      basedOn: md5(BASE),
      entity: 'pipeline/beta',
    })
    const response = await service.fetch('/config/edit/check', { method: 'POST', body })

    const line = BASE.split('\n').findIndex((each) => each.includes('name="beta"')) + 1
    expect(await response.json()).toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ line: line + 6, typedLine: 7 })]),
    })
  })

  it('is not found when there is none, and not understood when the name is none', async () => {
    const service = await serviceAt()

    expect((await service.fetch('/config/edit?entity=pipeline/none')).status).toBe(404)
    expect((await service.fetch('/config/edit?entity=beta')).status).toBe(400)
  })

  it('begins with what it was in an older revision when that is to be put back', async () => {
    const service = await serviceAt()
    await save(service, BASE.replace('beta.git', 'other.git'))

    const html = await (await service.fetch('/config/edit?entity=pipeline/beta&from=r2')).text()

    expect(textIn(html)).toContain('beta.git')
    expect(html).toContain('as of r2')
  })
})

describe('an edit that others overtook', () => {
  const mine = BASE.replace('alpha.git', 'mine.git').replace('gamma.git', 'also-mine.git')

  it('is merged when it touches other lines, and says whose changes it is merged with', async () => {
    const service = await serviceAt()
    await save(service, BASE.replace('beta.git', 'theirs.git'))

    const preview = await (await submit(service, { xml: mine, action: 'preview' })).text()
    const saved = await submit(service, { xml: mine, action: 'save' })

    expect(preview).toContain('admin saved r3 while you were editing')
    expect(saved.status).toBe(303)
    expect(await currentOf(service)).toBe(mine.replace('beta.git', 'theirs.git'))
  })

  it('shows both sides of each conflict and what merged, and keeps the text', async () => {
    const service = await serviceAt()
    await save(service, BASE.replace('alpha.git', 'theirs.git'))

    const response = await submit(service, { xml: mine, action: 'save' })
    const html = await response.text()

    expect(response.status).toBe(409)
    expect(html).toContain('Keep mine')
    expect(html).toContain('Take admin’s (r3)')
    expect(html).toContain('theirs.git')
    expect(html).toContain('1 of your changes merged cleanly')
    expect(textIn(html).replaceAll('\r\n', '\n')).toBe(mine)
    expect(await currentOf(service)).toContain('theirs.git')
  })

  it.each([
    ['ours', mine],
    ['theirs', mine.replace('mine.git', 'theirs.git')],
  ] as const)('is saved by the choice %s', async (choice, expected) => {
    const service = await serviceAt()
    const theirs = BASE.replace('alpha.git', 'theirs.git')
    await save(service, theirs)

    const response = await submit(service, {
      xml: mine,
      against: md5(theirs),
      'choice-0': choice,
      action: 'save',
    })

    expect(response.status).toBe(303)
    expect(await currentOf(service)).toBe(expected)
  })

  it('asks again when no side was chosen', async () => {
    const service = await serviceAt()
    const theirs = BASE.replace('alpha.git', 'theirs.git')
    await save(service, theirs)

    const response = await submit(service, { xml: mine, against: md5(theirs), action: 'save' })

    expect(response.status).toBe(409)
    expect(await response.text()).toContain('choose one side')
    expect(await currentOf(service)).toBe(theirs)
  })

  it('keeps the text also when the revision that it began from is no longer there', async () => {
    const service = await serviceAt()

    const response = await submit(service, { xml: mine, basedOn: md5('never'), action: 'save' })

    expect(response.status).toBe(412)
    expect(textIn(await response.text()).replaceAll('\r\n', '\n')).toBe(mine)
  })
})
