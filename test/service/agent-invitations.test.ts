import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashSecret } from '../../src/agents/secrets.ts'
import { Invitations } from '../../src/identities/invitations.ts'
import { Tokens } from '../../src/identities/tokens.ts'
import { readUsers } from '../../src/security/users.ts'
import { UsersFile } from '../../src/security/users-file.ts'
import { newInvitation } from '../../src/security/issued-secret.ts'
import { openSqliteState } from '../../src/state/open-sqlite.ts'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { invite, openInvitations, withKey } from '../support/agents/invitations.ts'
import { aConfiguration } from '../support/documents/a-configuration.ts'
import { html } from '../support/pages/agents-page.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'
import { AuditBody } from '../../src/wire/service-bodies.ts'

const REFUSED = { message: 'The invitation is used, expired, revoked, or was never created' }

async function answerTo(agent: CallingAgent, key: string) {
  const response = await agent.tryRegister(withKey(key))
  return [response.status, await response.json()]
}

/** A clock that a test moves. */
function aClock() {
  const time = { now: Date.now() }
  return { clock: () => time.now, pass: (milliseconds: number) => void (time.now += milliseconds) }
}

const HOUR_MS = 60 * 60 * 1_000

async function withEnvironment(service: CalledService): Promise<void> {
  const document = aConfiguration({ pipelines: [{ name: 'app' }], environments: [{ name: 'uat' }] })
  expect((await save(service, document)).status).toBe(200)
}

describe('an agent with an invitation', () => {
  it('is approved at once, with what the invitation names and not what it asks for', async () => {
    const service = await openService()
    await withEnvironment(service)
    const { id, invitation } = await invite(service, {
      resources: ['linux'],
      environments: ['UAT'],
    })
    const agent = new CallingAgent(service, 'invited')
    expect(await openInvitations(service)).toEqual([id])

    const reply = await agent.register({ key: invitation, resources: ['gpu'], environments: [] })

    expect(reply.configStatus).toBe('Enabled')
    expect(await (await service.fetch('/api/agents')).json()).toMatchObject([
      { uuid: 'invited', status: 'Idle', resources: ['linux'], environments: ['uat'] },
    ])
    expect(await openInvitations(service)).toEqual([])
  })

  it('may say it again with its claim, as after an answer that was lost', async () => {
    const service = await openService()
    const { invitation } = await invite(service)
    const agent = new CallingAgent(service)
    await agent.register(withKey(invitation))

    expect((await agent.register(withKey(invitation))).configStatus).toBe('Enabled')
    expect((await agent.contact()).configStatus).toBe('Enabled')
  })

  it('goes on where the server ended in between, and no other machine does', async () => {
    const service = await openService()
    const { invitation } = await invite(service)
    const [agent, other] = [new CallingAgent(service), new CallingAgent(service)]
    const machine = { uuid: agent.uuid, claimHash: hashSecret(agent.claim) }
    const isKept = await withInvitations(service, (all) => all.reserve(invitation, machine))

    expect(isKept).toBe(true)
    expect(await answerTo(other, invitation)).toEqual([403, REFUSED])
    // What was wrong of another machine of the same network is not wrong of this one.
    expect((await agent.register(withKey(invitation))).configStatus).toBe('Enabled')
  })

  it('has to have the uuid for itself: the invitation stays good otherwise', async () => {
    const service = await openService()
    const [first, second] = [await invite(service), await invite(service)]
    await new CallingAgent(service, 'one').register(withKey(first.invitation))

    const response = await new CallingAgent(service, 'one').tryRegister(withKey(second.invitation))

    expect(response.status).toBe(409)
    expect(await openInvitations(service)).toEqual([second.id])
    const other = new CallingAgent(service, 'two')
    expect((await other.register(withKey(second.invitation))).configStatus).toBe('Enabled')
  })
})

