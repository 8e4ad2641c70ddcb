import { describe, expect, it } from 'vitest'
import { HealthBody } from '../../src/wire/health-body.ts'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { html, joined, KEY } from '../support/pages/agents-page.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

async function problemsOf(service: TestService): Promise<string[]> {
  const { problems } = HealthBody.parse(await (await service.fetch('/health')).json())
  return problems.map(({ subject }) => subject)
}

/** A service with an agent, and how to let time pass there. */
async function scene() {
  const time = { passed: 0 }
  const clock = () => Date.now() + time.passed
  const service = await startService(['--auto-register-key', KEY], tempDir(), { clock })
  return { time, service, agent: await joined(service) }
}

describe('a machine that uses the uuid of another', () => {
  it('is named in the health and on the pages while it calls, and not any more when it has stopped', async () => {
    const { time, service, agent } = await scene()
    const thief = new CallingAgent(service, agent.uuid)
    thief.facts = { ...thief.facts, hostname: 'the-copy' }
    expect(await problemsOf(service)).toEqual([])

    await thief.tryRegister()

    const [problem = '', ...more] = await problemsOf(service)
    expect(more).toEqual([])
    for (const fact of ['the-copy at 127.0.0.1', agent.uuid, agent.facts.hostname]) {
      expect(problem).toContain(fact)
    }
    for (const page of ['/agents', `/agents/${agent.uuid}`]) {
      expect(await html(service, page)).toContain(problem)
    }
    time.passed += 59_000
    expect(await problemsOf(service)).toHaveLength(1)
    time.passed += 2_000
    expect(await problemsOf(service)).toEqual([])
    expect(await html(service, '/agents')).not.toContain('the-copy')
  })

  it('is named too when it is a copy of the work folder, with its token', async () => {
    const { service, agent } = await scene()
    const copy = new CallingAgent(service, agent.uuid)
    copy.token = agent.token
    copy.facts = { ...copy.facts, hostname: 'the-copy' }

    for (let n = 0; n < 3; n += 1) await copy.tryContact()

    expect(await problemsOf(service)).toEqual([expect.stringContaining('the-copy at 127.0.0.1')])
  })
})
