import { describe, expect, it } from 'vitest'
import { git } from '../support/git/git.ts'
import { RULES_PATH, rule, TWO_EYES } from '../support/service/ruled-service.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const ROOT = 'root:p'
const FREEZE = `${TWO_EYES}  - name: freeze
    window: { weekly: "fri 16:00 - mon 07:00", zone: Europe/Berlin }
    match: { entity: environment/live and what runs in it, change: [added, removed], door: put }
    effect: deny
    except: role/devs
    message: Ask #live
`

async function pageOf(service: CalledService, as = ROOT): Promise<string> {
  return (await service.fetch('/rules', { as })).text()
}

function send(service: CalledService, fields: Record<string, string>, as = ROOT, path = '/rules') {
  const headers = { 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams(fields)
  return service.fetch(path, { method: 'POST', headers, body, as })
}

/** The text of a page that a form of rules leads to, with its status. */
async function edited(service: CalledService, fields: Record<string, string>) {
  const answer = await send(service, { version: 'v', reason: '', ...fields }, ROOT, '/rules/form')
  return [answer.status, await answer.text()] as const
}

/** The text of rules in a page, as a browser would send it. */
function textIn(page: string): string {
  const [, text = ''] = /<textarea class="code"[^>]*>\n([^]*?)<\/textarea>/.exec(page) ?? []
  return text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&gt;', '>')
}

/** The values of the fields of a form, as a browser would send them. */
function fieldsOf(page: string): Record<string, string> {
  const inputs = [...page.matchAll(/<input [^>]*>/g)].filter(
    ([tag]) => !tag.includes('type="checkbox"') || tag.includes(' checked'),
  )
  const typed = inputs.map(([tag]) => [
    /name="([^"]*)"/.exec(tag)?.[1] ?? '',
    /value="([^"]*)"/.exec(tag)?.[1] ?? '',
  ])
  const areas = [...page.matchAll(/<textarea name="([^"]*)"[^>]*>\n?([^]*?)<\/textarea>/g)]
  const lines = areas.map(([, name = '', text = '']) => [name, text])
  const plain = [...typed, ...lines].map(([name, text]) => [
    name,
    text?.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&gt;', '>'),
  ])
  const effect = /<option value="(\w+)" selected/.exec(page)?.[1] ?? 'need'
  return { ...Object.fromEntries(plain), effect }
}

/** The version of the text in the form. */
function versionIn(page: string): string {
  return /name="version" value="([^"]*)"/.exec(page)?.[1] ?? ''
}

