// @module-tag long
// @module-tag chromium

import { describe, expect, it } from 'vitest'
import { CallingAgent } from '../../../support/agents/agent-calls.ts'
import { useBrowser } from '../../../support/pages/browser.ts'
import { LONG, SLOW, walkOf, WITHIN } from '../../../support/pages/walk.ts'
import { startService, type TestService } from '../../../support/service/service.ts'

const AGENT_KEY = 'let-me-in'

async function joined(service: TestService, hostname: string, key = AGENT_KEY) {
  const agent = new CallingAgent(service)
  agent.facts = { ...agent.facts, hostname }
  await agent.register(key === '' ? null : { key, resources: ['linux'], environments: [] })
  return agent
}

const chromium = useBrowser()

describe('the states of agents fit and are accessible', SLOW, () => {
  it('with agents in every state, while some are removed, and when that is refused', async () => {
    const service = await startService(['--auto-register-key', AGENT_KEY])
    const names = ['build-01.example.org', 'build-02.example.org']
    const agents = [await joined(service, names[0] ?? ''), await joined(service, names[1] ?? '')]
    const building = await joined(service, 'build-03.example.org')
    await building.contact('Building')
    const waiting = await joined(service, 'build-04.example.org', '')
    const disabled = await joined(service, 'build-05.example.org')
    await service.fetch(`/api/agents/${disabled.uuid}/disable`, { method: 'POST' })
    const walk = await walkOf(chromium.browser, service)
    const { page } = walk
    const select = async () => {
      for (const name of names) await page.getByLabel(`Select ${name}`).check()
    }

    await walk.at('agents', '/agents')
    await select()
    await walk.at('agents-selected')
    await walk.send('Delete')
    await walk.at('agents-not-deleted')
    await select()
    await walk.send('Remove safely…')
    await walk.at('removals')
    await walk.send('Disable 2')
    await walk.at('removals-disabled')
    await walk.through({
      agent: `/agents/${agents[0]?.uuid}`,
      'agent-waiting': `/agents/${waiting.uuid}`,
      'agent-remove': `/agents/${building.uuid}/remove`,
      'agents-filter-none': '/agents?q=nobody',
      'invitations-none': '/agent-invitations',
    })
    await page.getByLabel('Resources, separated by commas').fill(LONG)
    await walk.send('Create invitation')
    await page.getByText('Invitation created.').waitFor(WITHIN)
    await walk.at('invitations-made')
    await walk.at('agents-invited', '/agents')

    expect(walk.wrong()).toEqual({})
  })
})
