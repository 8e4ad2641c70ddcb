import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runAgent } from '../../../src/agent/run-agent.ts'
import { AgentProtocolServer } from '../../support/agents/agent-protocol-server.ts'
import { anAssignment, sh } from '../../support/builds/an-assignment.ts'
import { agentOptions } from '../../support/agents/running-agent.ts'
import { mayMount, SmallDisk } from '../../support/disk/small-disk.ts'
import { until } from '../../support/programs/until.ts'

describe('an agent whose disk is full', () => {
  it.skipIf(!mayMount())('fails its jobs with a message and lives on (needs mount)', async () => {
    using disk = new SmallDisk(1)
    await using server = await AgentProtocolServer.start()
    const stop = new AbortController()
    const running = runAgent(agentOptions(server.url, disk.path), stop.signal)
    await until(() => server.contacts.length > 0)
    const filler = join(disk.path, 'filler')
    writeFileSync(filler, Buffer.alloc(512 * 1024))

    const writing = server.assign(anAssignment({ tasks: [sh('head -c 900000 /dev/zero >big')] }))
    await until(() => writing.result !== null)
    server.files.set('huge', 'x'.repeat(400_000))
    const from = {
      pipelineName: 'up',
      pipelineCounter: 1,
      stageName: 's',
      stageCounter: '1',
      jobName: 'j',
    }
    const fetch = { type: 'fetchartifact', from, src: 'huge', srcKind: 'file', dest: null } as const
    const fetching = server.assign(anAssignment({ tasks: [{ ...sh(''), run: fetch }] }))
    await until(() => fetching.result !== null)
    rmSync(filler)
    const after = server.assign(anAssignment({ cleanWorkingDir: true, tasks: [sh('echo x >x')] }))
    await until(() => after.result !== null)

    stop.abort()
    await running
    expect(writing.result).toBe('Failed')
    expect(writing.text).toContain('No space left on device')
    expect(fetching.result).toBe('Failed')
    expect(fetching.text).toContain('The disk of the agent is full')
    expect(after.result).toBe('Passed')
  })
})
