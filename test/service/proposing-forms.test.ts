import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { shared } from '../support/programs/at-end.ts'
import {
  putRules,
  REASONED,
  rule,
  TWO_ADMINISTRATORS,
  TWO_EYES,
} from '../support/service/ruled-service.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const OTHER = TWO_ADMINISTRATORS.replace('m1.git', 'x.git')
const OFFER = 'Nothing is saved. You can propose it instead.'
const BUTTON = 'name="action" value="propose"'

const NO_RULES = 'version: 1\nrules: []\n'
const FRESH = {
  name: 'fresh',
  pipelineGroup: 'mine',
  scm: 'git',
  url: 'https://example.org/fresh.git',
  builder: 'exec',
  command: 'make',
}

/** The pages that take back the revision with a number. */
const RESTORING: readonly (readonly [what: string, pathOf: (saved: number) => string])[] = [
  ['an undo', (saved) => `/config/r${saved}/undo`],
  ['a restore', (saved) => `/config/r${saved - 1}/restore`],
  ['a restore of an entity', (saved) => `/config/entity/pipeline/m1/restore/r${saved - 1}`],
]

/** The actions of the buttons that stand out. */
function primariesIn(html: string): string[] {
  return Array.from(html.matchAll(/class="primary"[^>]* value="(\w+)"/g), ([, value = '']) => value)
}

function md5(document: string): string {
  return createHash('md5').update(document).digest('hex')
}

