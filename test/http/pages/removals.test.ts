import { describe, expect, it } from 'vitest'
import { CallingAgent } from '../../support/agents/agent-calls.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
import { pageOf, sendForm } from '../../support/pages/page-forms.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { startService, type TestService } from '../../support/service/service.ts'

/** The rows of the agents by their names, without their markup. */
function rowsOf(html: string): Record<string, string> {
  const rows = html.matchAll(/<tr><th scope="row"[^]*?<\/tr>/g)
  const texts = Array.from(rows, ([row]) =>
    row
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  )
  return Object.fromEntries(texts.map((text) => [text.split(' ', 1)[0] ?? '', text]))
}

/** Where the form of a page is sent. */
function actionOf(html: string): string {
  const [, action = ''] = /<form method="post" action="([^"]*)" class="removals"/.exec(html) ?? []
  return action.replaceAll('&amp;', '&')
}

/** Presses a button of a page; gives the next page. */
async function press(service: Pick<TestService, 'fetch'>, html: string, step: string) {
  return (await sendForm(service, actionOf(html), { step })).text()
}

function stepsOffered(html: string): string[] {
  return Array.from(
    html.matchAll(/name="step" value="(\w+)">([^<]*)/g),
    ([, , label = '']) => label,
  )
}

/** Three agents, of which the first works on a job. */
async function scene() {
  const opened = await BuildScene.open({ pipelines: [{ name: 'app' }] })
  const busy = await ProtocolAgent.join(opened.service, 'a1')
  await opened.schedule()
  const job = await busy.work()
  const others = [
    await ProtocolAgent.join(opened.service, 'a2'),
    await ProtocolAgent.join(opened.service, 'a3'),
  ]
  return { service: opened.service, busy, job, others }
}

const ALL = '/agents/remove?agent=a1&agent=a2&agent=a3'

describe('the safe removal of several agents', () => {
  it('takes those along that are ready, and says of each what became of it', async () => {
    const { service, others } = await scene()
    const [two] = others

    const first = await pageOf(service, ALL)
    const disabled = await press(service, first, 'disable')
    await two?.contact({ jobId: null, stopping: true })
    const stopped = await pageOf(service, actionOf(disabled))
    const deleted = await press(service, stopped, 'delete')

    expect(rowsOf(first)).toEqual({
      'host-a1': expect.stringContaining('Wait until its job has ended'),
      'host-a2': expect.stringContaining('Disable it'),
      'host-a3': expect.stringContaining('Disable it'),
    })
    expect(stepsOffered(first)).toEqual(['Disable 2'])
    expect(disabled).toMatch(/host-a2<\/a> is disabled\..*host-a3<\/a> is disabled\./s)
    expect(rowsOf(disabled)['host-a3']).toContain('Stop its service now : 5 s left')
    expect(rowsOf(stopped)['host-a2']).toContain('It has stopped: delete its record')
    expect(stepsOffered(stopped)).toEqual(['Delete 1', 'Cancel, enable again 2'])
    expect(rowsOf(deleted)).toEqual({
      'host-a1': expect.stringContaining('Wait until its job has ended'),
      'host-a2': 'host-a2 Deleted It has not registered again.',
      'host-a3': expect.stringContaining('Stop its service now'),
    })
  })

  it('takes an agent along whose work has ended meanwhile', async () => {
    const { service, busy, job } = await scene()
    const disabled = await press(service, await pageOf(service, ALL), 'disable')

    await busy.finish(job)
    await busy.contact({ jobId: null })

    expect(stepsOffered(await pageOf(service, actionOf(disabled)))).toContain('Disable 1')
  })

  it('can be taken back for those that it disabled', async () => {
    const { service } = await scene()
    await sendForm(service, '/agents', { action: 'disable', agent: 'a3' })
    const disabled = await press(service, await pageOf(service, ALL), 'disable')

    const back = await press(service, disabled, 'enable')

    expect(back).toContain('host-a2</a> is enabled.')
    expect(rowsOf(back)['host-a3']).toContain('Disabled')
    expect(stepsOffered(back)).toContain('Disable 1')
  })

  it('says which of them has come back', async () => {
    const service = await startService()
    const agents = [new CallingAgent(service), new CallingAgent(service)]
    for (const [n, agent] of agents.entries()) {
      agent.facts = { ...agent.facts, hostname: `box-${n}` }
      await agent.register()
      await sendForm(service, '/agents', { action: 'disable', agent: agent.uuid })
      await sendForm(service, '/agents', { action: 'delete', agent: agent.uuid })
    }
    const query = agents.map(({ uuid }, n) => `gone=${uuid}&name=box-${n}`).join('&')
    await agents[1]?.register()

    const html = await pageOf(service, `/agents/remove?${query}`)

    expect(rowsOf(html)['box-0']).toContain('has not registered again')
    expect(rowsOf(html)['box-1']).toContain('Has come back')
  })

  it('believes no address that names an agent which nobody has removed', async () => {
    const service = await startService()
    const forged = 'build-01+is+yours+now'

    const together = await pageOf(service, `/agents/remove?gone=a1&name=${forged}`)
    const alone = await service.fetch(`/agents/a1/remove?gone=${forged}`)

    expect(rowsOf(together)).toEqual({})
    expect(alone.status).toBe(404)
  })

  it('puts no name into a command that a shell could take for another', async () => {
    const service = await startService()
    for (const hostname of ['box-1', '$(reboot)', '<b>']) {
      const agent = new CallingAgent(service)
      agent.facts = { ...agent.facts, hostname }
      await agent.register()
    }
    const list = await pageOf(service, '/agents')
    const uuids = Array.from(list.matchAll(/name="agent" value="([^"]*)"/g), ([, uuid]) => uuid)

    const html = await pageOf(service, `/agents/remove?agent=${uuids.join('&agent=')}`)

    expect(html).toContain('for host in box-1; do')
    expect(html).not.toContain('<b>')
  })

  it('refuses what is no step, and more agents than a page has', async () => {
    const service = await startService()
    const many = Array.from({ length: 101 }, (_, n) => `agent=a${n}`).join('&')

    const [step, page] = await Promise.all([
      sendForm(service, '/agents/remove?agent=a1', { step: 'explode' }),
      service.fetch(`/agents/remove?${many}`),
    ])

    expect([step.status, page.status]).toEqual([400, 400])
  })
})
