import { describe, expect, it } from 'vitest'
import { CallingAgent } from '../../support/agents/agent-calls.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { startService } from '../../support/service/service.ts'
import { KEY, joined, html, post } from '../../support/pages/agents-page.ts'

function step(page: string): string {
  return /<li [^>]*aria-current="step".*?<\/li>/s.exec(page)?.[0] ?? ''
}

describe('the safe removal of an agent', () => {
  it('leads from work through disabling and stopping to the deletion', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    const job = await agent.work()
    const act = (action: string) => post(scene.service, '/agents/a1/remove', [['step', action]])

    const working = step(await html(scene.service, '/agents/a1/remove'))
    await agent.finish(job)
    await agent.contact({ jobId: null })
    const idle = step(await html(scene.service, '/agents/a1/remove'))
    const disabled = (await act('disable')).headers.get('location') ?? ''
    const running = await html(scene.service, disabled)
    await agent.contact({ jobId: null, stopping: true })
    const stopped = step(await html(scene.service, disabled))
    const deleted = (await act('delete')).headers.get('location') ?? ''
    const removed = await html(scene.service, deleted)

    expect(working).toContain('Wait until its job has ended')
    expect(working).toContain('app / 1 / build / unit')
    expect(idle).toContain('Disable it')
    expect(step(running)).toMatch(/Stop the agent service now.*: 5 s left/s)
    expect(running).toContain('registers itself again')
    expect(running).toContain('Cancel, enable again')
    expect(stopped).toContain('Delete the record')
    expect(removed).toContain('host-a1 is removed')
  })

  it('says that an agent that still runs has come back', async () => {
    const service = await startService()
    const agent = new CallingAgent(service)
    await agent.register()
    const path = `/agents/${agent.uuid}/remove`
    const disabled = await post(service, path, [['step', 'disable']])
    expect(await html(service, disabled.headers.get('location') ?? '')).toContain('Stop the agent')
    const deleted = await post(service, path, [['step', 'delete']])

    await agent.register()

    expect(await html(service, deleted.headers.get('location') ?? '')).toContain('has come back')
  })

  it('begins its 5 seconds again when they are over and the agent still runs', async () => {
    const service = await startService(['--auto-register-key', KEY])
    const agent = await joined(service)
    const path = `/agents/${agent.uuid}/remove`
    await post(service, path, [['step', 'disable']])

    const late = await html(service, `${path}?since=${Date.now() - 6_000}`)
    const left = await html(service, path)
    const again = await post(service, path, [['step', 'disable']])

    expect(late).toContain('The 5 seconds are over and the agent still runs.')
    expect(late).toContain('Restart the countdown')
    expect(late).not.toContain(' s left')
    expect(left).toContain('>Start the countdown</button>')
    expect(await html(service, again.headers.get('location') ?? '')).toContain(': 5 s left')
  })

  it('can be taken back, and says what is refused', async () => {
    const service = await startService(['--auto-register-key', KEY])
    const agent = await joined(service)
    const path = `/agents/${agent.uuid}/remove`
    await post(service, path, [['step', 'disable']])

    const back = await post(service, path, [['step', 'enable']])
    const refused = await post(service, path, [['step', 'delete']])

    expect(back.headers.get('location')).toBe(`/agents/${agent.uuid}`)
    expect(await html(service, `/agents/${agent.uuid}`)).toContain('Idle')
    expect(refused.status).toBe(409)
    expect(await refused.text()).toContain('was not deleted: it is Enabled, not Disabled.')
    expect((await service.fetch('/agents/nobody/remove')).status).toBe(404)
  })
})