describe('a form that saves', () => {
  const opened = shared(() => openService().then(rule))
  let service: CalledService
  beforeAll(() => {
    service = opened()
  })

  const current = async () =>
    (await service.fetch('/api/admin/config.xml', { as: 'root:p' })).text()
  const send = async (path: string, fields: Readonly<Record<string, string>>, as = 'root:p') => {
    const answer = await service.fetch(path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      as,
    })
    return {
      status: answer.status,
      text: await answer.text(),
      to: answer.headers.get('location') ?? '',
    }
  }
  const proposalAt = async (to: string) => {
    const number = /^\/proposals\/(\d+)\?/.exec(to)?.[1] ?? ''
    const answer = await service.fetch(`/api/proposals/${number}`, { as: 'root:p' })
    return JSON.parse(await answer.text())
  }
  const freely = async (document: string) => {
    await putRules(service, NO_RULES)
    await save(service, document, 'root:p')
    await putRules(service, TWO_EYES)
  }

  it('offers to propose what the editor may not save, and proposes it', async () => {
    const fields = { basedOn: md5(await current()), entity: '', xml: OTHER }
    const preview = await send('/config/edit', { ...fields, action: 'preview' })
    const refused = await send('/config/edit', { ...fields, action: 'save' })
    const proposed = await send('/config/edit', {
      ...fields,
      action: 'propose',
      message: 'Why\nso',
    })

    expect([preview.status, refused.status, proposed.status]).toEqual([200, 403, 303])
    expect(preview.text).toContain(BUTTON)
    expect(refused.text).toContain(OFFER)
    expect(await proposalAt(proposed.to)).toMatchObject({
      title: 'Why',
      author: 'root',
      changes: [{ entity: 'pipeline/m1' }],
    })
    expect(await current()).toBe(TWO_ADMINISTRATORS)
  })

  it('offers it for one entity in the editor to those who administer its group', async () => {
    const xml = / *<pipeline name="m1"[^]*?<\/pipeline>/.exec(OTHER)?.[0] ?? ''
    const fields = { basedOn: md5(await current()), entity: 'pipeline/m1', xml }
    const refused = await send('/config/edit', { ...fields, action: 'save' }, 'owner:p')
    const proposed = await send('/config/edit', { ...fields, action: 'propose' }, 'owner:p')

    expect([refused.status, proposed.status]).toEqual([403, 303])
    expect(refused.text).toContain(OFFER)
    expect(await proposalAt(proposed.to)).toMatchObject({
      author: 'owner',
      entities: ['pipeline/m1'],
    })
  })

  it('proposes a new pipeline', async () => {
    const refused = await send('/config/new-pipeline', { ...FRESH, action: 'create' }, 'owner:p')
    const proposed = await send('/config/new-pipeline', { ...FRESH, action: 'propose' }, 'owner:p')

    expect([refused.status, proposed.status]).toEqual([403, 303])
    expect(refused.text).toContain(OFFER)
    expect(refused.text).toContain(BUTTON)
    expect(await proposalAt(proposed.to)).toMatchObject({
      title: 'Add pipeline fresh',
      entities: ['pipeline/fresh'],
    })
  })

  it.each(RESTORING)('proposes %s', async (_what, pathOf) => {
    await freely(OTHER)
    const revisions = await service.fetch('/api/config/revisions', { as: 'root:p' })
    // The rules are the newest one.
    const path = pathOf(JSON.parse(await revisions.text()).length - 1)
    const fields = { basedOn: md5(OTHER), reason: 'It was better' }
    const page = await (await service.fetch(path, { as: 'root:p' })).text()
    const refused = await send(path, fields)
    const stale = await send(path, { ...fields, action: 'propose', basedOn: '0'.repeat(32) })
    const proposed = await send(path, { ...fields, action: 'propose' })

    expect([refused.status, stale.status, proposed.status]).toEqual([403, 412, 303])
    expect(page).toContain(BUTTON)
    expect(refused.text).toContain(OFFER)
    expect(await proposalAt(proposed.to)).toMatchObject({
      title: 'It was better',
      author: 'root',
      changes: [{ entity: 'pipeline/m1' }],
    })
    expect(await current()).toBe(OTHER)
    await freely(TWO_ADMINISTRATORS)
  })

  it.each([
    { rules: NO_RULES, primary: 'save' },
    { rules: TWO_EYES, primary: 'propose' },
    { rules: REASONED, primary: 'save' },
  ])('shows $primary as the next step with $rules', async ({ rules, primary }) => {
    await putRules(service, rules)
    const fields = { basedOn: md5(await current()), entity: '', xml: OTHER }

    const { text } = await send('/config/edit', { ...fields, action: 'preview' })
    const created = await send('/config/new-pipeline', { ...FRESH, action: 'preview' })
    await putRules(service, TWO_EYES)

    expect(primariesIn(text)).toEqual([primary])
    expect(primariesIn(created.text)).toEqual([primary === 'save' ? 'create' : primary])
  })

  it('takes the reason that is typed for the one that a rule asks for', async () => {
    await freely(OTHER)
    await putRules(service, REASONED)
    const about = { reason: 'Typed', message: 'Typed', basedOn: md5(OTHER), entity: '' }
    const previews = [
      await send('/config/edit', { ...about, xml: TWO_ADMINISTRATORS, action: 'preview' }),
      await send('/config/new-pipeline', { ...FRESH, ...about, action: 'preview' }),
    ]
    const bare = await send('/config/new-pipeline', { ...FRESH, action: 'preview' })
    await freely(TWO_ADMINISTRATORS)

    for (const { text } of previews) expect(text).not.toContain('Not allowed')
    expect(bare.text).toContain('The rule why needs a reason.')
  })

  it.each(RESTORING)(
    'says before %s that a reason is needed, and takes it',
    async (_what, pathOf) => {
      await freely(OTHER)
      await putRules(service, REASONED)
      const revisions = await service.fetch('/api/config/revisions', { as: 'root:p' })
      // The two changes of the rules are the newest ones.
      const path = pathOf(JSON.parse(await revisions.text()).length - 2)
      const basedOn = md5(OTHER)

      const first = await (await service.fetch(path, { as: 'root:p' })).text()
      const bare = await send(path, { basedOn, reason: ' ' })
      const restored = await send(path, { basedOn, reason: 'It was better' })

      for (const text of [first, bare.text]) {
        expect(text).toMatch(/<dt>Needs<\/dt>\s*<dd>The rule why needs a reason\.<\/dd>/)
        expect(text).not.toContain('Not allowed')
      }
      expect([bare.status, restored.status]).toEqual([400, 303])
      expect(bare.text).toContain('A reason is required')
      expect(await current()).toBe(TWO_ADMINISTRATORS)
      await putRules(service, TWO_EYES)
    },
  )

  it('says why it cannot be proposed either', async () => {
    const fields = { basedOn: md5(await current()), entity: '', xml: OTHER, action: 'propose' }

    expect((await send('/config/edit', fields, 'owner:p')).status).toBe(403)
  })
})
