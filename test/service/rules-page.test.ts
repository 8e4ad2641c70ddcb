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

function send(service: CalledService, fields: Record<string, string>, as = ROOT) {
  const headers = { 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams(fields)
  return service.fetch('/rules', { method: 'POST', headers, body, as })
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
      'Every change of group/mine or pipeline in group/mine needs an approval by admins of the group.',
    )
    expect(before).toContain('An approval by the author does not count.')
    expect(before).toContain('User/root may pass it by an override, with a reason.')
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
      'Every change of environment/live and what runs in it where it is added or removed that comes by put is refused.',
    )
    expect(after).toContain(
      'It applies every week fri 16:00 - mon 07:00 (Europe/Berlin). It does not hold for role/devs.',
    )
    const stored = await service.fetch(RULES_PATH, { as: ROOT })
    expect(await stored.text()).toBe(FREEZE)
    expect(git(service.repository, 'log', '-1', '--format=%b')).toMatch(/^Weekends\n/)

    const stale = await send(service, { version, text: TWO_EYES, reason: '' })
    expect(stale.status).toBe(412)
    expect(await stale.text()).toContain('The rules have changed since the edit began')
  })

  it('has the rules that a change of one entity may meet', async () => {
    const service = await rule(await openService(), FREEZE)
    const rulesOf = async (entity: string) => {
      const page = await service.fetch(`/rules?q=${encodeURIComponent(entity)}`, { as: ROOT })
      const names = [...(await page.text()).matchAll(/<code>([\w-]+)<\/code><\/th>/g)]
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
})
