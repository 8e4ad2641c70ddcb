import { describe, expect, it } from 'vitest'
import { aJob, anAgent, aStage, BuildsWorld } from '../../support/builds/builds.ts'
import { THREE_STAGES } from '../../support/builds/three-stages.ts'

const agent = anAgent('a1')

describe('a pipeline with a lock', () => {
  const locked = { ...THREE_STAGES, locking: true }

  it('has one run at a time, until its last stage is over', async () => {
    await using world = await BuildsWorld.open(locked)
    await world.schedule()

    await expect(world.schedule()).rejects.toMatchObject({ code: 'pipeline-locked' })
    await world.build(agent)
    await world.build(agent)
    await expect(world.schedule()).rejects.toMatchObject({ code: 'pipeline-locked' })
    expect(await world.builds.lockedBy('APP')).toBe(1)
    await world.builds.scheduleStage({
      pipeline: 'app',
      counter: 1,
      stage: 'release',
      approvedBy: 'bo',
    })
    await world.build(agent, 'Failed')

    expect(await world.builds.lockedBy('app')).toBeNull()
    expect(await world.schedule()).toMatchObject({ counter: 2 })
  })

  it('keeps the lock of a run that failed until it is released by hand', async () => {
    await using world = await BuildsWorld.open(locked)
    await world.schedule()
    await world.build(agent, 'Failed')

    expect(await world.builds.unlockPipeline('other')).toBe(null)
    expect(await world.builds.unlockPipeline('APP')).toBe(1)
    expect(await world.schedule()).toMatchObject({ counter: 2 })
  })

  it('does not let an older run start a stage beside the one that holds the lock', async () => {
    await using world = await BuildsWorld.open(locked)
    await world.schedule()
    await world.build(agent, 'Failed')
    await world.builds.unlockPipeline('app')
    await world.schedule()

    const again = { pipeline: 'app', counter: 1, stage: 'test', approvedBy: 'bo' }

    await expect(world.builds.scheduleStage(again)).rejects.toMatchObject({
      code: 'pipeline-locked',
    })
  })
})

describe('a pipeline that unlocks when it is finished', () => {
  const finishing = { ...THREE_STAGES, locking: true, unlocksWhenFinished: true }

  it('has one run at a time while that goes on by itself', async () => {
    await using world = await BuildsWorld.open(finishing)
    await world.schedule()
    await world.build(agent)

    await expect(world.schedule()).rejects.toMatchObject({ code: 'pipeline-locked' })
  })

  it('gives the lock back after a failure', async () => {
    await using world = await BuildsWorld.open(finishing)
    await world.schedule()
    await world.build(agent, 'Failed')

    expect(await world.builds.lockedBy('app')).toBeNull()
    expect(await world.schedule()).toMatchObject({ counter: 2 })
  })

  it('gives it back when it is cancelled', async () => {
    await using world = await BuildsWorld.open(finishing)
    await world.schedule()
    await world.builds.cancelStage({ pipeline: 'app', stage: 'test' }, 'ana')

    expect(await world.builds.lockedBy('app')).toBeNull()
  })

  it('gives it back before a stage that somebody has to start, which takes it again', async () => {
    await using world = await BuildsWorld.open(finishing)
    await world.schedule()
    await world.build(agent)
    await world.build(agent)
    expect(await world.builds.lockedBy('app')).toBeNull()

    const release = { pipeline: 'app', counter: 1, stage: 'release', approvedBy: 'bo' }
    await world.builds.scheduleStage(release)

    expect(await world.builds.lockedBy('app')).toBe(1)
    await world.build(agent)
    expect(await world.builds.lockedBy('app')).toBeNull()
  })

  it('gives it back when the next stage cannot begin', async () => {
    const everywhere = aStage({ name: 'package', jobs: [aJob({ spread: { type: 'on-all' } })] })
    const [first = aStage()] = finishing.stages
    await using world = await BuildsWorld.open({ ...finishing, stages: [first, everywhere] })
    await world.schedule()
    await world.build(agent)

    expect(await world.builds.lockedBy('app')).toBeNull()
  })
})
