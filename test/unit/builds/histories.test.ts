import { describe, expect, it } from 'vitest'
import { aJob, anAgent, aPipeline, aStage, BuildsWorld } from '../../support/builds/builds.ts'

const agent = anAgent('a1')

const other = anAgent('a2')

describe('the histories', () => {
  it('are pages of ten, newest first, with the true total', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    for (let n = 0; n < 12; n += 1) {
      await world.schedule()
      await world.build(agent)
    }
    const name = { pipeline: 'app', stage: 'test' }

    const [first, second, beyond] = [
      await world.builds.stageHistory(name, 0),
      await world.builds.stageHistory(name, 10),
      await world.builds.stageHistory(name, 50),
    ]

    expect(first.items.map(({ stage }) => stage.pipelineCounter)).toEqual([
      12, 11, 10, 9, 8, 7, 6, 5, 4, 3,
    ])
    expect(second.items.map(({ stage }) => stage.pipelineCounter)).toEqual([2, 1])
    expect(second.items[0]?.jobs).toMatchObject([{ name: 'unit', result: 'Passed' }])
    expect(beyond).toEqual({ items: [], pagination: { offset: 50, total: 12, pageSize: 10 } })
    const jobs = await world.builds.jobRunHistory('a1', 10)
    expect(jobs.pagination).toEqual({ offset: 10, total: 12, pageSize: 10 })
    expect(jobs.items.map(({ pipelineCounter }) => pipelineCounter)).toEqual([2, 1])
    const pipelines = await world.builds.pipelineHistory('app', 11)
    expect(pipelines.items.map(({ counter }) => counter)).toEqual([1])
  })

  it('of an agent are in the order in which its jobs ended', async () => {
    await using world = await BuildsWorld.open(
      aPipeline({ stages: [aStage({ jobs: [aJob({ name: 'one' }), aJob({ name: 'two' })] })] }),
    )
    await world.schedule()
    const first = await world.builds.assignWork(agent)
    await world.build(other)
    await world.builds.cancelJob(first?.id ?? 0)
    await world.schedule()
    await world.build(agent)

    const { items } = await world.builds.jobRunHistory('a1', 0)

    expect(items.map(({ name, result }) => `${name} ${result}`)).toEqual([
      'one Passed',
      'one Cancelled',
    ])
  })
})
