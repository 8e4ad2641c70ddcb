import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AgentEntry } from '../../../src/wire/agent-entry.ts'
import { parseAgentMessage } from '../../../src/wire/agent-message.ts'
import { WorkReply } from '../../../src/wire/agent-work.ts'
import { BuildScene, jsonOf } from '../../support/build-service.ts'
import { ProtocolAgent } from '../../support/protocol-agent.ts'

/** What a document has to say so that the agent stays. */
const LISTED = [{ uuid: 'a1', hostname: 'host-a1' }]

async function sceneWithAgent(...given: Parameters<typeof BuildScene.open>) {
  const scene = await BuildScene.open(...given)
  return { scene, agent: await ProtocolAgent.join(scene.service, 'a1') }
}

async function listed({ service }: BuildScene, uuid: string): Promise<AgentEntry | undefined> {
  const agents = z.array(AgentEntry).parse(await jsonOf(await service.fetch('/api/agents')))
  return agents.find((agent) => agent.uuid === uuid)
}

function consoleOf({ service }: BuildScene): string {
  const job = 'app/1/build/1/unit/cruise-output/console.log'
  return readFileSync(join(service.folder, 'state', 'artifacts', job), 'utf8')
}

describe('a call for work', () => {
  it('is answered at once when there is a job', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()

    const job = await agent.work()

    expect(job).toMatchObject({
      pipelineName: 'app',
      pipelineCounter: 1,
      jobName: 'unit',
      triggerUser: 'admin',
      materials: [{ type: 'git', url: scene.origin, branch: 'main' }],
    })
    expect(await listed(scene, 'a1')).toMatchObject({
      status: 'Building',
      buildLocator: 'app/1/build/1/unit',
    })
  })

  it('is held until there is a job', async () => {
    const { scene, agent } = await sceneWithAgent()

    const asked = agent.work()
    await scene.schedule()

    expect((await asked).jobName).toBe('unit')
  })

  it('goes to the agent with the resources and the environment of the job', async () => {
    const { scene, agent } = await sceneWithAgent({
      pipelines: [{ name: 'app', stages: [{ jobs: [{ resources: ['Linux'] }] }] }],
      environments: [{ name: 'prod', pipelines: ['app'] }],
    })
    const wishes = { resources: ['linux'], environments: ['prod'] }
    const fitting = await ProtocolAgent.join(scene.service, 'a2', wishes)
    await scene.schedule()

    const aborter = new AbortController()
    const waiting = agent.ask(aborter.signal)
    const job = await fitting.work()
    aborter.abort()

    expect(job.agentResources).toEqual(['linux'])
    await expect(waiting).rejects.toThrow('aborted')
  })

  it('runs a job on all agents, or several times', async () => {
    const { scene, agent } = await sceneWithAgent({
      pipelines: [
        {
          name: 'app',
          stages: [
            { name: 'all', jobs: [{ attributes: { runOnAllAgents: true } }] },
            { name: 'many', jobs: [{ attributes: { runInstanceCount: 2 } }] },
          ],
        },
      ],
    })
    const other = await ProtocolAgent.join(scene.service, 'a2')
    await scene.schedule()

    const jobs = [await agent.work(), await other.work()]
    expect(jobs.map(({ jobName }) => jobName)).toEqual(['unit-runOnAll-1', 'unit-runOnAll-2'])
    for (const [index, job] of jobs.entries()) await [agent, other][index]?.finish(job)

    expect((await agent.work()).jobName).toBe('unit-runInstance-1')
    expect((await other.work()).jobName).toBe('unit-runInstance-2')
  })

  it('gives one job to one agent, whoever asks at the same time', async () => {
    const { scene, agent } = await sceneWithAgent()
    const other = await ProtocolAgent.join(scene.service, 'a2')

    const aborter = new AbortController()
    const asked = [agent, other].map((each) => each.ask(aborter.signal))
    await scene.schedule()
    const first = await Promise.race(asked)
    const { assignment } = parseAgentMessage(WorkReply, await first.text())
    expect(assignment?.jobName).toBe('unit')
    expect((await scene.stage()).jobs).toMatchObject([{ state: 'Assigned' }])
    aborter.abort()
    const outcomes = await Promise.allSettled(asked)

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('tells the same job again to the process that may have missed the answer', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()

    const first = await agent.work()
    const again = await agent.work()

    expect(again).toEqual(first)
  })

  it('gives up a job that the agent had begun, and begins it anew', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()
    const first = await agent.work()
    await agent.report(first.jobId, { state: 'Preparing' })
    await agent.append(first.jobId, 0, 'first\n')

    const again = await agent.work()

    expect(again.jobId).not.toBe(first.jobId)
    expect((await agent.report(first.jobId, { state: 'Building' })).status).toBe(410)
    expect(await agent.append(again.jobId, 0, 'second\n')).toBe(7)
    expect(consoleOf(scene)).toBe('second\n')
  })

  it('is refused for a wrong token, another process, and an agent that is not enabled', async () => {
    const { scene, agent } = await sceneWithAgent()
    const pending = new ProtocolAgent(scene.service, 'a2')
    await pending.register(null)
    const forged = new ProtocolAgent(scene.service, 'a1')
    forged.token = pending.token
    const copy = new ProtocolAgent(scene.service, 'a1')
    copy.token = agent.token

    expect((await pending.ask()).status).toBe(403)
    expect((await forged.ask()).status).toBe(401)
    expect((await copy.ask()).status).toBe(409)
  })

  it('fails a job that no agent could run, and its console says why', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()
    await scene.configure({
      pipelines: [{ name: 'app', stages: [{ jobs: [{ name: 'other' }] }] }],
      agents: LISTED,
    })
    await scene.schedule()

    expect((await agent.work()).jobName).toBe('other')
    expect(await scene.stage()).toMatchObject({ result: 'Failed' })
    expect(consoleOf(scene)).toContain('no job app/build/unit any more')
  })
})