describe('an invitation', () => {
  it('is refused the second time, when it has expired, is revoked, or was never made', async () => {
    const { clock, pass } = aClock()
    const service = await openService([], undefined, { clock })
    const [used, revoked] = [await invite(service), await invite(service)]
    const expires = new Date(clock() + 1_000).toISOString()
    const late = await invite(service, { expires })
    await new CallingAgent(service).register(withKey(used.invitation))
    await service.fetch(`/api/agent-invitations/${revoked.id}`, { method: 'DELETE' })
    pass(2_000)

    for (const { invitation } of [used, revoked, late, { invitation: newInvitation() }]) {
      expect(await answerTo(new CallingAgent(service), invitation)).toEqual([403, REFUSED])
    }
    expect(await openInvitations(service)).toEqual([])
    expect(await (await service.fetch('/api/agents')).json()).toHaveLength(1)
  })

  it('lets one of many in that bring it at once', async () => {
    const service = await openService()
    const { invitation } = await invite(service)
    const agents = Array.from({ length: 8 }, () => new CallingAgent(service))

    const answers = await Promise.all(agents.map((agent) => agent.tryRegister(withKey(invitation))))

    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200,
      ...Array<number>(7).fill(403),
    ])
    expect(await (await service.fetch('/api/agents')).json()).toHaveLength(1)
  })

  it('that is wrong counts as a wrong key', async () => {
    const service = await openService()
    const { invitation } = await invite(service)
    const statuses: number[] = []
    for (let n = 0; n < 12; n += 1) {
      statuses.push((await new CallingAgent(service).tryRegister(withKey(newInvitation()))).status)
    }

    expect(statuses).toEqual([...Array<number>(10).fill(403), 429, 429])
    expect((await new CallingAgent(service).tryRegister(withKey(invitation))).status).toBe(429)
  })

  it('is good for a day unless it says otherwise, and for 30 days at most', async () => {
    const { clock, pass } = aClock()
    const service = await openService([], undefined, { clock })
    const tooLate = JSON.stringify({ expires: new Date(clock() + 31 * 24 * HOUR_MS).toISOString() })
    const made = await invite(service)

    const refused = await service.fetch('/api/agent-invitations', {
      method: 'POST',
      body: tooLate,
    })

    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { message: 'An invitation is good for 30 days at most' },
    ])
    pass(23 * HOUR_MS)
    expect(await openInvitations(service)).toEqual([made.id])
    pass(2 * HOUR_MS)
    expect(await openInvitations(service)).toEqual([])
  })

  it('names what the configuration can hold and has', async () => {
    const service = await openService()
    const answerFor = async (wanted: object) => {
      const body = JSON.stringify(wanted)
      const answer = await service.fetch('/api/agent-invitations', { method: 'POST', body })
      return [answer.status, await answer.json()]
    }

    expect(await answerFor({ resources: ['a/b'] })).toMatchObject([
      400,
      { message: '"a/b" is not the name of a resource' },
    ])
    expect(await answerFor({ environments: ['nowhere'] })).toMatchObject([
      400,
      { message: 'There is no environment "nowhere"' },
    ])
  })

  it('is in the audit log by its id, from when it is made to the agent that it lets in', async () => {
    const service = await openService()
    const { id, invitation } = await invite(service)
    const { id: other } = await invite(service)
    const agent = new CallingAgent(service)
    await agent.register(withKey(invitation))
    await service.fetch(`/api/agent-invitations/${other}`, { method: 'DELETE' })

    const { entries } = AuditBody.parse(await (await service.fetch('/api/audit')).json())

    const told = entries
      .filter(({ target }) => target.startsWith('/api/agent-invitations'))
      .map(({ user, action, target }) => [user, action, target.split('/').at(-1)])
    expect(told.toReversed()).toEqual([
      ['admin', 'create-invitation', id],
      ['admin', 'create-invitation', other],
      ['', 'register-agent', id],
      ['admin', 'revoke-invitation', other],
    ])
    expect(JSON.stringify(entries)).not.toContain(invitation)
    const registered = entries.find(({ action }) => action === 'register-agent')
    expect(registered?.targets).toEqual([`/api/agents/${agent.uuid}`, registered?.target])
    expect(await html(service, '/audit')).toContain('Created agent invitation')
  })
})

/** Invitations as another process sees them. */
async function withInvitations<Result>(
  { folder }: CalledService,
  use: (invitations: Invitations) => Promise<Result>,
): Promise<Result> {
  await using store = await openSqliteState(join(folder, 'state', 'state.sqlite'))
  const users = () => readUsers(new UsersFile(join(folder, 'state', 'users.htpasswd')))
  const issued = { store, users, clock: Date.now, log: () => {}, ended: () => {} }
  return await use(new Invitations({ ...issued, tokens: new Tokens(issued) }))
}
