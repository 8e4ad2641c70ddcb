import { describe, expect, it } from 'vitest'
import { aJob, anAgent, aPipeline, aStage, BuildsWorld } from '../../support/builds/builds.ts'

const agent = anAgent('a1')

const other = anAgent('a2')

const run = { pipeline: 'app', pipelineCounter: 1, stage: 'test', stageCounter: 1 }

describe('the assignment of work', () => {
  it('gives the oldest job first, and nothing when there is none', async () => {
    await using world = await BuildsWorld.open(aPipeline(), aPipeline({ name: 'other' }))
    await world.schedule('other')
    await world.schedule('app')

    const given = [
      await world.builds.assignWork(agent),
      await world.builds.assignWork(other),
      await world.builds.assignWork(anAgent('a3')),
    ]

    expect(given.map((job) => job?.pipelineName ?? null)).toEqual(['other', 'app', null])
    expect(given[0]).toMatchObject({ state: 'Assigned', agentUuid: 'a1' })
    expect(await world.builds.agentJobs()).toEqual([
      { agentUuid: 'a1', jobId: given[0]?.id },
      { agentUuid: 'a2', jobId: given[1]?.id },
    ])
  })

  it('passes over what the agent may not run', async () => {
    const linux = aJob({ name: 'linux', resources: ['Linux'] })
    await using world = await BuildsWorld.open(
      aPipeline({ stages: [aStage({ jobs: [linux] })] }),
      aPipeline({ name: 'uat' }),
    )
    world.environments.set('uat', ['UAT'])
    await world.schedule('app')
    await world.schedule('uat')

    expect(await world.builds.assignWork(agent)).toBeNull()
    expect(await world.builds.assignWork(anAgent('u', { environments: ['uat'] }))).toMatchObject({
      pipelineName: 'uat',
    })
    expect(await world.builds.assignWork(anAgent('l', { resources: ['linux'] }))).toMatchObject({
      name: 'linux',
    })
  })

  it('never gives one job to two agents that ask at the same moment', async () => {
    const jobs = [aJob({ spread: { type: 'instances', count: 20 } })]
    await using world = await BuildsWorld.open(aPipeline({ stages: [aStage({ jobs })] }))
    await world.schedule()

    const given = await Promise.all(
      Array.from({ length: 40 }, (_, n) => world.builds.assignWork(anAgent(`a${n}`))),
    )

    const ids = given.flatMap((job) => job?.id ?? [])
    expect(ids).toHaveLength(20)
    expect(new Set(ids).size).toBe(20)
  })

  it('gives each instance of a job on all agents to its own agent', async () => {
    await using world = await BuildsWorld.open(
      aPipeline({ stages: [aStage({ jobs: [aJob({ spread: { type: 'on-all' } })] })] }),
    )
    world.agents = [agent, other]
    await world.schedule()

    expect(await world.builds.assignWork(anAgent('a3'))).toBeNull()
    expect(await world.builds.assignWork(other)).toMatchObject({ name: 'unit-runOnAll-2' })
    expect(await world.builds.assignWork(agent)).toMatchObject({
      name: 'unit-runOnAll-1',
      planName: 'unit',
    })
  })

  it('is the same after a restart', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    for (let n = 0; n < 12; n += 1) await world.schedule()
    await world.builds.assignWork(agent)

    await world.restart()

    const next = await world.builds.assignWork(other)
    expect(next).toMatchObject({ pipelineCounter: 2 })
    expect(await world.builds.assignWork(anAgent('a3'))).toMatchObject({ pipelineCounter: 3 })
  })

  it('takes back a job from an agent that asks for another one', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    await world.schedule()
    const first = await world.builds.assignWork(agent)

    const second = await world.builds.assignWork(agent)

    expect(second).toMatchObject({ name: 'unit', agentUuid: 'a1' })
    expect(second?.id).not.toBe(first?.id)
    expect(await world.builds.job(first?.id ?? 0)).toMatchObject({ state: 'Rescheduled' })
  })

  it('notifies those who wait that there is work', async () => {
    await using world = await BuildsWorld.open(aPipeline())

    await world.schedule()

    expect(world.events.map(({ type }) => type)).toEqual(['jobs-queued', 'stage-scheduled'])
  })
})

describe('the reports of an agent', () => {
  it('record every state once, with growing ids and times', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    await world.schedule()

    const job = await world.build(agent)
    const told = { agentUuid: 'a1', jobId: job.id }
    await world.builds.reportJob({ ...told, report: { state: 'Completed', result: 'Passed' } })

    await world.restart()
    const { transitions } = (await world.builds.job(job.id)) ?? { transitions: [] }
    expect(transitions.map(({ state }) => state)).toEqual([
      'Scheduled',
      'Assigned',
      'Preparing',
      'Building',
      'Completing',
      'Completed',
    ])
    for (const field of ['id', 'time'] as const) {
      const values = transitions.map((transition) => transition[field])
      expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b))
    }
  })

  it('are refused about a job of another agent, and about none', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    await world.schedule()
    const job = await world.builds.assignWork(agent)
    const report = { state: 'Building' } as const

    await expect(
      world.builds.reportJob({ agentUuid: 'a2', jobId: job?.id ?? 0, report }),
    ).rejects.toMatchObject({ code: 'job-not-yours' })
    await expect(
      world.builds.reportJob({ agentUuid: 'a1', jobId: 999, report }),
    ).rejects.toMatchObject({ code: 'job-not-found' })
  })
})

describe('a job that the server fails', () => {
  it('fails its stage', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    await world.schedule()
    const job = await world.builds.assignWork(agent)

    expect(await world.builds.failJob(job?.id ?? 0)).toBe(true)

    const after = await world.builds.stageInstance(run)
    expect(after).toMatchObject({ result: 'Failed' })
    expect(after?.jobs[0]?.transitions.map(({ state }) => state)).toEqual([
      'Scheduled',
      'Assigned',
      'Completing',
      'Completed',
    ])
  })
})

describe('the job of a lost agent', () => {
  it('is run by another one, and stays in the history of the first', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    await world.schedule()
    const lost = await world.builds.assignWork(agent)

    expect(await world.builds.rescheduleLost(new Set(['a2']))).toBe(1)
    const again = await world.build(other)

    expect(again.id).not.toBe(lost?.id)
    expect(await world.builds.stageInstance(run)).toMatchObject({
      result: 'Passed',
      jobs: [{ id: again.id, agentUuid: 'a2' }],
    })
    expect((await world.builds.jobRunHistory('a1', 0)).items).toMatchObject([
      { id: lost?.id, state: 'Rescheduled', result: 'Unknown' },
    ])
  })

  it('stays with an agent that lives, and with all of them while none is known to live', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    await world.schedule()
    await world.builds.assignWork(agent)

    expect(await world.builds.rescheduleLost(new Set(['a1']))).toBe(0)
    expect(await world.builds.rescheduleLost(new Set())).toBe(0)
    expect(await world.builds.agentJobs()).toHaveLength(1)
  })

  it('takes no more reports', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    await world.schedule()
    const lost = await world.builds.assignWork(agent)
    await world.builds.rescheduleLost(new Set(['a2']))

    const told = { agentUuid: 'a1', jobId: lost?.id ?? 0 }
    const after = await world.builds.reportJob({
      ...told,
      report: { state: 'Completed', result: 'Passed' },
    })

    expect(after).toMatchObject({ state: 'Rescheduled' })
    expect(await world.builds.stageInstance(run)).toMatchObject({ active: true })
  })
})
