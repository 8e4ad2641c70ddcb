// @module-tag long
import { writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { runAgent } from '../../../src/agent/run-agent.ts'
import { AgentProtocolServer } from '../../support/agents/agent-protocol-server.ts'
import { agentOptions } from '../../support/agents/running-agent.ts'
import { anAssignment, sh } from '../../support/builds/an-assignment.ts'
import { type TempFolder, tempFolder } from '../../support/disk/temp-folder.ts'
import { TcpProxy } from '../../support/programs/tcp-proxy.ts'
import { until } from '../../support/programs/until.ts'

/** In milliseconds: sooner than a call for work ends by itself. */
const SOON_MS = 12_000

let server: AgentProtocolServer
let temp: TempFolder
const stop = new AbortController()

beforeEach(async () => {
  temp = tempFolder()
  server = await AgentProtocolServer.start()
  onTestFinished(() => server[Symbol.asyncDispose]())
})

describe('an agent of several servers', { tags: ['long'] }, () => {
  it('goes on at another one when the one that it calls is frozen, also in the middle of a job', async () => {
    await using line = await TcpProxy.open(server.url)
    const options = agentOptions(line.through(server.url), temp.file('work'))
    const servers = [line.through(server.url), server.url] as const
    const running = runAgent({ ...options, servers }, stop.signal)
    const script = 'echo one; until [ -e go ]; do sleep 0.02; done; echo two'
    const first = server.assign(anAssignment({ jobId: 1, tasks: [sh(script)] }))
    await until(() => /\d one\n/.test(first.text), SOON_MS)

    line.deafen()
    const frozenAt = performance.now()
    const { length } = server.contacts
    await until(() => server.contacts.length > length + 1, SOON_MS)
    const took = performance.now() - frozenAt
    writeFileSync(temp.file('work/pipelines/demo/go'), '')
    await until(() => first.result === 'Passed', SOON_MS)
    const second = server.assign(anAssignment({ jobId: 2, tasks: [sh('true')] }))
    await until(() => second.result === 'Passed', SOON_MS)
    stop.abort()
    await running

    expect(took).toBeLessThan(SOON_MS)
    expect(first.written).toEqual(['one', 'two'])
  })
})
