// @module-tag long
import { describe, expect, it } from 'vitest'
import { CallingAgent } from '../../support/agents/agent-calls.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { startService } from '../../support/service/service.ts'
import { html, post } from '../../support/pages/agents-page.ts'

describe('the page of one agent', () => {
  it('shows the jobs that it ran, ten a page, and sorts them', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    for (let run = 1; run <= 11; run += 1) {
      await scene.schedule()
      await agent.finish(await agent.work(), run === 11 ? 'Failed' : 'Passed')
    }

    const [first, second, byJob] = await Promise.all(
      ['', '?offset=10', '?sort=-result'].map((query) => html(scene.service, `/agents/a1${query}`)),
    )

    expect(first?.match(/href="\/stages\/app\/build\/\d+\/1\/unit"/g)).toHaveLength(10)
    expect(first).toContain('1 to 10 of 11')
    expect(second?.match(/href="\/stages\/app\/build\/1\/1\/unit"/g)).toHaveLength(1)
    expect(byJob).toMatch(/Passed.*build\/11\/1\/unit/s)
    expect(first).toMatch(/build\/11\/1\/unit.*Failed/s)
  })

  it('keeps the jobs of an agent that is gone, and knows none that never was', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    await agent.finish(await agent.work())
    await post(scene.service, '/agents/a1', [['action', 'disable']])

    const deleted = await post(scene.service, '/agents/a1', [['action', 'delete']])
    const gone = await html(scene.service, '/agents/a1')

    expect(deleted.headers.get('location')).toBe('/agents/a1/remove?gone=host-a1')
    expect(gone).toContain('This agent no longer exists')
    expect(gone).toContain('/stages/app/build/1/1/unit')
    expect((await scene.get('/agents/nobody')).status).toBe(404)
  })

  it('approves an agent that waits', async () => {
    const service = await startService()
    const agent = new CallingAgent(service)
    await agent.register()

    const before = await html(service, `/agents/${agent.uuid}`)
    const after = await (
      await post(service, `/agents/${agent.uuid}`, [['action', 'enable']])
    ).text()

    expect(before).toContain('Approve')
    expect(after).toContain('build-01.example.org is enabled.')
    expect(after).toContain('Idle')
  })
})
