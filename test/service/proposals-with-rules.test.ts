import { describe, expect, it } from 'vitest'
import { git } from '../support/git/git.ts'
import { ask, labelled } from '../support/proposals/proposing.ts'
import { save } from '../support/service/saving.ts'
import { securedDocument } from '../support/service/secured-document.ts'
import { loginOf, secure } from '../support/service/secured-service.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const ROOT = loginOf('root') ?? ''
const RULES = `version: 1
rules:
  - name: two-eyes
    match: { entity: pipeline in group/first }
    need: [{ approvals: 1, of: admins of the group }]
    not: [author, contributor]
    message: 'Ask #first'
`

function putRules(service: CalledService, body: string, condition: Record<string, string>) {
  const path = '/api/admin/rules.yaml'
  return service.fetch(path, { method: 'PUT', body, headers: condition, as: ROOT })
}

/** Rules that let root alone change pipelines, and warn of changes by the owner. */
const FROZEN = `version: 1
rules:
  - name: freeze
    match: { entity: pipeline in group/first }
    effect: deny
    except: user/root
  - name: owner
    match: { user: owner }
    effect: warn
`

async function serviceWithRules(rules = RULES): Promise<CalledService> {
  const service = await openService()
  await secure(service)
  const put = await putRules(service, rules, { 'if-none-match': '*' })
  expect(put.status).toBeLessThan(300)
  return service
}

const ENTITIES = [{ kind: 'pipeline', name: 'hello', xml: labelled('ruled') }]

describe('a proposal that rules need', () => {
  it('takes the approval of somebody else, of these rules, and says so in its commit', async () => {
    const service = await serviceWithRules()
    const refused = await save(service, securedDocument().replace('/nowhere', '/there'), ROOT)
    const { body } = await ask(service, 'owner', '', { title: 'Ruled', entities: ENTITIES })
    const shown = await service.fetch('/proposals/1', { as: ROOT })
    const page = await shown.text()
    const own = await ask(service, 'owner', '/1/approve', {})
    const early = await ask(service, 'owner', '/1/merge', {})
    const waiting = await ask(service, 'root', '?waiting-for=me')
    await ask(service, 'root', '/1/approve', {})
    await putRules(service, `${RULES}# later\n`, { 'if-match': '*' })
    const otherRules = await ask(service, 'owner', '/1/merge', {})
    const approved = await ask(service, 'root', '/1/approve', {})
    const merged = await ask(service, 'owner', '/1/merge', {})

    expect([refused.status, JSON.parse(await refused.text()).propose]).toEqual([
      403,
      '/api/proposals',
    ])
    expect(body.verdict).toMatchObject({
      kind: 'needs',
      needs: [
        { rule: 'two-eyes', reason: expect.stringMatching(/for pipeline\/hello: Ask #first$/) },
      ],
    })
    expect(page).toContain('for pipeline/hello: Ask #first</li>')
    expect([own.status, early.status, otherRules.status]).toEqual([200, 403, 403])
    expect(waiting.body).toMatchObject([{ number: 1 }])
    expect(merged.status).toBe(200)
    const digest = approved.body.approvals.find(({ by }) => by === 'root')?.digest
    const trailers = git(service.repository, 'log', '-1', '--format=%an%n%(trailers:only)')
    expect(trailers).toContain('owner\n')
    expect(trailers).toContain('Proposal: 1')
    expect(trailers).toContain(`Approved-by: root ${digest}`)
  })

  it('that somebody merges whom a rule excepts says so in its commit, for a replay of the rules', async () => {
    const service = await serviceWithRules(FROZEN)
    await ask(service, 'owner', '', { title: 'Ruled', entities: ENTITIES })

    const own = await ask(service, 'owner', '/1/merge', {})
    const merged = await ask(service, 'root', '/1/merge', {})

    expect([own.status, merged.status]).toEqual([403, 200])
    expect(merged.body).toMatchObject({ author: 'owner', mergedBy: 'root' })
    const trailers = git(service.repository, 'log', '-1', '--format=%(trailers:only)')
    expect(trailers).toContain('Merged-by: root\n')
    const replay = await service.fetch('/api/admin/rules/replay?since=r3', {
      method: 'POST',
      body: FROZEN,
      as: ROOT,
    })
    expect(JSON.parse(await replay.text())).toMatchObject({
      changes: 1,
      rules: [
        { name: 'freeze', heldUp: 0 },
        { name: 'owner', warned: 1 },
      ],
    })
  })
})
