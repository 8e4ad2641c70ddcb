import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/core/errors.ts'
import { aJob, anAgent, aPipeline, aStage, BuildsWorld } from '../../support/builds/builds.ts'

const AGENTS = ['a1', 'a2', 'a3']
const STAGES = ['test', 'package']
const agent = fc.constantFrom(...AGENTS)
const stage = fc.constantFrom(...STAGES)
const small = fc.integer({ min: 1, max: 3 })
const result = fc.constantFrom('Passed' as const, 'Failed' as const, 'Cancelled' as const)
const report = fc.oneof(
  fc.record({ state: fc.constantFrom('Preparing' as const, 'Building' as const) }),
  fc.record({ state: fc.constantFrom('Completing' as const, 'Completed' as const), result }),
)

type Deed = (world: BuildsWorld) => Promise<unknown>

const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.constant<Deed>((world) => world.schedule()),
  agent.map(
    (uuid): Deed =>
      (world) =>
        world.builds.assignWork(anAgent(uuid)),
  ),
  fc.record({ agentUuid: agent, jobId: fc.integer({ min: 1, max: 20 }), report }).map(
    (told): Deed =>
      (world) =>
        world.builds.reportJob(told),
  ),
  agent.map((uuid): Deed => async (world) => {
    if ((await world.builds.activeStages()).length > 0) await world.build(anAgent(uuid))
  }),
  stage.map(
    (name): Deed =>
      (world) =>
        world.builds.cancelStage({ pipeline: 'app', stage: name }),
  ),
  fc.integer({ min: 1, max: 20 }).map(
    (id): Deed =>
      (world) =>
        world.builds.cancelJob(id),
  ),
  fc.integer({ min: 1, max: 20 }).map(
    (id): Deed =>
      (world) =>
        world.builds.failJob(id),
  ),
  fc.subarray(AGENTS).map(
    (live): Deed =>
      (world) =>
        world.builds.rescheduleLost(new Set(live)),
  ),
  fc.record({ counter: small, stage }).map(
    (run): Deed =>
      (world) =>
        world.builds.scheduleStage({ ...run, pipeline: 'app', approvedBy: 'ana' }),
  ),
  fc
    .record({
      pipelineCounter: small,
      stage,
      stageCounter: small,
      jobs: fc.subarray(['one', 'two'], { minLength: 1 }),
    })
    .map(
      (run): Deed =>
        (world) =>
          world.builds.rerunJobs({ ...run, pipeline: 'app', approvedBy: 'ana' }),
    ),
)

/** Ignores errors of the caller; any other error is thrown. */
async function attempt(world: BuildsWorld, act: Deed): Promise<void> {
  try {
    await act(world)
  } catch (error) {
    const refused = error instanceof ServiceError && error.code !== 'unavailable'
    const idle = error instanceof Error && error.message.startsWith('no work for')
    if (!refused && !idle) throw error
  }
}

describe('builds', () => {
  it('agree with their jobs after anything in any order', { timeout: 60_000 }, async () => {
    const jobs = [aJob({ name: 'one' }), aJob({ name: 'two' })]
    const plan = aPipeline({ stages: STAGES.map((name) => aStage({ name, jobs })) })
    const deeds = fc.array(fc.array(deed, { maxLength: 4 }), { maxLength: 25 })

    await fc.assert(
      fc.asyncProperty(deeds, fc.boolean(), async (turns, restarts) => {
        await using world = await BuildsWorld.open(plan)

        for (const turn of turns) await Promise.all(turn.map((act) => attempt(world, act)))
        if (restarts) await world.restart()

        expect(await world.problems()).toEqual([])
        const { stored, given } = await waitingJobs(world)
        expect(given.toSorted(byNumber)).toEqual(stored)
      }),
      { numRuns: 40 },
    )
  })
})

/** The jobs that wait, by the store and by the queue. */
async function waitingJobs(world: BuildsWorld) {
  const runs = await world.builds.withJobs(await world.builds.activeStages())
  const stored = runs.flatMap(({ jobs }) => jobs.filter(({ state }) => state === 'Scheduled'))
  const given: number[] = []
  for (;;) {
    const job = await world.builds.assignWork(anAgent(`fresh-${given.length}`))
    if (!job) return { stored: stored.map(({ id }) => id).toSorted(byNumber), given }
    given.push(job.id)
  }
}

function byNumber(a: number, b: number): number {
  return a - b
}
