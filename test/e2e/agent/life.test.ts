import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname, release, type } from 'node:os'
import { z } from 'zod'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runAgent } from '../../../src/agent/run-agent.ts'
import { cookieOf } from '../../../src/agent/process/cookie.ts'
import { findProcesses } from '../../../src/agent/process/end-processes.ts'
import { AgentProcess } from '../../support/agent-process.ts'
import { AgentProtocolServer } from '../../support/agent-protocol-server.ts'
import { anAssignment, sh } from '../../support/an-assignment.ts'
import { agentOptions, RunningAgent } from '../../support/running-agent.ts'
import { TempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/until.ts'

let server: AgentProtocolServer
let temp: TempFolder
let workDir: string

beforeEach(async () => {
  server = await AgentProtocolServer.start()
  temp = new TempFolder()
  workDir = temp.file('work')
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  temp[Symbol.dispose]()
})

function newAgent(): AgentProcess {
  return new AgentProcess({ server: server.url, workDir })
}

const LONG = `
  (setsid sh -c 'echo $$ >daemon; trap "" TERM; while :; do sleep 0.1; done' >/dev/null 2>&1 </dev/null &)
  until [ -s daemon ]; do sleep 0.01; done
  echo $$ >main; echo ready; sleep 300`

/** Starts a job with a daemon; gives the ids of its processes. */
async function startLongJob(): Promise<{ pids: number[] }> {
  const job = server.assign(anAssignment({ cleanWorkingDir: true, tasks: [sh(LONG)] }))
  await until(() => /\d ready\n/.test(job.text))
  return { pids: [readPid('main'), readPid('daemon')] }
}

function readPid(name: string): number {
  return Number(readFileSync(`${workDir}/pipelines/demo/${name}`, 'utf8'))
}

function alive(pids: readonly number[]): number[] {
  const all = findProcesses({ isMarked: () => true, groups: new Set() })
  return pids.filter((pid) => all.includes(pid))
}

/** The guard of the agent in this test's folder. */
function findGuards(): number[] {
  const identity: unknown = JSON.parse(readFileSync(`${workDir}/identity.json`, 'utf8'))
  const { uuid } = z.object({ uuid: z.string() }).parse(identity)
  const { agent } = cookieOf({ uuid, folder: workDir, instance: '' })
  const all = findProcesses({ isMarked: () => true, groups: new Set() })
  return all.filter((pid) => {
    const file = `/proc/${pid}/cmdline`
    return existsSync(file) && readFileSync(file, 'utf8').includes(`cairn-agent-guard\0${agent}`)
  })
}

describe('the process of an agent', () => {
  it('says what it is and where it works', async () => {
    await using agent = newAgent()
    await until(() => server.contacts.length > 0)

    expect(server.contacts[0]).toMatchObject({
      hostname: hostname(),
      ipAddress: '127.0.0.1',
      sandbox: workDir,
      operatingSystem: `${type()} ${release()}`,
      version: '1.2.3',
      runtimeStatus: 'Idle',
      jobId: null,
      stopping: false,
    })
    expect(server.contacts[0]?.freeSpace).toBeGreaterThan(0)
    expect(await agent.end('SIGTERM')).toBe(0)
    expect(server.contacts.at(-1)).toMatchObject({ stopping: true })
  })

  it('keeps its uuid and token, readable by its user alone', async () => {
    await using first = newAgent()
    await until(() => server.contacts.length > 0)
    await first.end('SIGTERM')
    server.contacts.length = 0

    await using second = newAgent()
    await until(() => server.contacts.length > 0)
    await second.end('SIGTERM')

    expect(server.registrations).toHaveLength(1)
    expect(server.agents.size).toBe(1)
    expect(statSync(`${workDir}/identity.json`).mode & 0o777).toBe(0o600)
  })

  it('ends its job with every process when it is told to stop', async () => {
    await using agent = newAgent()
    const { pids } = await startLongJob()
    expect(alive(pids)).toHaveLength(2)

    expect(await agent.end('SIGTERM')).toBe(0)

    expect(alive(pids)).toEqual([])
    const [job] = [...server.jobs.values()]
    expect(job?.text).toContain('The agent stops')
    expect(job?.result).toBeNull()
    expect(server.contacts.at(-1)).toMatchObject({ stopping: true, jobId: null })
  })

  it('leaves no process of its job when it is killed', async () => {
    await using agent = newAgent()
    const { pids } = await startLongJob()

    await agent.end('SIGKILL')

    await until(() => alive(pids).length === 0)
    expect(alive(pids)).toEqual([])
  })

  it('ends at its start what was left although its guard was killed too', async () => {
    await using agent = newAgent()
    const { pids } = await startLongJob()
    const guards = findGuards()
    expect(guards).toHaveLength(1)
    for (const pid of guards) process.kill(pid, 'SIGSTOP')
    await agent.end('SIGKILL')
    expect(alive(pids)).toHaveLength(2)

    await using next = newAgent()
    await until(() => alive(pids).length === 0)

    for (const pid of guards) process.kill(pid, 'SIGKILL')
    expect(await next.end('SIGTERM')).toBe(0)
  })

  it('is the only one in its folder', async () => {
    await using agent = newAgent()
    await until(() => server.contacts.length > 0)

    await using other = newAgent()

    expect(await other.exitCode()).toBe(1)
    expect(other.output).toContain(`Another agent works in ${workDir}`)
    await agent.end('SIGTERM')
  })
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

  it('does not start with an identity that cannot be read', async () => {
    const stop = new AbortController()
    writeFileSync(temp.file('identity.json'), '{"uuid": ')

    await expect(runAgent(agentOptions(server.url, temp.path), stop.signal)).rejects.toThrow(
      'does not hold an identity',
    )
  })
})
