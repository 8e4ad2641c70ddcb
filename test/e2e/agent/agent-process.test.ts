// @module-tag long
// @module-tag util-linux

import { existsSync, readFileSync, statSync } from 'node:fs'
import { hostname, release, type } from 'node:os'
import { z } from 'zod'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { markOf } from '../../../src/processes/process-mark.ts'
import { findProcesses } from '../../../src/agent/process/end-processes.ts'
import { AgentProcess } from '../../support/agents/agent-process.ts'
import {
  findAgentGroups,
  mayMakeControlGroups,
  WITHOUT_CONTROL_GROUPS,
} from '../../support/agents/control-groups.ts'
import { AgentProtocolServer } from '../../support/agents/agent-protocol-server.ts'
import { anAssignment, sh } from '../../support/builds/an-assignment.ts'
import { tempFolder } from '../../support/disk/temp-folder.ts'
import { until } from '../../support/programs/until.ts'

let server: AgentProtocolServer
let workDir: string

beforeEach(async () => {
  workDir = tempFolder().file('work')
  server = await AgentProtocolServer.start()
  onTestFinished(() => server[Symbol.asyncDispose]())
})

function newAgent(through: readonly string[] = []): AgentProcess {
  return new AgentProcess({ server: server.url, workDir, through })
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
  const { pids: all } = findProcesses({ isMarked: () => true, groups: new Set() })
  return pids.filter((pid) => all.includes(pid))
}

/** The mark that the processes of the agent in this test's folder share. */
function agentMark(): string {
  const identity: unknown = JSON.parse(readFileSync(`${workDir}/identity.json`, 'utf8'))
  const { uuid } = z.object({ uuid: z.string() }).parse(identity)
  return markOf({ uuid, folder: workDir, instance: '' }).agent
}

/** The reaper of the agent in this test's folder. */
function findReapers(): number[] {
  const agent = agentMark()
  const { pids: all } = findProcesses({ isMarked: () => true, groups: new Set() })
  return all.filter((pid) => {
    const file = `/proc/${pid}/cmdline`
    return existsSync(file) && readFileSync(file, 'utf8').includes(`cairn-reaper\0${agent}`)
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

  it('ends at its start what was left although its reaper was killed too', async () => {
    await using agent = newAgent()
    const { pids } = await startLongJob()
    const reapers = findReapers()
    expect(reapers).toHaveLength(1)
    for (const pid of reapers) process.kill(pid, 'SIGSTOP')
    await agent.end('SIGKILL')
    expect(alive(pids)).toHaveLength(2)

    await using next = newAgent()
    await until(() => alive(pids).length === 0)

    for (const pid of reapers) process.kill(pid, 'SIGKILL')
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

/** Without environment, process group and parent; it writes its id. */
const ESCAPE = `
  (env -i setsid sh -c 'echo $$ >escaped; trap "" TERM; while :; do sleep 0.1; done' >/dev/null 2>&1 </dev/null &)
  (setsid sh -c 'echo $$ >marked; while :; do sleep 0.1; done' >/dev/null 2>&1 </dev/null &)
  until [ -s escaped ] && [ -s marked ]; do sleep 0.01; done; echo ready`

/** Starts a job that leaves both kinds behind; what could escape is ended with the test. */
async function startEscape(more = '') {
  const tasks = [sh(`${ESCAPE}${more}`)]
  const job = server.assign(anAssignment({ cleanWorkingDir: true, tasks }))
  await until(() => /\d ready\n/.test(job.text))
  const [escaped, marked] = [readPid('escaped'), readPid('marked')]
  onTestFinished(() => {
    for (const pid of alive([escaped])) process.kill(pid, 'SIGKILL')
  })
  return { job, escaped, marked }
}

describe('what gives up environment, group and parent', () => {
  const mayGroup = mayMakeControlGroups()

  it('ends with its job in a control group, or the agent says that it may make none', async () => {
    await using agent = newAgent()
    const { job, escaped, marked } = await startEscape()
    await until(() => job.result !== null)

    expect(job.result).toBe('Passed')
    expect(alive([marked])).toEqual([])
    expect(alive([escaped])).toEqual(mayGroup ? [] : [escaped])
    expect(agent.output.match(/Jobs have no control groups/g) ?? []).toHaveLength(mayGroup ? 0 : 1)
    expect(await agent.end('SIGTERM')).toBe(0)
    expect(findAgentGroups(agentMark().slice(0, -1))).toEqual([])
  })

  it('is all that outlives a job whose agent may make no control groups', async () => {
    await using agent = newAgent(mayGroup ? WITHOUT_CONTROL_GROUPS : [])
    const { job, escaped, marked } = await startEscape()
    await until(() => job.result !== null)

    expect(job.result).toBe('Passed')
    expect(alive([marked, escaped])).toEqual([escaped])
    expect(agent.output.match(/Jobs have no control groups/g)).toHaveLength(1)
    await agent.end('SIGTERM')
  })

  it('ends with an agent that is killed', async () => {
    await using agent = newAgent()
    const { escaped, marked } = await startEscape('; sleep 300')

    await agent.end('SIGKILL')
    await until(() => alive([marked]).length === 0)
    if (mayGroup) await until(() => alive([escaped]).length === 0)
    await until(() => findAgentGroups(agentMark().slice(0, -1)).length === 0)

    expect(alive([escaped])).toEqual(mayGroup ? [] : [escaped])
  })

  it('ends with the next start when agent and reaper were killed', async () => {
    await using agent = newAgent()
    const { escaped, marked } = await startEscape('; sleep 300')
    const reapers = findReapers()
    for (const pid of reapers) process.kill(pid, 'SIGSTOP')
    await agent.end('SIGKILL')
    expect(alive([escaped, marked])).toEqual([escaped, marked])

    await using next = newAgent()
    await until(() => alive([marked]).length === 0)
    if (mayGroup) await until(() => alive([escaped]).length === 0)

    for (const pid of reapers) process.kill(pid, 'SIGKILL')
    expect(alive([escaped])).toEqual(mayGroup ? [] : [escaped])
    expect(await next.end('SIGTERM')).toBe(0)
    expect(findAgentGroups(agentMark().slice(0, -1))).toEqual([])
  })
})
