import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DELEGATED } from '../support/service/delegated-changes.ts'
import { delegate, loginOf } from '../support/service/delegated-service.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const OWNER = { as: loginOf('owner') }
const ROOT = loginOf('root')
/** Hidden text stands beside the lines that change. */
const HIDDEN = /h1\.git|h2\.git|p-hidden|s-hidden|(?:name|group)=&quot;(?:h1|hidden)&quot;/

async function service(): Promise<CalledService> {
  return delegate(await openService())
}

async function page(from: CalledService, path: string, init: RequestInit = {}) {
  const answer = await from.fetch(path, { ...OWNER, ...init })
  const text = await answer.text()
  // Each piece of code is marked up on its own.
  return { status: answer.status, text: text.replaceAll(/<[^>]*>/g, '') }
}

function form(fields: Readonly<Record<string, string>>): RequestInit {
  return { method: 'POST', body: new URLSearchParams(fields) }
}

function basedOn(document: string): string {
  return createHash('md5').update(document).digest('hex')
}

function textOf(name: string, document = DELEGATED): string {
  return new RegExp(` *<pipeline name="${name}"[^]*?</pipeline>`).exec(document)?.[0] ?? ''
}

/** The last pipeline of the group before the hidden one, which the owner administers here. */
const NEXT_TO_HIDDEN = DELEGATED.replace(
  '<view>\n        <user>owner</user>\n      </view>\n      <admins>\n        <user>root</user>',
  '<admins>\n        <user>owner</user>\n        <user>root</user>',
)

/** A text with a comment in its last pipeline, three lines before the start of the next group. */
function withComment(text: string): string {
  return text.replace(/s2\.git([^]*?<\/materials>)/, 's2.git$1<!-- x -->')
}

describe('the editor of an administrator of a group', () => {
  it('has one entity, with a preview that shows nothing of others around it', async () => {
    const opened = await service()
    await save(opened, NEXT_TO_HIDDEN, ROOT)
    const xml = withComment(textOf('s2', NEXT_TO_HIDDEN))
    const fields = { entity: 'pipeline/s2', basedOn: basedOn(NEXT_TO_HIDDEN), xml }

    const begun = await page(opened, '/config/edit?entity=pipeline/s2')
    const preview = await page(opened, '/config/edit', form({ ...fields, action: 'preview' }))
    const asked = { ...OWNER, ...form({ ...fields, action: 'preview' }) }
    const links = (await (await opened.fetch('/config/edit', asked)).text()).match(/href="[^"]*"/g)
    const saved = await page(opened, '/config/edit', form({ ...fields, action: 'save' }))

    expect([begun.status, preview.status, saved.status]).toEqual([200, 200, 303])
    expect(preview.text).toContain('&lt;!-- x --&gt;')
    expect(links?.filter((link) => /\/config\/r\d+"/.test(link))).toEqual([])
    expect(preview.text).not.toMatch(HIDDEN)
    const now = await (await opened.fetch('/api/admin/config.xml', { as: ROOT })).text()
    expect(now).toBe(withComment(NEXT_TO_HIDDEN))
  })

  it('is closed for the whole document, and for what others administer', async () => {
    const opened = await service()
    const fields = { basedOn: basedOn(DELEGATED), action: 'preview' }

    const answers = [
      await page(opened, '/config/edit'),
      await page(opened, '/config/edit?entity=pipeline/h1'),
      await page(opened, '/config/edit?entity=environment/live'),
      await page(opened, '/config/edit', form({ ...fields, xml: DELEGATED })),
      await page(
        opened,
        '/config/edit',
        form({ ...fields, entity: 'pipeline/h1', xml: textOf('h1') }),
      ),
    ]

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
  })

  it('takes no text that would draw what others administer into its own part', async () => {
    const opened = await service()
    const commented = DELEGATED.replace(
      '    <pipeline name="h2"',
      '    <!-- note -->\n    <pipeline name="h2"',
    )
    await save(opened, commented, ROOT)
    const fields = { entity: 'pipeline/o2', basedOn: basedOn(commented), action: 'preview' }
    const around = `${textOf('o2')}</pipelines><pipelines group="ours"><!--`

    const answers = [
      await page(opened, '/config/edit', form({ ...fields, xml: `${textOf('o2')}<!--` })),
      await page(opened, '/config/edit', form({ ...fields, xml: around })),
      await page(
        opened,
        '/config/edit',
        form({ ...fields, xml: `${textOf('o2')}<pipeline name="z" />` }),
      ),
    ]

    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422])
    for (const { text } of answers) expect(text).not.toMatch(HIDDEN)
  })

  it('resolves a conflict with what somebody else has saved of the same entity', async () => {
    const opened = await service()
    const theirs = DELEGATED.replace('m1.git', 'theirs.git').replace('h1.git', 'secret.git')
    await save(opened, theirs, ROOT)
    const fields = { entity: 'pipeline/m1', xml: textOf('m1').replace('m1.git', 'mine.git') }
    const stale = { ...fields, basedOn: basedOn(DELEGATED) }
    const choice = { ...stale, against: basedOn(theirs), 'choice-0': 'ours' }

    const conflict = await page(opened, '/config/edit', form({ ...stale, action: 'preview' }))
    const preview = await page(opened, '/config/edit', form({ ...choice, action: 'preview' }))
    const saved = await page(opened, '/config/edit', form({ ...choice, action: 'save' }))

    expect([conflict.status, preview.status, saved.status]).toEqual([409, 200, 303])
    expect(conflict.text).toContain('theirs.git')
    expect(conflict.text).toContain('Edit pipeline m1')
    expect(conflict.text + preview.text).not.toContain('Edit configuration')
    expect(conflict.text + preview.text).not.toMatch(/secret\.git/)
    const now = await (await opened.fetch('/api/admin/config.xml', { as: ROOT })).text()
    expect(now).toBe(theirs.replace('theirs.git', 'mine.git'))
  })
})

