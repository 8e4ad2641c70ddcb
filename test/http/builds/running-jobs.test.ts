import { describe, expect, it } from 'vitest'
import { jsonOf } from '../../support/builds/build-service.ts'
import { agentPaths } from '../../../src/wire/agent/paths.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { sceneWithAgent, listed, consoleOf } from '../../support/builds/scene-with-agent.ts'

/** The entry of the document that keeps the agent. */
const LISTED = [{ uuid: 'a1', hostname: 'host-a1' }]

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

  it('counts from its assignment on, also against a report that was under way', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()
    const job = await agent.work()

    await agent.contact({ jobId: null })

    expect(await listed(scene, 'a1')).toMatchObject({ status: 'Building' })
    await scene.post('/api/agents/a1/disable')
    expect((await scene.post('/api/agents/a1/delete')).status).toBe(406)
    await agent.finish(job)
    await agent.contact({ jobId: null })
    expect((await scene.post('/api/agents/a1/delete')).status).toBe(200)
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

  it('takes no artifact of an agent that lost it while the file came', async () => {
    const { scene, agent } = await sceneWithAgent()
    const other = await ProtocolAgent.join(scene.service, 'a2')
    await scene.schedule()
    const { jobId } = await agent.work()
    const body = new TransformStream<string, string>()
    const writer = body.writable.getWriter()
    const late = agent.call(
      'PUT',
      agentPaths.artifact({ uuid: 'a1', jobId }, 'artifact', 'a'),
      null,
      {
        body: body.readable.pipeThrough(new TextEncoderStream()),
        headers: { authorization: `Bearer ${agent.token}`, 'content-length': '6' },
        duplex: 'half',
      },
    )
    await writer.write('old')

    await agent.contact({ jobId, stopping: true })
    const again = await other.work()
    await other.upload(again.jobId, 'a', 'new')
    await writer.write('old')
    await writer.close()

    expect((await late).status).toBe(410)
    expect(await (await scene.get('/files/app/1/build/1/unit/a')).text()).toBe('new')
  })

  it('goes to another when its agent leaves the configuration', { tags: ['long'] }, async () => {
    const { scene, agent } = await sceneWithAgent()
    const other = await ProtocolAgent.join(scene.service, 'a2')
    await scene.schedule()
    const { jobId } = await agent.work()

    await scene.configure({ agents: [{ uuid: 'a2', hostname: 'host-a2' }] })
    await agent.register(null)

    expect(await listed(scene, 'a1')).toMatchObject({ status: 'Pending' })
    expect((await other.work()).jobName).toBe('unit')
    const history = await jsonOf(await scene.get('/api/agents/a1/job_run_history'))
    expect(history).toMatchObject({ jobs: [{ id: jobId, state: 'Rescheduled' }] })
  })

  it('is cancelled when its pipeline leaves the configuration', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()
    const { jobId } = await agent.work()

    await scene.configure({ pipelines: [{ name: 'other' }], agents: LISTED })

    await expect.poll(() => agent.contact({ jobId })).toEqual({ kind: 'cancel_job', jobId })
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
  it('grows at its end only, and says where that is', async () => {
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
