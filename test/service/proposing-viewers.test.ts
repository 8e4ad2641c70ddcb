import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { EntityForm } from '../support/pages/entity-forms.ts'
import { shared } from '../support/programs/at-end.ts'
import { DELEGATED } from '../support/service/delegated-changes.ts'
import { delegate, loginOf } from '../support/service/delegated-service.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const ROOT = loginOf('root')
/** Views the group `shown`, which others administer. */
const VIEWER = loginOf('owner')

const SECRET = 'AES:dGhpcyBpcyBhIG5vbmNl:c2hvd24gY2lwaGVydGV4dA=='
const SVN = `<svn url="https://example.org/svn" dest="svn" username="u" encryptedPassword="${SECRET}" />`
const BEFORE = DELEGATED.replace(
  '<package ref="p-seen" />',
  (before) => `${before}\n        ${SVN}`,
)
/** Two revisions upon it, of which the first changes something hidden too. */
const FIRST = BEFORE.replace('s1.git', 'first.git').replace('h1.git', 'h1-first.git')
const SECOND = FIRST.replace(
  /(name="s1"[^]*?)command="make"/,
  (_all, before: string) => `${before}command="ls"`,
)

const FORM = '/config/edit/pipeline/s1'
const FOR_OTHERS = 'You may not save this yourself.'
const PROPOSE = 'name="action" value="propose"'
const SAVES = /name="action" value="(?:save|create)"/

function md5(document: string): string {
  return createHash('md5').update(document).digest('hex')
}

/** The number of the proposal that an answer leads to. */
function numberOf(to: string): string {
  return /^\/proposals\/(\d+)\?/.exec(to)?.[1] ?? ''
}

