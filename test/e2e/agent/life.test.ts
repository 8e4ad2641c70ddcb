import { writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { lockFolder, runAgent } from '../../../src/agent/run-agent.ts'
import { AgentProtocolServer } from '../../support/agents/agent-protocol-server.ts'
import { anAssignment, sh } from '../../support/builds/an-assignment.ts'
import { agentOptions, QUICK, RunningAgent } from '../../support/agents/running-agent.ts'
import { type TempFolder, tempFolder } from '../../support/disk/temp-folder.ts'
import { command } from '../../support/programs/command.ts'
import { until } from '../../support/programs/until.ts'

let server: AgentProtocolServer
let temp: TempFolder
let workDir: string

beforeEach(async () => {
  temp = tempFolder()
  workDir = temp.file('work')
  server = await AgentProtocolServer.start()
  onTestFinished(() => server[Symbol.asyncDispose]())
})

describe('an agent', () => {
  it('presents its key with what it wants to be', async () => {
    const wish = { autoRegisterKey: 'key', resources: ['a', 'b'], environments: ['e'] }
    await using agent = await RunningAgent.start({ ...wish, hostname: 'custom' })
    await until(() => agent.server.registrations.length > 0)

    expect(agent.server.registrations[0]).toMatchObject({
      hostname: 'custom',
      autoRegister: { key: 'key', resources: ['a', 'b'], environments: ['e'] },
    })
  })

  it('takes no work while it is pending, and works once it is enabled', async () => {
    await using agent = await RunningAgent.start()
    agent.server.configStatus = 'Pending'
    const job = agent.server.assign(anAssignment({ tasks: [sh('true')] }))
    await until(() => agent.server.contacts.length > 3)
    expect(job.reports).toEqual([])

    agent.server.configStatus = 'Enabled'

    await until(() => job.result === 'Passed')
  })

  it('makes contact as often as the server asks', async () => {
    server.contactIntervalMs = 10
    const stop = new AbortController()
    const options = agentOptions(server.url, workDir)
    const timing = { ...QUICK, contactMs: 3_600_000 }

    const running = runAgent({ ...options, timing }, stop.signal)

    await until(() => server.contacts.length > 3)
    stop.abort()
    await running
    expect(server.registrations).toHaveLength(1)
  })

  it('registers again when the server does not know it any more', async () => {
    await using agent = await RunningAgent.start()
    await until(() => agent.server.contacts.length > 0)
    const [uuid] = agent.server.agents.keys()
    agent.server.configStatus = 'Pending'

    agent.server.agents.clear()

    await until(() => agent.server.registrations.length > 1)
    expect([...agent.server.agents.keys()]).toEqual([uuid])
    await until(() => agent.messages.includes('Registered; the server lists this agent as Pending'))
  })

  it('ends its job when it is not the server’s agent any more', async () => {
    await using agent = await RunningAgent.start()
    const job = agent.server.assign(anAssignment({ tasks: [sh('echo ready; sleep 300')] }))
    await until(() => /\d ready\n/.test(job.text))

    agent.server.agents.clear()

    await until(() => agent.server.contacts.at(-1)?.jobId === null)
    expect(job.result).toBeNull()
  })

  it('gets a new token when its own is refused', async () => {
    await using agent = await RunningAgent.start()
    await until(() => agent.server.contacts.length > 0)
    for (const [uuid, known] of agent.server.agents) {
      agent.server.agents.set(uuid, { ...known, token: 'another' })
    }

    const job = agent.server.assign(anAssignment({ tasks: [sh('true')] }))

    await until(() => job.result === 'Passed')
    expect(agent.server.registrations).toHaveLength(2)
  })

  it('says so when another machine has its uuid, and keeps trying', async () => {
    await using agent = await RunningAgent.start()
    await until(() => agent.server.contacts.length > 0)
    for (const [uuid, known] of agent.server.agents) {
      const request = { ...known.request, claim: 'x'.repeat(40) }
      agent.server.agents.set(uuid, { request, token: 'another' })
    }

    await until(() => agent.server.registrations.length > 3)

    const [uuid] = agent.server.agents.keys()
    const said = agent.messages.filter((message) => message.includes(`uses the uuid ${uuid}`))
    expect(said).toHaveLength(1)
  })

  it('waits for a server that is absent, and goes on where it was', async () => {
    await using agent = await RunningAgent.start()
    const job = agent.server.assign(
      anAssignment({ tasks: [sh('echo one; until [ -e go ]; do sleep 0.02; done; echo two')] }),
    )
    await until(() => /\d one\n/.test(job.text))

    await agent.server.down()
    await until(() => agent.messages.some((message) => message.includes('does not answer')))
    writeFileSync(`${agent.workDir}/pipelines/demo/go`, '')
    await agent.server.up()
    await until(() => job.result === 'Passed')

    const lines = job.text.split('\n').map((line) => line.slice(13))
    expect(lines.filter((line) => line === 'one' || line === 'two')).toEqual(['one', 'two'])
    const next = agent.server.assign(anAssignment({ tasks: [sh('true')] }))
    await until(() => next.result === 'Passed')
  })

  it('waits for a server that is absent from the beginning', async () => {
    await server.down()
    const stop = new AbortController()
    const running = runAgent(agentOptions(server.url, workDir), stop.signal)

    await server.up()
    await until(() => server.contacts.length > 0)

    stop.abort()
    await expect(running).resolves.toBeUndefined()
  })

  it('stops at once although the server is absent', async () => {
    await server.down()
    const stop = new AbortController()
    const running = runAgent(agentOptions(server.url, workDir), stop.signal)

    stop.abort()

    await expect(running).resolves.toBeUndefined()
  })

  it('says in one line that its identity cannot be read', async () => {
    const file = temp.file('identity.json')
    writeFileSync(file, '{"uuid": ')

    const ended = await command(['agent', '--server', server.url, '--work-dir', temp.path])

    const stderr = `cairn: ${file} does not hold an identity of an agent\n`
    expect(ended).toEqual({ code: 1, stdout: '', stderr })
  })

  it('says in one line that another agent works in its folder', async () => {
    const lock = await lockFolder(temp.path)
    onTestFinished(() => lock[Symbol.dispose]())

    const ended = await command(['agent', '--server', server.url, '--work-dir', temp.path])

    const stderr = `cairn: Another agent works in ${temp.path}\n`
    expect(ended).toEqual({ code: 1, stdout: '', stderr })
  })
})