describe('the page of rules', () => {
  it('has each rule in words, those who could approve, and a form that saves the text', async () => {
    const service = await rule(await openService())
    const before = await pageOf(service)
    expect(before).toContain(
      'Every change to group/mine or pipeline in group/mine needs an approval from admins of the group.',
    )
    expect(before).toContain('An approval from the author does not count.')
    expect(before).toContain('User/root can override it, with a reason.')
    expect(before).toMatch(/admins of the group mine: (?=[^<]*\bowner\b)(?=[^<]*\broot\b)/)

    const version = versionIn(before)
    const saved = await send(service, {
      version,
      text: FREEZE.replaceAll('\n', '\r\n'),
      reason: 'Weekends',
    })
    expect(saved.status).toBe(303)
    const after = await (
      await service.fetch(saved.headers.get('location') ?? '', { as: ROOT })
    ).text()
    expect(after).toContain('Saved the rules.')
    expect(after).toContain(
      'Every change to environment/live and what runs in it (added or removed) through put is refused.',
    )
    expect(after).toContain(
      'It applies every week fri 16:00 - mon 07:00 (Europe/Berlin). It does not apply to role/devs.',
    )
    const stored = await service.fetch(RULES_PATH, { as: ROOT })
    expect(await stored.text()).toBe(FREEZE)
    expect(git(service.repository, 'log', '-1', '--format=%b')).toMatch(/^Weekends\n/)

    const [from, to] = ['HEAD~1', 'HEAD'].map((name) =>
      git(service.repository, 'rev-parse', name).trim(),
    )
    const compared = await service.fetch(`/config/compare/${from}/${to}`, { as: ROOT })
    const difference = await compared.text()
    expect(difference).toContain('such as the <a href="/rules">rules</a>')
    expect(difference).not.toContain('/undo"')

    const stale = await send(service, { version, text: TWO_EYES, reason: '' })
    expect(stale.status).toBe(412)
    expect(await stale.text()).toContain('The rules have changed since the edit began')
  })

  it('has the rules that a change of one entity may meet', async () => {
    const service = await rule(await openService(), FREEZE)
    const rulesOf = async (entity: string) => {
      const page = await service.fetch(`/rules?q=${encodeURIComponent(entity)}`, { as: ROOT })
      const names = [...(await page.text()).matchAll(/<code[^>]*>([\w-]+)<\/code><\/th>/g)]
      return [page.status, ...names.map(([, name]) => name)]
    }

    expect(await rulesOf('')).toEqual([200, 'two-eyes', 'freeze'])
    expect(await rulesOf('pipeline/M2')).toEqual([200, 'two-eyes'])
    expect(await rulesOf('environment/live')).toEqual([200, 'freeze'])
    expect(await rulesOf('template/tpl')).toEqual([200])
    expect(await rulesOf('pipeline/absent')).toEqual([404])
    const entity = await service.fetch('/config/entity/pipeline/M2', { as: ROOT })
    expect(await entity.text()).toContain('href="/rules?q=pipeline%2Fm2"')
  })

  it('keeps a text that is not valid, with the place of each fault', async () => {
    const service = await rule(await openService())
    const version = versionIn(await pageOf(service))
    const text = TWO_EYES.replace('override:', 'overide:')
    const refused = await send(service, { version, text, reason: 'Why' })
    const page = await refused.text()

    expect(refused.status).toBe(422)
    expect(page).toContain('Line 7, column 5: There is no key overide here; did you mean')
    expect(page).toContain('overide: { by: user/root')
    expect(page).toContain('value="Why"')
    expect((await send(service, { version, text: TWO_EYES, reason: '' }, 'owner:p')).status).toBe(
      403,
    )
  })

  it('begins with an empty text where there are no rules', async () => {
    const service = await openService()
    const admin = 'admin:correct horse'
    expect(await pageOf(service, admin)).toContain('There are no rules')
    const text = TWO_EYES.replaceAll('user/root', 'admins').replaceAll('mine', 'x')
    const unknown = await send(service, { version: '', text, reason: '' }, admin)
    expect(unknown.status).toBe(422)
    const first = 'version: 1\nrules: []\n'
    expect((await send(service, { version: '', text: first, reason: '' }, admin)).status).toBe(303)
  })

  it('edits a rule in its form, and shows in words what would be saved', async () => {
    const service = await rule(await openService())
    const text = `# Ours\n${FREEZE}`
    const [, form] = await edited(service, { text, edit: 'freeze' })
    expect(fieldsOf(form)).toMatchObject({
      name: 'freeze',
      entity: 'environment/live and what runs in it',
      'weekly.0': 'fri 16:00 - mon 07:00',
      'zone.0': 'Europe/Berlin',
      except: 'role/devs',
      effect: 'deny',
      door: 'put',
    })

    const fields = { ...fieldsOf(form), do: 'preview' }
    const [, same] = await edited(service, fields)
    expect(textIn(same)).toBe(
      text
        .replace('change: [added, removed], ', 'change: removed, ')
        .replace(
          / {4}match: .*live.*\n/,
          '    match: { entity: environment/live and what runs in it, change: removed, door: put }\n',
        ),
    )
    const [status, preview] = await edited(service, { ...fields, except: 'role/devs\r\nuser/root' })
    expect(status).toBe(200)
    expect(preview).toContain('These rules are not saved yet.')
    expect(preview).toContain('It does not apply to role/devs and user/root.')
    expect(textIn(preview)).toContain('    except: [ role/devs, user/root ]\n')
    expect(textIn(preview)).toMatch(/^# Ours\n/)
    expect(await (await service.fetch(RULES_PATH, { as: ROOT })).text()).toBe(TWO_EYES)

    const [refused, again] = await edited(service, { ...fields, except: 'role/absent' })
    expect(refused).toBe(422)
    expect(again).toContain('There is no role absent')
    expect(fieldsOf(again)).toMatchObject({ except: 'role/absent', rule: 'freeze' })
  })

  it('adds, moves and removes rules, and saves what is shown', async () => {
    const service = await rule(await openService())
    const version = versionIn(await pageOf(service))
    const [, form] = await edited(service, { text: TWO_EYES, version, edit: '' })
    const [unnamed, again] = await edited(service, { ...fieldsOf(form), do: 'preview' })
    expect(unnamed).toBe(422)
    expect(again).toContain('<li>The name of a rule has 1 to 80 letters')
    const typed = { name: 'reasons', 'reason-needed': '1', 'plan-starts': '>20' }
    const [, added] = await edited(service, { ...fieldsOf(form), ...typed, do: 'preview' })
    const reasons = `  - name: reasons\n    match: { plan: { starts: ">20" } }\n    need: [ { reason: required } ]\n`
    expect(textIn(added)).toBe(TWO_EYES + reasons)
    const [, raised] = await edited(service, { text: textIn(added), version, raise: 'reasons' })
    expect(textIn(raised)).toBe(TWO_EYES.replace('rules:\n', `rules:\n${reasons}`))
    const [, removed] = await edited(service, { text: textIn(raised), version, remove: 'two-eyes' })
    expect(textIn(removed)).toBe(`version: 1\nrules:\n${reasons}`)

    const saved = await send(service, { version, text: textIn(removed), reason: '' })
    expect(saved.status).toBe(303)
  })

  it('counts the rules of a first text that is not saved yet', async () => {
    const service = await openService()
    const nobody = await service.fetch('/rules')
    const body = new URLSearchParams({ text: TWO_EYES, version: '', reason: '', remove: 'absent' })
    const headers = { 'sec-fetch-site': 'same-origin' }
    const draft = await service.fetch('/rules/form', { method: 'POST', headers, body })

    expect(await nobody.text()).toContain('There are no rules')
    const page = await draft.text()
    expect(page).toContain('1 rule about changes.')
    expect(page).not.toContain('There are no rules')
  })

  it('tries a text on the history, and names what it would have held up', async () => {
    const service = await rule(await openService())
    const fields = { version: 'v', text: FREEZE, reason: '' }
    const tried = await send(service, fields, ROOT, '/rules/replay')
    const page = await tried.text()
    expect(tried.status).toBe(200)
    expect(page).toMatch(/Would have held up [1-9]\d* of \d+ changes/)
    expect(page).toMatch(
      /<code>two-eyes<\/code>[^]*href="\/config\/[0-9a-f]{40}"[^]*needs an approval by/,
    )
    expect(textIn(page)).toBe(FREEZE)
    expect((await send(service, fields, 'owner:p', '/rules/replay')).status).toBe(403)
    const bad = await send(service, { ...fields, text: 'rules: 1' }, ROOT, '/rules/replay')
    expect(bad.status).toBe(422)
  })
})
