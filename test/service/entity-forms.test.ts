import { describe, expect, it } from 'vitest'
import { EntityForm } from '../support/pages/entity-forms.ts'
import { unescape } from '../support/pages/page-forms.ts'
import { DELEGATED } from '../support/service/delegated-changes.ts'
import { delegate, loginOf } from '../support/service/delegated-service.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'
import { AuditBody } from '../../src/wire/service-bodies.ts'

const ROOT = loginOf('root')
const OWNER = loginOf('owner')

const COMMENTED = DELEGATED.replace(
  '    <pipeline name="o1">\n',
  '    <pipeline name="o1">\n      <!-- nobody knows why -->\n',
)

async function service(document = COMMENTED): Promise<CalledService> {
  const opened = await delegate(await openService())
  await save(opened, document, ROOT)
  return opened
}

async function currentOf(opened: CalledService): Promise<string> {
  return (await opened.fetch('/api/admin/config.xml', { as: ROOT })).text()
}

async function actionsOf(opened: CalledService): Promise<string[][]> {
  const answer = await opened.fetch('/api/audit', { as: ROOT })
  const { entries } = AuditBody.parse(await answer.json())
  return entries.map(({ action, target, user, outcome }) => [action, target, user, outcome])
}

function pathOf(kind: string, name: string): string {
  return `/config/edit/${kind}/${name}`
}

