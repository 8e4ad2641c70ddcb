import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HealthBody } from '../../src/wire/health-body.ts'
import { putRules, rule, TWO_ADMINISTRATORS } from '../support/service/ruled-service.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const RULES = `version: 1
rules:
  - name: two-eyes
    match: { entity: group/mine }
    need: [{ approvals: 3, of: admins of the group }]
  - name: ours
    match: { entity: group/ours }
    effect: deny
    except: role/devs
`

async function faultsOf(service: CalledService): Promise<readonly string[]> {
  const { problems } = HealthBody.parse(await (await service.fetch('/health')).json())
  return problems
    .filter(({ subject }) => subject.startsWith('The rules in cairn-rules.yaml'))
    .flatMap(({ errors }) => errors.map(({ message, line }) => `${line}: ${message}`))
}

describe('rules that fit no longer', () => {
  it('are in the health when users leave and roles go, until they fit again', async () => {
    const service = await rule(await openService(), RULES)
    const users = join(service.folder, 'state', 'users.htpasswd')
    const before = readFileSync(users, 'utf8')
    expect(await faultsOf(service)).toEqual([])

    writeFileSync(users, before.replace(/^owner:.*\n/m, ''))
    const gone = expect.stringMatching(/^5: Nobody can satisfy this: 3 .* of whom 2 can log in$/)
    await expect.poll(() => faultsOf(service)).toEqual([gone])
    expect(await (await service.fetch('/problems')).text()).toContain('Nobody can satisfy this')

    const without = TWO_ADMINISTRATORS.replace('name="devs"', 'name="developers"')
    expect((await save(service, without, 'root:p')).status).toBe(200)
    await expect
      .poll(() => faultsOf(service))
      .toEqual([gone, expect.stringContaining('There is no role devs')])

    writeFileSync(users, before)
    expect((await save(service, TWO_ADMINISTRATORS, 'root:p')).status).toBe(200)
    await expect.poll(() => faultsOf(service)).toEqual([])

    writeFileSync(users, before.replace(/^owner:.*\n/m, ''))
    await expect.poll(() => faultsOf(service)).toEqual([gone])
    expect((await putRules(service, RULES.replace('approvals: 3', 'approvals: 2'))).status).toBe(
      200,
    )
    await expect.poll(() => faultsOf(service)).toEqual([])
  })
})