/** The links of a page that is refused to what its reader may see instead, by their texts. */
async function ownViewsAt(from: CalledService, path: string, as: string) {
  const call = { as, headers: { accept: 'text/html' } }
  const first = await from.fetch(path, call)
  const narrowed = first.headers.get('location')
  const answer = narrowed === null ? first : await from.fetch(narrowed, call)
  const text = await answer.text()
  const [, list = ''] = /You can see:<\/p><ul[^>]*>(.*?)<\/ul>/s.exec(text) ?? []
  const links = Array.from(
    list.matchAll(/href="([^"]+)">([^<]+)</g),
    ([, href = '', name = '']) => ({
      href,
      name,
    }),
  )
  const statuses = links.map(async ({ href }) => (await from.fetch(href, { as })).status)
  return {
    status: answer.status,
    names: links.map(({ name }) => name),
    statuses: await Promise.all(statuses),
  }
}

describe('a page that is refused', () => {
  it.each([
    ['/config?entity=group/shown', 'History of group mine', 'History of group ours'],
    ['/config/entity/group/shown', 'History of group mine', 'History of group ours'],
    ['/config/current', 'History of group mine', 'History of group ours'],
    ['/config/r2', 'Changes to group mine since r2', 'Changes to group ours since r2'],
    [
      '/config/compare/r2/r3',
      'Changes to group mine from r2 to r3',
      'Changes to group ours from r2 to r3',
    ],
    ['/config/edit', 'Edit group mine', 'Edit group ours'],
    ['/audit', 'History of group mine', 'History of group ours'],
    ['/users', 'History of group mine', 'History of group ours'],
  ])('leads to the same of what its reader administers: %s', async (path, ...names) => {
    const opened = await service()
    await save(opened, DELEGATED.replace('m1.git', 'x.git'), ROOT)

    const views = await ownViewsAt(opened, path, OWNER.as)

    expect(views).toEqual({ status: 403, names, statuses: [200, 200] })
  })

  it('leads to templates too, and who administers nothing to the own permissions', async () => {
    const opened = await service()

    const templater = await ownViewsAt(opened, '/audit', loginOf('templater'))
    const viewer = await ownViewsAt(opened, '/config', loginOf('viewer'))
    const shown = await (await opened.fetch('/config', { as: loginOf('viewer') })).text()

    expect(templater).toEqual({ status: 403, names: ['History of template tpl'], statuses: [200] })
    expect(viewer).toEqual({ status: 403, names: [], statuses: [] })
    expect(shown).toMatch(/href="\/account"[^>]*>Your permissions/)
  })

  it('are on the account of everybody, each with the way to it', async () => {
    const opened = await service()
    const account = async (name: Parameters<typeof loginOf>[0]) => {
      const shown = await opened.fetch('/account', { as: loginOf(name) })
      return /<h2>What I administer<\/h2>.*?<\/section>/s.exec(await shown.text())?.[0]
    }

    const templater = (await account('templater')) ?? ''
    const [history = '', edit = ''] = [...templater.matchAll(/href="([^"]*)"/g)].map(
      ([, href]) => href,
    )
    const statuses = await Promise.all(
      [history, edit].map(
        async (href) => (await opened.fetch(href, { as: loginOf('templater') })).status,
      ),
    )

    expect([history, edit]).toEqual(['/config/entity/template/tpl', '/config/edit/template/tpl'])
    expect(statuses).toEqual([200, 200])
    expect(await account('viewer')).toContain('No groups or templates')
    expect(await account('root')).toContain('The whole server')
  })
})

async function pipelines(from: CalledService, as: string): Promise<string> {
  return (await from.fetch('/pipelines', { as })).text()
}