describe('the form of an entity', () => {
  it('gives a new person the right to operate a group, with a preview of rights', async () => {
    const opened = await service()

    const form = await EntityForm.open(opened, pathOf('group', 'ours'), OWNER)
    const added = await form.press('add:authorization.operate:user')
    const preview = await added
      .type({ 'f.authorization.operate.0.text': 'viewer', message: 'Joined the team' })
      .press('preview')
    const saved = await preview.send('save')

    expect([form.status, added.status, preview.status, saved.status]).toEqual([200, 200, 200, 303])
    expect(preview.html).toMatch(/<b>viewer<\/b> gains: [^<]*operate/)
    expect(await currentOf(opened)).toBe(
      COMMENTED.replace(
        /(<pipelines group="ours">\n {4}<authorization>\n)/,
        '$1      <operate>\n        <user>viewer</user>\n      </operate>\n',
      ),
    )
    expect(saved.headers.get('location')).toContain('/config/entity/group/ours')
  })

  it('adds a job to a pipeline, leaves its comments alone and says so', async () => {
    const opened = await service()

    const form = await EntityForm.open(opened, `${pathOf('pipeline', 'o1')}?add=job`, OWNER)
    const preview = await form
      .type({ 'f.stage.0.jobs.1.name': 'lint', 'f.stage.0.jobs.1.tasks.0.command': 'make lint' })
      .press('preview')
    const saved = await preview.send('save')

    expect(form.html).toContain('left unchanged: 1 comment')
    expect(preview.html.replaceAll(/<[^>]*>/g, '')).toContain('added stage build: job lint')
    expect(saved.status).toBe(303)
    const job =
      '          <job name="lint">\n            <tasks>\n              <exec command="make lint" />\n            </tasks>\n          </job>\n'
    const [before = '', after = ''] = COMMENTED.split('<pipeline name="o1">')
    expect(await currentOf(opened)).toBe(
      `${before}<pipeline name="o1">${after.replace('          </job>\n', `          </job>\n${job}`)}`,
    )
  })

  it('adds variables to an environment; a secure one is sealed and never shown', async () => {
    const opened = await service()

    const form = await EntityForm.open(opened, pathOf('environment', 'live'), ROOT)
    const one = await form.press('add:environmentvariables:variable')
    one.type({
      'f.environmentvariables.0.name': 'REGION',
      'f.environmentvariables.0.value': 'north',
    })
    const two = await one.press('add:environmentvariables:secure')
    two.type({
      'f.environmentvariables.1.name': 'TOKEN',
      'f.environmentvariables.1.value.secret': 'hunter2-hunter2',
    })
    const preview = await two.press('preview')
    const back = await preview.press('edit')
    const saved = await (await back.press('preview')).send('save')

    expect(saved.status).toBe(303)
    expect(preview.html + back.html).not.toContain('hunter2')
    expect(back.html).toContain('The new value is kept')
    const now = await currentOf(opened)
    expect(now).toMatch(/<variable name="REGION">\s*<value>north<\/value>/)
    expect(now).toMatch(
      /<variable name="TOKEN" secure="true">\s*<encryptedValue>AES:[^<]+<\/encryptedValue>/,
    )
    const again = await EntityForm.open(opened, pathOf('environment', 'live'), ROOT)
    expect(again.html).not.toContain('AES:')
    again.type({ 'f.environmentvariables.1.name': 'TOKEN_2' })
    await (await again.press('preview')).send('save')
    expect(await currentOf(opened)).toBe(now.replace('"TOKEN"', '"TOKEN_2"'))
  })

  it('seals the secret of an address, and that of a material in place of its old one', async () => {
    const opened = await service()

    const form = await EntityForm.open(opened, pathOf('pipeline', 'm1'), OWNER)
    const preview = await form
      .type({
        'f.materials.0.url': 'https://bob:hunter2-hunter2@example.org/m1.git',
        'f.materials.1.password.secret': 'hunter3-hunter3',
      })
      .press('preview')
    const saved = await preview.send('save')

    expect([preview.status, saved.status]).toEqual([200, 303])
    expect(form.html + preview.html).not.toMatch(/hunter|b3duIGNpcGhlcnRleHQ/)
    const now = await currentOf(opened)
    expect(now).toMatch(/url="https:\/\/bob:AES:[^@"]+@example.org\/m1.git"/)
    expect(now).toMatch(/dest="svn" username="u" encryptedPassword="AES:[^"]+" \/>/)
    expect(now).not.toMatch(/hunter|b3duIGNpcGhlcnRleHQ/)
  })

  it('changes the users of a role, and makes a new one', async () => {
    const opened = await service()

    const form = await EntityForm.open(opened, pathOf('role', 'devs'), ROOT)
    const added = await form.press('add:users')
    const saved = await added.type({ 'f.users.1.text': 'owner' }).send('save')
    const fresh = await EntityForm.open(opened, '/config/new/role', ROOT)
    const made = await (
      await fresh.press('add:users')
    )
      .type({ 'f.name': 'ops', 'f.users.0.text': 'ben' })
      .send('save')

    expect([saved.status, made.status]).toEqual([303, 303])
    expect(await currentOf(opened)).toBe(
      COMMENTED.replace(
        '            <user>ben</user>\n          </users>\n        </role>\n',
        '            <user>ben</user>\n            <user>owner</user>\n          </users>\n        </role>\n' +
          '        <role name="ops">\n          <users>\n            <user>ben</user>\n          </users>\n        </role>\n',
      ),
    )
  })

  it('makes groups, environments and templates', async () => {
    const opened = await service()
    const group = await EntityForm.open(opened, '/config/new/group', ROOT)
    const environment = await EntityForm.open(opened, '/config/new/environment', ROOT)
    const template = await EntityForm.open(opened, '/config/new/template', ROOT)
    const staged = await template.press('add:stage')

    const answers = [
      await group.type({ 'f.group': 'fresh' }).send('save'),
      await environment.type({ 'f.name': 'test' }).send('save'),
      await staged
        .type({
          'f.name': 'steps',
          'f.stage.0.name': 's',
          'f.stage.0.jobs.0.name': 'j',
          'f.stage.0.jobs.0.tasks.0.command': 'make',
        })
        .send('save'),
    ]

    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303])
    const now = await currentOf(opened)
    expect(now).toMatch(/<pipelines group="fresh" \/>/)
    expect(now).toMatch(/<environment name="test" \/>/)
    expect(now).toMatch(/<pipeline name="steps">\s*<stage name="s">/)
  })

  it('says a problem at its field or its row, and saves nothing', async () => {
    const opened = await service()

    const form = await EntityForm.open(opened, `${pathOf('pipeline', 'o1')}?add=job`, OWNER)
    const typed = await form
      .type({ 'f.stage.0.jobs.1.name': 'a b', 'f.stage.0.jobs.1.tasks.0.command': 'x' })
      .press('save')
    const twice = await typed.type({ 'f.stage.0.jobs.1.name': 'unit' }).press('save')

    expect([typed.status, twice.status]).toEqual([422, 422])
    expect(typed.html).toContain('href="#f.stage.0.jobs.1.name"')
    expect(typed.html).toMatch(/id="f\.stage\.0\.jobs\.1\.name"[^>]* aria-invalid="true"/)
    expect(twice.html).toMatch(/href="#f\.stage\.0\.jobs\.\d"/)
    expect(await currentOf(opened)).toBe(COMMENTED)
  })

  it('merges with what others saved of other parts, and shows both sides of the same one', async () => {
    const opened = await service()
    const mine = await EntityForm.open(opened, pathOf('pipeline', 'o1'), OWNER)
    const also = await EntityForm.open(opened, pathOf('pipeline', 'o1'), OWNER)
    const theirs = COMMENTED.replace('m1.git', 'moved.git').replace('o1.git', 'theirs.git')
    await save(opened, theirs, ROOT)

    const merged = await mine.type({ 'f.labeltemplate': '1.${COUNT}' }).send('save')
    const conflict = await also
      .type({ 'f.materials.0.url': 'https://example.org/mine.git' })
      .press('save')

    expect(merged.status).toBe(303)
    expect(await currentOf(opened)).toBe(
      theirs.replace('<pipeline name="o1">', '<pipeline name="o1" labeltemplate="1.${COUNT}">'),
    )
    expect(conflict.status).toBe(409)
    for (const side of ['o1.git', 'theirs.git', 'mine.git']) expect(conflict.html).toContain(side)
  })

  it('never meets an edit of another pipeline, and needs no more than its own text as its base', async () => {
    const opened = await service()
    const mine = await EntityForm.open(opened, pathOf('pipeline', 'o1'), OWNER)
    const theirs = await EntityForm.open(opened, pathOf('pipeline', 'o2'), OWNER)
    const fresh = await EntityForm.open(opened, '/config/new/environment', ROOT)
    await theirs.type({ 'f.labeltemplate': '2.${COUNT}' }).send('save')

    const preview = await mine.type({ 'f.labeltemplate': '1.${COUNT}' }).press('preview')
    const saved = await preview.type({ basedOn: '0'.repeat(32) }).send('save')
    const made = await fresh.type({ 'f.name': 'test', basedOn: '0'.repeat(32) }).send('save')

    expect(preview.html).not.toContain('while you were editing')
    expect([saved.status, made.status]).toEqual([303, 303])
    const now = await currentOf(opened)
    for (const n of ['1', '2']) expect(now).toContain(`name="o${n}" labeltemplate="${n}.`)
  })

  it('shows a conflict by entity, to be continued as XML or by a choice', async () => {
    const opened = await service()
    const mine = await EntityForm.open(opened, pathOf('pipeline', 'o1'), OWNER)
    await save(opened, COMMENTED.replace('o1.git', 'theirs.git'), ROOT)
    const url = 'https://example.org/mine.git'

    const conflict = await mine.type({ 'f.materials.0.url': url }).press('save')
    const sent = async (fields: Readonly<Record<string, string>>) => {
      const body = new URLSearchParams([...conflict.fields, ...Object.entries(fields)])
      body.set('xml', unescape(/<textarea[^>]*>\n?([^<]*)</.exec(conflict.html)?.[1] ?? ''))
      return opened.fetch('/config/edit', { method: 'POST', body, as: OWNER })
    }
    const asXml = await (await sent({ action: 'edit' })).text()
    const chosen = await sent({ action: 'save', 'choice-0': 'ours' })

    expect(/<legend>(.*?)<.legend>/.exec(conflict.html)?.[1]).toBe('pipeline &quot;o1&quot; › git')
    expect(conflict.html).toMatch(/value="edit"[^>]*>Continue as XML</)
    expect(asXml).toContain('mine.git')
    expect(asXml).not.toContain('o2')
    expect(chosen.status).toBe(303)
    expect(await currentOf(opened)).toBe(COMMENTED.replace('o1.git', 'mine.git'))
  })

  it('is for those who administer the entity, and goes no further than they may', async () => {
    const opened = await service()
    const paths = [
      pathOf('group', 'ours'),
      pathOf('pipeline', 'o1'),
      pathOf('pipeline', 'h1'),
      pathOf('template', 'tpl'),
      pathOf('environment', 'live'),
      pathOf('role', 'devs'),
      '/config/new/group',
    ]
    const statuses = async (as: string) => {
      const answers = await Promise.all(paths.map((path) => EntityForm.open(opened, path, as)))
      return answers.map(({ status }) => status)
    }

    expect(await statuses(ROOT)).toEqual([200, 200, 200, 200, 200, 200, 200])
    expect(await statuses(OWNER)).toEqual([200, 200, 403, 403, 403, 403, 403])
    expect(await statuses(loginOf('templater'))).toEqual([403, 403, 403, 200, 403, 403, 403])
    expect(await statuses(loginOf('viewer'))).toEqual([403, 403, 403, 403, 403, 403, 403])
    const form = await EntityForm.open(opened, pathOf('pipeline', 'o1'), OWNER)
    expect(form.html).not.toMatch(/h1\.git|t-hidden|p-hidden|s-hidden/)
    const reaching = await form.type({ 'f.template': 't-hidden' }).press('save')
    expect(reaching.status).not.toBe(303)
    expect(await currentOf(opened)).toBe(COMMENTED)
  })

  it('proposes in place of saving', async () => {
    const opened = await service()

    const form = await EntityForm.open(opened, pathOf('pipeline', 'o1'), OWNER)
    const preview = await form.type({ 'f.labeltemplate': '1.${COUNT}' }).press('preview')
    const proposed = await preview.send('propose')

    expect(proposed.status).toBe(303)
    expect(proposed.headers.get('location')).toMatch(/^\/proposals\/1\?/)
    await expect
      .poll(() => actionsOf(opened))
      .toContainEqual(['propose', '/api/proposals/1', 'owner', 'done'])
    expect(await actionsOf(opened)).not.toContainEqual(
      expect.arrayContaining(['save-configuration', 'owner', 'done']),
    )
    expect(await currentOf(opened)).toBe(COMMENTED)
  })

  it('refuses rows that the document does not have', async () => {
    const opened = await service()
    const form = await EntityForm.open(opened, pathOf('pipeline', 'o1'), OWNER)

    const beyond = await form.type({ 'f.stage.0.from': '7' }).send('save')
    const twice = await form.type({ 'f.stage.0.from': '0', 'f.stage.0.is': 'nothing' }).send('save')
    const nowhere = await form.type({ 'f.stage.0.is': 'stage' }).send('add:elsewhere.3.jobs')

    expect([beyond.status, twice.status, nowhere.status]).toEqual([400, 400, 400])
    expect(await currentOf(opened)).toBe(COMMENTED)
  })
})
