// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BUILD_KINDS, JOB, JobInstance, PIPELINE } from '../../../src/builds/engine/documents.ts'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'
import type { StateStore } from '../../../src/state/state-store.ts'
import { buildProblems } from '../../support/builds/build-problems.ts'
import { casesOf } from '../../support/programs/all-cases.ts'
import { bundled } from '../../support/programs/bundle.ts'

const BUILDER = new URL('./builder.ts', import.meta.url)
const KILLS = casesOf({ all: 50, mostly: 30 })
/** More runs than these were acknowledged: how many come of a kill depends on how fast the machine is. */
const RUNS = 20
const MAX_STEPS = 40

const Step = z.union([z.object({ counter: z.int() }), z.object({ job: JobInstance })])
type Step = z.infer<typeof Step>

/** The steps that a builder acknowledged before it was killed, at once after the last one that is awaited. */
async function stepsUntilKilled(file: string, awaited: number): Promise<Step[]> {
  const builder = spawn(process.execPath, [bundled(BUILDER), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(builder, 'close')
  const steps: Step[] = []
  for await (const line of createInterface(builder.stdout)) {
    if (!line.endsWith('}')) break
    steps.push(Step.parse(JSON.parse(line)))
    if (steps.length === awaited) builder.kill('SIGKILL')
  }
  await ended
  return steps
}

/** A later step of a job has the transitions of the earlier ones. */
async function lostSteps(store: StateStore, steps: readonly Step[]): Promise<Step[]> {
  const lost: Step[] = []
  for (const step of steps) {
    const there =
      'counter' in step ? await hasRun(store, step.counter) : await hasJob(store, step.job)
    if (!there) lost.push(step)
  }
  return lost
}

async function hasRun(store: StateStore, counter: number): Promise<boolean> {
  return (await store.find(PIPELINE, `app/${counter}`)) !== null
}

async function hasJob(store: StateStore, job: JobInstance): Promise<boolean> {
  const stored = await store.find(JOB, `${job.id}`)
  const known = new Map(stored?.transitions.map(({ id, state }) => [id, state]))
  return job.transitions.every(({ id, state }) => known.get(id) === state)
}

describe('builds whose server is killed at any moment', () => {
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-crash-'))
  })

  afterEach(() => {
    rmSync(folder, { recursive: true })
  })

  it(
    `have everything that was acknowledged, and no number twice, after ${KILLS} kills and ${RUNS} runs`,
    { timeout: 180_000 },
    async () => {
      const file = join(folder, 'state.db')
      const counters: number[] = []
      for (let kill = 0; kill < KILLS || counters.length <= RUNS; kill += 1) {
        const steps = await stepsUntilKilled(file, 1 + ((kill * 17) % MAX_STEPS))
        await using store = await openSqliteState(file)
        expect(await lostSteps(store, steps)).toEqual([])
        counters.push(...steps.flatMap((step) => ('counter' in step ? [step.counter] : [])))
      }

      await using store = await openSqliteState(file)

      expect(counters).toEqual([...new Set(counters)].toSorted((a, b) => a - b))
      expect(await buildProblems(store)).toEqual([])
      expect(await store.check(BUILD_KINDS)).toEqual([])
    },
  )
})
