import { describe, expect, it } from 'vitest'
import { aJob, anAgent, aPipeline, aStage, BuildsWorld } from '../../support/builds/builds.ts'

const agent = anAgent('a1')

const other = anAgent('a2')

const run = { pipeline: 'app', pipelineCounter: 1, stage: 'test', stageCounter: 1 }

describe('a cancel', () => {
  const jobs = ['one', 'two', 'three'].map((name) => aJob({ name }))

  it('ends every unfinished job of the newest active run and starts nothing', async () => {
    await using world = await BuildsWorld.open(
      aPipeline({ stages: [aStage({ jobs }), aStage({ name: 'next' })] }),
    )
    await world.schedule()
    await world.schedule()
    for (let n = 0; n < 3; n += 1) await world.build(agent)
    await world.builds.assignWork(agent)
    await world.build(other)
    const building = await world.builds.assignWork(anAgent('a3'))
    world.events = []

    const cancelled = await world.builds.cancelStage({ pipeline: 'APP', stage: 'Test' })

    expect(cancelled).toMatchObject({ pipelineCounter: 2 })
    const after = await world.builds.stageInstance({ ...run, pipelineCounter: 2 })
    expect(after).toMatchObject({ state: 'Cancelled', result: 'Cancelled', active: false })
    expect(new Set(after?.jobs.map(({ state }) => state))).toEqual(new Set(['Completed']))
    expect(world.events.map(({ type }) => type)).toContain('stage-finished')
    expect(world.events).toContainEqual({
      type: 'job-stopped',
      jobId: building?.id,
      agentUuid: 'a3',
    })
    expect(
      await world.builds.stageInstance({ ...run, pipelineCounter: 2, stage: 'next' }),
    ).toBeNull()
  })

  it('keeps the result of a job that is over', async () => {
    await using world = await BuildsWorld.open(aPipeline({ stages: [aStage({ jobs })] }))
    await world.schedule()
    await world.build(agent, 'Failed')

    await world.builds.cancelStage(run)

    const { jobs: after } = (await world.builds.stageInstance(run)) ?? {}
    expect(after?.map(({ result }) => result)).toEqual(['Failed', 'Cancelled', 'Cancelled'])
  })

  it('is null for a stage that is not active, and changes nothing', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    await world.schedule()
    await world.build(agent)

    expect(await world.builds.cancelStage(run)).toBeNull()
    expect(await world.builds.cancelStage({ pipeline: 'app', stage: 'none' })).toBeNull()
    expect(await world.builds.stageInstance(run)).toMatchObject({ result: 'Passed' })
  })

  it('makes later reports of the job count for nothing', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    await world.schedule()
    const job = await world.builds.assignWork(agent)
    await world.builds.cancelStage(run)

    const told = { agentUuid: 'a1', jobId: job?.id ?? 0 }
    const after = await world.builds.reportJob({
      ...told,
      report: { state: 'Completed', result: 'Passed' },
    })

    expect(after).toMatchObject({ state: 'Completed', result: 'Cancelled' })
  })

  it('takes waiting jobs out of the queue', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    await world.schedule()

    await world.builds.cancelStage(run)

    expect(await world.builds.assignWork(agent)).toBeNull()
    await world.restart()
    expect(await world.builds.assignWork(agent)).toBeNull()
  })

  it('of one job leaves the others alone, and happens once', async () => {
    await using world = await BuildsWorld.open(aPipeline({ stages: [aStage({ jobs })] }))
    await world.schedule()
    const job = await world.builds.assignWork(agent)

    expect(await world.builds.cancelJob(job?.id ?? 0)).toBe(true)
    expect(await world.builds.cancelJob(job?.id ?? 0)).toBe(false)
    expect(await world.builds.stageInstance(run)).toMatchObject({ active: true })
  })

  it('by removing the pipeline from the configuration ends what is in progress of it', async () => {
    await using world = await BuildsWorld.open(aPipeline(), aPipeline({ name: 'stays' }))
    await world.schedule('app')
    await world.schedule('stays')
    world.pipelines = world.pipelines.slice(1)

    const cancelled = await world.builds.cancelRemoved()

    expect(cancelled.map(({ pipelineName }) => pipelineName)).toEqual(['app'])
    expect(await world.builds.activeStages()).toMatchObject([{ pipelineName: 'stays' }])
    expect(await world.builds.cancelRemoved()).toEqual([])
  })
})
