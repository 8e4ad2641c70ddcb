// @module-tag util-linux

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProcesses } from '../../../src/agent/process/end-processes.ts'
import type { JobAssignment } from '../../../src/wire/agent/work.ts'
import type { SeenJob } from '../../support/agents/agent-protocol-server.ts'
import { anAssignment, sh, shell } from '../../support/builds/an-assignment.ts'
import { RunningAgent } from '../../support/agents/running-agent.ts'
import { until } from '../../support/programs/until.ts'

let agent: RunningAgent

beforeAll(async () => {
  agent = await RunningAgent.start()
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
})

/** A tree of processes of which some leave their group and their parents; it writes `ready`. */
const TREE = `
  setsid sh -c 'echo $$ >daemon; sleep 300; :' >/dev/null 2>&1 &
  (setsid sh -c 'echo $$ >orphan; trap "" TERM; while :; do sleep 0.1; done' >/dev/null 2>&1 </dev/null &)
  until [ -s daemon ] && [ -s orphan ]; do sleep 0.01; done
  echo $$ >main; echo ready; while :; do echo more; sleep 0.1; done`

async function start(more: Partial<JobAssignment>): Promise<SeenJob> {
  const job = agent.server.assign(anAssignment({ cleanWorkingDir: true, ...more }))
  await until(() => /\d ready\n/.test(job.text))
  return job
}

function alive(pipeline: string): number[] {
  const files = ['main', 'daemon', 'orphan'].map((name) =>
    readFileSync(join(agent.workDir, 'pipelines', pipeline, name), 'utf8'),
  )
  const { pids: all } = findProcesses({ isMarked: () => true, groups: new Set() })
  return files.map(Number).filter((pid) => all.includes(pid))
}

describe('a job that is cancelled', () => {
  it('is ended with every process, and its agent works on', { tags: ['long'] }, async () => {
    const job = await start({ pipelineName: 'tree', tasks: [sh(TREE), sh('echo next')] })
    expect(alive('tree')).toHaveLength(3)

    job.cancelled = true
    await until(() => job.result !== null)

    expect(job.reports.at(-1)).toEqual({ state: 'Completed', result: 'Cancelled' })
    expect(job.states).not.toContain('Completing')
    expect(alive('tree')).toEqual([])
    expect(job.text).toContain('The job is cancelled')
    expect(job.text).not.toContain('next')
    await start({ pipelineName: 'after', tasks: [sh('echo ready')] })
  })

  it('says that it is ending while it is', async () => {
    const job = await start({
      tasks: [sh('trap "" TERM; echo ready; while :; do sleep 0.1; done')],
    })
    agent.server.contacts.length = 0

    job.cancelled = true
    await until(() => job.result !== null)

    const statuses = agent.server.contacts.map(({ runtimeStatus }) => runtimeStatus)
    expect(statuses).toContain('Cancelled')
  })

  it('runs the on-cancel task of the task that runs, while that one still runs', async () => {
    const job = await start({
      tasks: [
        sh('true', { onCancel: shell('echo wrong') }),
        sh('echo $$ >pid; echo ready; sleep 300', {
          onCancel: shell('kill -0 $(cat pid) && echo on-cancel'),
        }),
      ],
    })

    job.cancelled = true
    await until(() => job.result !== null)

    expect(job.result).toBe('Cancelled')
    expect(job.text).toContain(' on-cancel\n')
    expect(job.text).not.toContain('wrong')
  })

  it('uploads nothing', async () => {
    const job = await start({
      tasks: [sh('echo x >x; echo ready; sleep 300')],
      artifacts: [{ kind: 'artifact', src: 'x', dest: null }],
    })

    job.cancelled = true
    await until(() => job.result !== null)

    expect(job.artifacts.size).toBe(0)
  })
})

describe('a silent job', () => {
  it('is cancelled after its time, and only then', { tags: ['long'] }, async () => {
    const job = agent.server.assign(
      anAssignment({
        silenceTimeoutMs: 600,
        tasks: [sh('for i in 1 2 3 4 5; do echo $i; sleep 0.2; done; sleep 300')],
      }),
    )
    await until(() => job.result !== null)

    expect(job.result).toBe('Cancelled')
    expect(job.text).toMatch(/ 5\n/)
    expect(job.text).toContain('The job wrote nothing for')
  })
})

describe('a job that the server takes back', () => {
  it('is ended without a result', async () => {
    const job = await start({ pipelineName: 'gone', tasks: [sh(TREE)] })

    job.refusal = 410
    await until(() => agent.server.contacts.at(-1)?.jobId === null)

    expect(alive('gone')).toEqual([])
    expect(job.states).toEqual(['Preparing', 'Building'])
  })

  it('fails when the server’s disk is full', async () => {
    const job = await start({ tasks: [sh('echo ready; while :; do echo more; sleep 0.05; done')] })

    job.refusal = 507
    await until(() => job.result !== null)

    expect(job.result).toBe('Failed')
    expect(agent.log.at(-1)?.facts).toMatchObject({ error: 'the disk is full' })
  })
})
