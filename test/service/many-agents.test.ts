import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AgentEntry } from '../../src/wire/agent-entry.ts'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { openService, type CalledService } from '../support/service/service.ts'
import { until } from '../support/programs/until.ts'

const KEY = 'let-me-in'
const AGENTS = 300

/** How many revisions there are. */
function countOf({ repository }: CalledService): number {
  return Number(git(repository, 'rev-list', '--count', 'HEAD'))
}

describe('many agents that register themselves at once', () => {
  it('are enabled in few commits, and lose nothing of what an administrator saves meanwhile', async () => {
    const service = await openService(['--auto-register-key', KEY])
    await save(service, documentWith('first'))
    const agents = Array.from({ length: AGENTS }, () => new CallingAgent(service))

    const registered = Promise.all(
      agents.map((agent) => agent.register({ key: KEY, resources: ['linux'], environments: [] })),
    )
    await until(() => countOf(service) > 2)
    const current = await service.fetch('/api/admin/config.xml')
    const document = (await current.text()).replace('name="first"', 'name="renamed"')
    const saved = await service.fetch('/api/admin/config.xml', {
      method: 'PUT',
      headers: { 'if-match': current.headers.get('etag') ?? '' },
      body: document,
    })
    const replies = await registered

    expect(saved.status).toBe(200)
    expect(replies.filter(({ configStatus }) => configStatus !== 'Enabled')).toEqual([])
    const list = z.array(AgentEntry).parse(await (await service.fetch('/api/agents')).json())
    expect(list.filter(({ status }) => status === 'Idle')).toHaveLength(AGENTS)
    expect(countOf(service)).toBeLessThan(AGENTS / 5)
    const live = await (await service.fetch('/api/admin/config.xml')).text()
    expect(live.match(/<agent /g)).toHaveLength(AGENTS)
    expect(live).toContain('name="renamed"')
  }, 60_000)
})
