import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAgentMessage } from '../../../src/wire/agent/message.ts'
import { WorkReply } from '../../../src/wire/agent/work.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { sceneWithAgent, listed, consoleOf } from '../../support/builds/scene-with-agent.ts'

/** The entry of the document that keeps the agent. */
const LISTED = [{ uuid: 'a1', hostname: 'host-a1' }]

/** A job that the configuration no longer has waits in front of one that an agent can run. */
async function sceneWithLostJob() {
  const { scene, agent } = await sceneWithAgent()
  await scene.schedule()
  await scene.configure({
    pipelines: [{ name: 'app', stages: [{ jobs: [{ name: 'other' }] }] }],
    agents: LISTED,
  })
  await scene.schedule()
  return { scene, agent }
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

  it('takes nothing from its agent where it comes after a later one', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()
    const answered = await (await agent.ask(undefined, 2)).text()
    const { assignment: job } = parseAgentMessage(WorkReply, answered)
    const jobId = job?.jobId ?? 0
    await agent.report(jobId, { state: 'Building' })

    const late = await (await agent.ask(undefined, 1)).text()

    expect(parseAgentMessage(WorkReply, late).assignment).toBeNull()
    expect((await agent.report(jobId, { state: 'Completing', result: 'Passed' })).status).toBe(200)
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

  it('gives the same job again to the process that may have missed the answer', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()

    const first = await agent.work()
    const again = await agent.work()

    expect(again).toEqual(first)
  })

  it('gives no job with the console of an earlier attempt, which could not be set aside', async () => {
    const { scene, agent } = await sceneWithAgent()
    const folder = join(scene.service.folder, 'state/artifacts/app/1/build/1/unit/cruise-output')
    const inTheWay = join(folder, 'console.2.log')
    await mkdir(join(inTheWay, 'something'), { recursive: true })
    await writeFile(join(folder, 'console.log'), 'earlier\n')
    await scene.schedule()

    const refused = [(await agent.ask()).status, (await agent.ask()).status]
    await rm(inTheWay, { recursive: true })
    const { jobId } = await agent.work()

    expect(refused).toEqual([500, 500])
    expect(await agent.append(jobId, 0, 'now\n')).toBe(4)
    expect(consoleOf(scene)).toBe('now\n')
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
    const { scene, agent } = await sceneWithLostJob()

    expect((await agent.work()).jobName).toBe('other')
    expect(await scene.stage()).toMatchObject({ result: 'Failed' })
    expect(consoleOf(scene)).toContain('no job app/build/unit any more')
  })

  it('fails such a job where its console cannot be written, too', async () => {
    const { scene, agent } = await sceneWithLostJob()
    const folder = join(scene.service.folder, 'state/artifacts/app/1/build/1/unit')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'cruise-output'), '')

    expect((await agent.work()).jobName).toBe('other')
    expect(await scene.stage()).toMatchObject({ result: 'Failed' })
  })
})
