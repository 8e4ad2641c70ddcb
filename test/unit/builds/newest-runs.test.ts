import { expect, it } from 'vitest'
import { NewestRuns } from '../../../src/builds/runs/newest-runs.ts'
import { aPipeline, anAgent, aStage, BuildsWorld } from '../../support/builds/builds.ts'

const AGENT = anAgent('a1')
const TWO_STAGES = aPipeline({
  stages: [aStage({ name: 'test' }), aStage({ name: 'release', approvalType: 'manual' })],
})

/** A line about the newest run: its number, and each stage with its result. */
async function standing(newest: NewestRuns, pipeline = 'app'): Promise<string | null> {
  const found = await newest.of(pipeline)
  if (found === null) return null
  const stages = found.stages.map(({ stage, result }) => `${stage.name} ${result}`)
  return [found.run.counter, ...stages].join(', ')
}

it('the newest run of a pipeline follows all that happens to it', async () => {
  await using world = await BuildsWorld.open(TWO_STAGES, aPipeline({ name: 'lib' }))
  const newest = new NewestRuns(world.builds)
  const seen = [await standing(newest)]

  await world.schedule()
  seen.push(await standing(newest))
  await world.build(AGENT)
  seen.push(await standing(newest))
  const request = { pipeline: 'app', counter: 1, stage: 'release', approvedBy: 'ana' }
  await world.builds.scheduleStage(request)
  seen.push(await standing(newest))
  await world.build(AGENT, 'Failed')
  seen.push(await standing(newest))
  await world.schedule()
  seen.push(await standing(newest))

  expect(seen).toEqual([
    null,
    '1, test Unknown',
    '1, test Passed',
    '1, test Passed, release Unknown',
    '1, test Passed, release Failed',
    '2, test Unknown',
  ])
  expect(await standing(newest, 'lib')).toBeNull()
})

it('a newest run that has ended is not read again', async () => {
  await using world = await BuildsWorld.open(TWO_STAGES)
  const newest = new NewestRuns(world.builds)
  await world.schedule()
  const active = await newest.of('app')
  await world.build(AGENT)
  const ended = await newest.of('app')

  expect(await newest.of('APP')).toBe(ended)
  expect(ended).not.toBe(active)
})
