// @module-tag long
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { AgentProcess } from '../../support/agents/agent-process.ts'
import { AgentProtocolServer } from '../../support/agents/agent-protocol-server.ts'
import { anAssignment, sh } from '../../support/builds/an-assignment.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { until } from '../../support/programs/until.ts'

const CLOCK = fileURLToPath(new URL('../../support/faults/shifted-clock.cjs', import.meta.url))
const WAIT = { timeout: 10_000 }
const A_DAY_BACK = '-86400000'

/** An agent whose clock is wrong by what a file says. */
async function agentWithClock() {
  const server = await AgentProtocolServer.start()
  const folder = tempDir()
  const shift = join(folder, 'shift')
  writeFileSync(shift, '0')
  const through = ['env', `NODE_OPTIONS=--require ${CLOCK}`, `SHIFTED_CLOCK=${shift}`]
  const agent = new AgentProcess({ server: server.url, workDir: join(folder, 'work'), through })
  return {
    server,
    shift,
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

describe('an agent whose clock is put back by a day', () => {
  it('asks for work as often as before', async () => {
    await using scene = await agentWithClock()
    await until(() => scene.server.workCalls === 1)

    writeFileSync(scene.shift, A_DAY_BACK)

    await expect.poll(() => scene.server.workCalls, WAIT).toBeGreaterThan(2)
    const job = scene.server.assign(anAssignment({ tasks: [sh('true')] }))
    await expect.poll(() => job.result, WAIT).toBe('Passed')
  })

  it('ends a job that ignores that it is told to end', async () => {
    await using scene = await agentWithClock()
    const script = `trap 'echo ${A_DAY_BACK} >${scene.shift}' TERM
      echo ready; while :; do sleep 0.05; done`
    const job = scene.server.assign(anAssignment({ tasks: [sh(script)] }))
    await until(() => /\d ready\n/.test(job.text))

    job.cancelled = true

    await expect.poll(() => job.result, WAIT).toBe('Cancelled')
  })
})