describe('who may view a pipeline, and not save it,', () => {
  const opened = shared(async () => {
    const service = await delegate(await openService())
    for (const document of [BEFORE, FIRST, SECOND]) await save(service, document, ROOT)
    return service
  })
  let service: CalledService
  beforeAll(() => {
    service = opened()
  })

  const open = async (path: string, as = VIEWER) => {
    const answer = await service.fetch(path, { as })
    return { status: answer.status, text: await answer.text() }
  }
  const send = async (path: string, fields: Readonly<Record<string, string>>, as = VIEWER) => {
    const body = new URLSearchParams(fields)
    const answer = await service.fetch(path, { method: 'POST', body, as })
    const to = answer.headers.get('location') ?? ''
    return { status: answer.status, text: await answer.text(), to }
  }
  const current = async () => (await service.fetch('/api/admin/config.xml', { as: ROOT })).text()
  const detailOf = async (to: string) =>
    JSON.parse((await open(`/api/proposals/${numberOf(to)}`)).text)
  const newest = async () => {
    const list: { number: number }[] = JSON.parse(
      (await open('/api/config/revisions?limit=1', ROOT)).text,
    )
    return list[0]?.number ?? 0
  }

  it.each(['/pipelines/s1', '/config/entity/pipeline/s1'])(
    'is led to a form for a proposal: %s',
    async (path) => {
      const { status, text } = await open(path)

      expect(status).toBe(200)
      expect(text).toMatch(/href="\/config\/edit\/pipeline\/s1"[^>]*>.*?Propose a change/s)
    },
  )

  it('proposes what a form makes, sees no secret, and saves nothing', async () => {
    const form = await EntityForm.open(service, FORM, VIEWER)
    form.type({ 'f.labeltemplate': 'x-${COUNT}', message: 'Why so' })
    const pages = [form, await form.press('preview'), await form.press('save')]
    const proposed = await form.send('propose')

    expect([...pages, proposed].map(({ status }) => status)).toEqual([200, 200, 200, 303])
    for (const { html } of pages) {
      expect(html).toContain(FOR_OTHERS)
      expect(html).not.toMatch(SAVES)
      expect(html).not.toContain(SECRET)
      expect(html).not.toMatch(/entity=pipeline\/s1|h1-first|p-hidden|s-hidden/)
    }
    const preview = pages[1]?.html ?? ''
    expect(preview).toContain(PROPOSE)
    expect(preview.replaceAll(/<[^>]*>/g, '')).toContain('x-${COUNT}')
    expect(await current()).toBe(SECOND)
    expect(await detailOf(proposed.headers.get('location') ?? '')).toMatchObject({
      title: 'Why so',
      author: 'owner',
      entities: ['pipeline/s1'],
    })
  })

  it('has the proposal approved and merged by who administers it, with its secret', async () => {
    const form = await EntityForm.open(service, FORM, VIEWER)
    const proposed = await form.type({ 'f.labeltemplate': 'y-${COUNT}' }).send('propose')
    const number = numberOf(proposed.headers.get('location') ?? '')
    const path = `/api/proposals/${number}/merge`
    const merged = await service.fetch(path, { method: 'POST', as: ROOT })

    expect(merged.status).toBe(200)
    expect(await current()).toBe(
      SECOND.replace('<pipeline name="s1"', '$& labeltemplate="y-${COUNT}"'),
    )
    expect((await save(service, SECOND, ROOT)).status).toBe(200)
  })

  it('gets no form of what is hidden, or shown to none but those who administer it', async () => {
    const paths = ['pipeline/h1', 'group/shown', 'template/t-seen', 'environment/live']
    const answers = paths.map((each) => open(`/config/edit/${each}`))

    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([403, 403, 403, 403])
  })

  it('sees no state of the pipeline in a group that is hidden, whatever the form says', async () => {
    const text = / {4}<pipeline name="s1"[^]*?<\/pipeline>\n/.exec(SECOND)?.[0] ?? ''
    const moved = text.trimStart().replace('"s1"', '"s1" labeltemplate="hidden-${COUNT}"')
    const away = SECOND.replace(text, '').replace(
      '<pipeline name="h1"',
      () => `${moved}    <pipeline name="h1"`,
    )
    for (const document of [away, SECOND]) await save(service, document, ROOT)
    const asked = { basedOn: md5(away), entity: '0'.repeat(32), action: 'edit' }

    const { text: shown } = await send(FORM, asked)

    expect(shown).not.toContain('hidden-$')
  })

  it('proposes a pipeline for a group that it may view, and none for a hidden one', async () => {
    const fields = { name: 'fresh', scm: 'git', url: 'https://example.org/f.git', command: 'make' }
    const asked = { ...fields, builder: 'exec', pipelineGroup: 'shown' }
    const list = await open('/pipelines', loginOf('viewer'))
    const preview = await send('/config/new-pipeline', { ...asked, action: 'preview' })
    const created = await send('/config/new-pipeline', { ...asked, action: 'create' })
    const proposed = await send('/config/new-pipeline', { ...asked, action: 'propose' })
    const hidden = await send('/config/new-pipeline', {
      ...asked,
      pipelineGroup: 'hidden',
      action: 'propose',
    })

    expect([preview.status, created.status, proposed.status, hidden.status]).toEqual([
      200, 403, 303, 403,
    ])
    for (const { text } of [preview, created]) {
      expect(text).toContain(FOR_OTHERS)
      expect(text).toContain(PROPOSE)
      expect(text).not.toMatch(SAVES)
    }
    expect(await detailOf(proposed.to)).toMatchObject({ entities: ['pipeline/fresh'] })
    expect(list.text).not.toContain('Propose a pipeline')
    expect(await current()).toBe(SECOND)
  })

  it('proposes to restore the pipeline alone, and to undo what a revision changed of it', async () => {
    const last = await newest()
    await save(service, SECOND.replace('first.git', 'third.git').replace('h1-first', 'h1-x'), ROOT)
    const [restoring, undoing] = [
      `/config/entity/pipeline/s1/restore/r${last}`,
      `/config/entity/pipeline/s1/undo/r${last + 1}`,
    ]
    const history = await open('/config/entity/pipeline/s1')
    const step = await open(`/config/entity/pipeline/s1/compare/r${last}/r${last + 1}`)
    const pages = [await open(restoring), await open(undoing)]
    const fields = { basedOn: md5(await current()), reason: 'It was better' }
    const refused = await send(undoing, fields)
    const proposed = [
      await send(restoring, { ...fields, action: 'propose' }),
      await send(undoing, { ...fields, action: 'propose' }),
    ]

    expect(history.text).toMatch(/href="\/config\/entity\/pipeline\/s1\/restore\/r\d+"/)
    expect(step.text).toContain(`href="${undoing}"`)
    for (const { status, text } of pages) {
      expect(status).toBe(200)
      expect(text).toContain(FOR_OTHERS)
      expect(text).toContain(PROPOSE)
      expect(text).not.toMatch(/>\s*(?:Undo r|Restore only)[^<]*<\/button>/)
      expect(text.replaceAll(/<[^>]*>/g, '')).toContain('third.git')
      expect(text).not.toMatch(/h1-x|h1-first/)
      expect(text).not.toContain(SECRET)
    }
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('You can propose it instead.')
    for (const { status, to } of proposed) {
      expect(status).toBe(303)
      expect(await detailOf(to)).toMatchObject({ entities: ['pipeline/s1'] })
    }
    await save(service, SECOND, ROOT)
  })

  it('is told why an older state cannot be proposed', async () => {
    const last = await newest()
    const gone = SECOND.replace(/ *<package ref="p-seen" \/>\n/, '').replace(
      / *<package id="p-seen"[^]*?<\/package>\n/,
      '',
    )
    expect((await save(service, gone, ROOT)).status).toBe(200)

    const { status, text } = await open(`/config/entity/pipeline/s1/restore/r${last}`)

    expect(status).toBe(200)
    expect(text).toContain('The result is not valid today, so it cannot be restored')
    expect(text).toContain('p-seen')
    expect(text).not.toContain(PROPOSE)
    await save(service, SECOND, ROOT)
  })

  it.each(['/config/r3/undo', '/config/r3/restore', '/config/entity/pipeline/h1/undo/r3'])(
    'may not look at more: %s',
    async (path) => {
      expect((await open(path)).status).toBe(403)
    },
  )
})
