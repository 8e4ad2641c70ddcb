import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/core/errors.ts'
import { anAgent, aPipeline, aStage, BuildsWorld } from '../../support/builds/builds.ts'

/** The expected state of the pipeline, whatever happens. */
interface Model {
  isPaused: boolean
  /** Runs so far. */
  runs: number
}

type Deed = (world: BuildsWorld, model: Model) => Promise<void>

const PLAN = aPipeline({
  stages: [
    aStage({ name: 'test' }),
    aStage({ name: 'package' }),
    aStage({ name: 'ship', approvalType: 'manual' }),
  ],
})

/** The code of the refusal, or null. */
async function refusalOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof ServiceError) return error.code
    throw error
  }
}

const deeds: Record<string, Deed> = {
  pause: async (world, model) => {
    await world.builds.pausePipeline({ pipeline: 'APP', by: 'ana', cause: 'why' })
    model.isPaused = true
  },
  unpause: async (world, model) => {
    expect(await world.builds.unpausePipeline('app')).toBe(model.isPaused)
    model.isPaused = false
  },
  schedule: async (world, model) => {
    const refusal = await refusalOf(() => world.schedule())
    expect(refusal).toBe(model.isPaused ? 'pipeline-paused' : null)
    if (refusal === null) model.runs += 1
  },
  'run the last stage': async (world, model) => {
    if (model.runs === 0) return
    const run = { pipeline: 'app', counter: model.runs, stage: 'ship', approvedBy: 'ana' }
    const refusal = await refusalOf(() => world.builds.scheduleStage(run))
    if (model.isPaused) expect(['pipeline-paused', 'not-schedulable']).toContain(refusal)
    else expect(refusal).not.toBe('pipeline-paused')
  },
  build: async (world) => {
    const active = await world.builds.withJobs(await world.builds.activeStages())
    const [next] = active.flatMap(({ jobs }) => jobs).filter(({ state }) => state === 'Scheduled')
    if (!next) return
    const done = await world.build(anAgent('a1'))
    const { pipelineName: pipeline, pipelineCounter: counter, stageName } = done
    const run = await world.builds.pipelineInstance({ pipeline, counter })
    // What follows by itself does so, paused or not.
    if (stageName === 'test') expect(run?.stages.map(({ name }) => name)).toContain('package')
  },
  remove: async (world, model) => {
    world.pipelines = []
    await world.builds.forgetPauses()
    world.pipelines = [PLAN]
    model.isPaused = false
  },
  'keep what is there': (world) => world.builds.forgetPauses(),
  restart: (world) => world.restart(),
}

describe('a pipeline that is paused and unpaused in any order', () => {
  it('starts a run when, and only when, it is not paused', { timeout: 60_000 }, async () => {
    const names = fc.array(fc.constantFrom(...Object.keys(deeds)), { maxLength: 30 })

    await fc.assert(
      fc.asyncProperty(names, async (chosen) => {
        await using world = await BuildsWorld.open(PLAN)
        const model: Model = { isPaused: false, runs: 0 }

        for (const name of chosen) {
          await deeds[name]?.(world, model)
          const status = await world.builds.pipelineStatus('app')
          expect(status?.pause !== null).toBe(model.isPaused)
          expect(status?.obstacle !== null).toBe(model.isPaused)
        }

        const { pagination } = await world.builds.pipelineHistory('app', 0)
        expect(pagination.total).toBe(model.runs)
        expect(await world.problems()).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})
