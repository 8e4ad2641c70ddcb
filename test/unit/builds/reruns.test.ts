import { describe, expect, it } from 'vitest'
import { aJob, anAgent, aPipeline, aStage, BuildsWorld } from '../../support/builds/builds.ts'

const agent = anAgent('a1')

const run = { pipeline: 'app', pipelineCounter: 1, stage: 'test', stageCounter: 1 }

describe('a rerun of some jobs', () => {
  const jobs = ['unit', 'lint', 'docs'].map((name) => aJob({ name }))
  const request = { ...run, approvedBy: 'bo', jobs: ['LINT'] }

  async function finished(): Promise<BuildsWorld> {
    const world = await BuildsWorld.open(aPipeline({ stages: [aStage({ jobs })] }))
    await world.schedule()
    await world.build(agent)
    await world.build(agent, 'Failed')
    await world.build(agent)
    return world
  }

  it('runs them and carries the others over, with everything that happened to them', async () => {
    await using world = await finished()
    const before = await world.builds.stageInstance(run)

    const stage = await world.builds.rerunJobs(request)
    const after = await world.builds.stageInstance({ ...run, stageCounter: 2 })

    expect(stage).toMatchObject({ counter: 2, approvedBy: 'bo', rerunOfCounter: 1 })
    expect(after?.jobs).toMatchObject([
      { name: 'unit', rerun: false, originalJobId: before?.jobs[0]?.id, result: 'Passed' },
      { name: 'lint', rerun: true, originalJobId: null, state: 'Scheduled', agentUuid: null },
      { name: 'docs', rerun: false, originalJobId: before?.jobs[2]?.id, result: 'Passed' },
    ])
    const [old, copy] = [before?.jobs[0], after?.jobs[0]]
    expect(copy?.transitions.map(({ state, time }) => [state, time])).toEqual(
      old?.transitions.map(({ state, time }) => [state, time]),
    )
    expect(copy?.scheduledDate).toBe(old?.scheduledDate)
    const ids = [old, copy].flatMap((job) => job?.transitions.map(({ id }) => id) ?? [])
    expect(new Set(ids).size).toBe(12)
  })

  it('ends with the result of all jobs, and names the first run however often it is repeated', async () => {
    await using world = await finished()
    const original = await world.builds.stageInstance(run)

    await world.builds.rerunJobs(request)
    await world.build(agent)
    await world.builds.rerunJobs({ ...request, stageCounter: 2, jobs: ['docs'] })
    await world.build(agent)

    const third = await world.builds.stageInstance({ ...run, stageCounter: 3 })
    expect(third).toMatchObject({ result: 'Passed', stage: { rerunOfCounter: 1, counter: 3 } })
    expect(third?.jobs[0]?.originalJobId).toBe(original?.jobs[0]?.id)
  })

  it('shows an agent the jobs it ran, and no copies of them', async () => {
    await using world = await finished()

    await world.builds.rerunJobs(request)
    await world.build(agent)

    const { items } = await world.builds.jobRunHistory('a1', 0)
    expect(items.map(({ name }) => name)).toEqual(['lint', 'docs', 'lint', 'unit'])
  })

  it.each([
    { why: 'no job is to run', change: { jobs: [] } },
    { why: 'a job is unknown', change: { jobs: ['unit', 'none'] } },
  ])('is refused when $why', async ({ change }) => {
    await using world = await finished()

    await expect(world.builds.rerunJobs({ ...request, ...change })).rejects.toMatchObject({
      code: 'not-schedulable',
    })
  })

  it('is refused while the run is in progress', async () => {
    await using world = await finished()
    await world.builds.rerunJobs(request)

    await expect(world.builds.rerunJobs(request)).rejects.toMatchObject({ code: 'not-schedulable' })
  })

  it('is refused for a job that the configuration no longer has', async () => {
    await using world = await finished()
    world.pipelines = [aPipeline({ stages: [aStage({ jobs: [aJob({ name: 'unit' })] })] })]

    await expect(world.builds.rerunJobs(request)).rejects.toMatchObject({ code: 'not-schedulable' })
  })

  it('is refused for a run that does not exist', async () => {
    await using world = await finished()

    await expect(world.builds.rerunJobs({ ...request, stageCounter: 9 })).rejects.toMatchObject({
      code: 'stage-not-found',
    })
  })
})