describe('a job that an agent runs', () => {
  it('is cancelled by a contact after its stage was cancelled', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()
    const { jobId } = await agent.work()
    await agent.report(jobId, { state: 'Building' })
    expect(await agent.contact({ jobId })).toEqual({ kind: 'none' })

    await scene.post('/api/stages/app/build/cancel')

    expect(await agent.contact({ jobId })).toEqual({ kind: 'cancel_job', jobId })
    expect(await listed(scene, 'a1')).toMatchObject({ status: 'Building (Cancelled)' })
    expect(await agent.append(jobId, 0, 'the end\n')).toBe(8)
    const last = await agent.report(jobId, { state: 'Completed', result: 'Cancelled' })
    expect(last.status).toBe(200)
    expect(await agent.append(jobId, 8, 'too late\n')).toBe('refused: 410')
    expect(await listed(scene, 'a1')).toMatchObject({ status: 'Idle', buildLocator: '' })
  })

  it('is not another agent’s to report, and not one that never was', async () => {
    const { scene, agent } = await sceneWithAgent()
    const other = await ProtocolAgent.join(scene.service, 'a2')
    await scene.schedule()
    const { jobId } = await agent.work()

    expect((await other.report(jobId, { state: 'Building' })).status).toBe(410)
    expect((await agent.report(999, { state: 'Building' })).status).toBe(410)
    expect((await other.upload(jobId, 'a.txt', 'a')).status).toBe(410)
    other.token = 'wrong'
    expect((await other.report(jobId, { state: 'Building' })).status).toBe(401)
  })

  it('goes to another when the agent says good-bye', async () => {
    const { scene, agent } = await sceneWithAgent()
    const other = await ProtocolAgent.join(scene.service, 'a2')
    await scene.schedule()
    const { jobId } = await agent.work()

    await agent.contact({ jobId, stopping: true })

    expect((await other.work()).jobName).toBe('unit')
    const history = await jsonOf(await scene.get('/api/agents/a1/job_run_history'))
    expect(history).toMatchObject({ jobs: [{ id: jobId, state: 'Rescheduled' }] })
  })

  it('is cancelled when its pipeline leaves the configuration', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()
    const { jobId } = await agent.work()

    await scene.configure({ pipelines: [{ name: 'other' }], agents: LISTED })

    await expect
      .poll(() => agent.contact({ jobId }), { timeout: 5_000 })
      .toEqual({ kind: 'cancel_job', jobId })
    expect(await scene.stage()).toMatchObject({ result: 'Cancelled' })
  })

  it('goes on after the server was started again', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()
    const job = await agent.work()
    await agent.report(job.jobId, { state: 'Building' })
    await agent.append(job.jobId, 0, 'before\n')

    const again = await scene.restart()
    const same = again.agentLike(agent)

    expect(await same.append(job.jobId, 7, 'after\n')).toBe(13)
    expect(await listed(again, 'a1')).toMatchObject({ buildLocator: 'app/1/build/1/unit' })
    await same.finish(job)
    expect(await again.stage()).toMatchObject({ result: 'Passed' })
    expect(consoleOf(again)).toBe('before\nafter\n')
  })
})

describe('a console', () => {
  it('grows at its end only, and tells where that is', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()
    const { jobId } = await agent.work()

    expect(await agent.append(jobId, 0, 'one\n')).toBe(4)
    expect(await agent.append(jobId, 0, 'one\n')).toBe(4)
    expect(await agent.append(jobId, 9, 'gap\n')).toBe(4)
    expect(await agent.append(jobId, 4, 'two\n')).toBe(8)
    expect(await agent.append(jobId, 8, '')).toBe(8)
    expect(consoleOf(scene)).toBe('one\ntwo\n')
  })

  it('refuses a batch that is too large, and an offset that is no number', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()
    const { jobId } = await agent.work()

    expect(await agent.append(jobId, 0, 'x'.repeat(1_048_577))).toBe('refused: 413')
    expect(await agent.append(jobId, -1, 'x')).toBe('refused: 400')
  })
})
