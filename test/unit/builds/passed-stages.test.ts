import { describe, expect, it } from 'vitest'
import { renderUpstream } from '../../../src/builds/engine/upstream-revision.ts'
import { PassedStages } from '../../../src/builds/triggers/passed-stages.ts'
import { aPipeline, anAgent, aStage, BuildsWorld } from '../../support/builds/builds.ts'

const NAME = { pipeline: 'App', stage: 'TEST' }
const AGENT = anAgent('a1')

async function open() {
  const world = await BuildsWorld.open(aPipeline({ stages: [aStage(), aStage({ name: 'ship' })] }))
  const passed = new PassedStages(world.builds)
  world.builds.onEvent((event) => passed.note(event))
  return { world, passed }
}

async function revisionIn(passed: PassedStages): Promise<string | null> {
  const stage = await passed.newest(NAME)
  return stage && renderUpstream(stage)
}

describe('the newest run of a stage that passed', () => {
  it('is none before one has passed, and is known as soon as it has', async () => {
    const { world, passed } = await open()
    await using _ = world
    await world.schedule()
    await world.build(AGENT, 'Failed')
    expect(await revisionIn(passed)).toBe(null)

    await world.schedule()
    await world.build(AGENT)

    expect(await revisionIn(passed)).toBe('app/2/test/1')
  })

  it('is found below any number of failures', async () => {
    const { world } = await open()
    await using _ = world
    await world.schedule()
    await world.build(AGENT)
    await world.builds.cancelStage({ pipeline: 'app', stage: 'ship' })
    for (let run = 0; run < 12; run += 1) {
      await world.schedule()
      await world.build(AGENT, 'Failed')
    }

    expect(await revisionIn(new PassedStages(world.builds))).toBe('app/1/test/1')
  })

  it('stays the newer one when an older one ends after it', async () => {
    const { world, passed } = await open()
    await using _ = world
    await world.schedule()
    await world.schedule()
    expect(await revisionIn(passed)).toBe(null)
    const older = await world.builds.assignWork(AGENT)
    await world.build(anAgent('a2'))
    expect(await revisionIn(passed)).toBe('app/2/test/1')

    const report = { state: 'Completed', result: 'Passed' } as const
    await world.builds.reportJob({ agentUuid: 'a1', jobId: older?.id ?? 0, report })

    expect(await revisionIn(passed)).toBe('app/2/test/1')
  })

  it('is read anew when it could not be read while a run passed', async () => {
    const { world } = await open()
    await using _ = world
    await world.schedule()
    const broken = new PassedStages({
      stages: async (...asked) => {
        const found = await world.builds.stages(...asked)
        if (passing === null) return found
        await passing
        throw new Error('the database went away')
      },
    })
    world.builds.onEvent((event) => broken.note(event))
    let passing: Promise<unknown> | null = world.build(AGENT)

    await expect(broken.newest(NAME)).rejects.toThrow('the database went away')
    passing = null

    expect(await revisionIn(broken)).toBe('app/1/test/1')
  })

  it('is the new run of a stage that passes again', async () => {
    const { world, passed } = await open()
    await using _ = world
    await world.schedule()
    await world.build(AGENT)
    await world.builds.cancelStage({ pipeline: 'app', stage: 'ship' })
    expect(await revisionIn(passed)).toBe('app/1/test/1')

    const again = { pipeline: 'app', counter: 1, stage: 'test', approvedBy: 'ana' }
    await world.builds.scheduleStage(again)
    await world.build(AGENT)

    expect(await revisionIn(passed)).toBe('app/1/test/2')
  })
})