function historyAt(path: string): string {
  return `<a href="${path}" data-jump="h">History</a>`
}

describe('the history in the bar', () => {
  it('lists the histories of the parts that its reader administers', async () => {
    const opened = await service()

    const answer = await opened.fetch('/config', OWNER)
    const html = await answer.text()

    expect(await pipelines(opened, OWNER.as)).toContain(historyAt('/config'))
    expect(answer.status).toBe(200)
    expect(html.match(/href="\/config\/entity\/[^"]*"/g)).toEqual([
      'href="/config/entity/group/mine"',
      'href="/config/entity/group/ours"',
    ])
    expect(html).not.toContain('/config/current')
  })

  it('is that of the one part that its reader administers, and is not there for who has none', async () => {
    const opened = await service()
    const [templater, viewer] = [loginOf('templater'), loginOf('viewer')]

    const refused = await opened.fetch('/config', { as: viewer })

    expect(await pipelines(opened, templater)).toContain(historyAt('/config/entity/template/tpl'))
    expect(await pipelines(opened, viewer)).not.toContain('>History<')
    expect(refused.status).toBe(403)
  })
})

describe('the administrator of a group', () => {
  it('undoes a revision of its own part, and sees nothing of others around it', async () => {
    const opened = await service()
    await save(opened, NEXT_TO_HIDDEN, ROOT)
    await save(opened, NEXT_TO_HIDDEN.replace('s2.git', 'x.git'), ROOT)
    const [{ commitSHA }] = JSON.parse(
      await (await opened.fetch('/api/config/revisions?limit=1', { as: ROOT })).text(),
    )

    const preview = await page(opened, `/config/${commitSHA}/undo`)

    expect(preview.status).toBe(200)
    expect(preview.text).toContain('x.git')
    expect(preview.text).not.toMatch(HIDDEN)
  })

  it('is offered the undoing of its own part of a revision, and of no other', async () => {
    const opened = await service()
    await save(opened, DELEGATED.replace('m1.git', 'x.git'), ROOT)
    const last = DELEGATED.replace('m1.git', 'z.git').replace('s1.git', 'y.git')
    await save(opened, last, ROOT)
    const at = (name: string, to: string) =>
      page(opened, `/config/entity/pipeline/${name}/compare/${to}`)

    const [own, reaching, other] = [
      await at('m1', 'r2/r3'),
      await at('m1', 'r3/r4'),
      await at('s1', 'r3/r4'),
    ]

    expect([own.status, reaching.status, other.status]).toEqual([200, 200, 200])
    expect(own.text).toContain('Undo r3 in pipeline m1…')
    expect((await page(opened, '/config/r3/undo')).status).toBe(200)
    expect(reaching.text).toContain('Undo r4 in pipeline m1…')
    expect((await page(opened, '/config/r4/undo')).status).toBe(403)

    const part = await page(opened, '/config/entity/pipeline/m1/undo/r4')
    expect(part.text).toContain('z.git')
    expect(part.text).not.toMatch(/[ys]\d?\.git/)
    const fields = { basedOn: basedOn(last), reason: 'Not yet' }
    const undone = await page(opened, '/config/entity/pipeline/m1/undo/r4', form(fields))
    expect(undone.status).toBe(303)
    const now = await (await opened.fetch('/api/admin/config.xml', { as: ROOT })).text()
    expect(now).toBe(DELEGATED.replace('m1.git', 'x.git').replace('s1.git', 'y.git'))
  })

  it('learns nothing of a revision that reaches beyond it', async () => {
    const opened = await service()
    await save(opened, DELEGATED.replace('m1.git', 'x.git').replace('h1.git', 'y.git'), ROOT)
    await save(opened, DELEGATED.replace('m1.git', 'x.git').replace('h1.git', 'z.git'), ROOT)

    const answers = [
      await page(opened, '/config/r3/undo'),
      await page(opened, '/config/r3/undo?rest=1'),
      await page(opened, '/config/r2/restore'),
      await page(opened, '/config/entity/pipeline/h1/restore/r2'),
    ]

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    for (const { text } of answers) expect(text).not.toMatch(/[yz]\.git/)
  })

  it('restores an entity of its own, and none as it was in a group of others', async () => {
    const opened = await service()
    await save(opened, DELEGATED.replace('m1.git', 'x.git'), ROOT)
    const given = textOf('s2')
    const moved = DELEGATED.replace(`${given}\n`, '').replace(
      textOf('m1'),
      () => `${given}\n${textOf('m1')}`,
    )
    await save(opened, moved, ROOT)

    const own = await page(opened, '/config/entity/pipeline/m1/restore/r3')
    const other = await page(opened, '/config/entity/pipeline/s2/restore/r3')

    expect([own.status, other.status]).toEqual([200, 403])
  })
})
