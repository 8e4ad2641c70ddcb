import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LogEvent } from '../../../src/lib/log.ts'
import { RunningJobs } from '../../../src/builds/dispatch/running-jobs.ts'
import { SilentJobs } from '../../../src/builds/dispatch/silent-jobs.ts'
import { aConfiguration, element } from '../../support/documents/a-configuration.ts'
import { A_CONFIGURATION, effectiveConfiguration } from '../../support/builds/build-facts.ts'
import { anAgent, aPipeline, BuildsWorld } from '../../support/builds/builds.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const MINUTE_MS = 60_000

interface Given {
  readonly timeout?: number
  readonly jobTimeout?: number
  /** The timeout of the earlier configuration that the job is made from. */
  readonly earlier?: number
}

function pipelineWith({ timeout, jobTimeout }: Given) {
  const configuration = effectiveConfiguration(
    aConfiguration({
      ...(jobTimeout === undefined ? {} : { server: element('server', { jobTimeout }) }),
      pipelines: [{ name: 'app', stages: [{ name: 'test', jobs: [{ attributes: { timeout } }] }] }],
    }),
  )
  const [group] = configuration.groups
  const [pipeline] = group?.pipelines ?? []
  if (!group || !pipeline) throw new Error('no pipeline')
  return { configuration, found: { group: group.name, pipeline } }
}

/** A job that an agent took at minute 0, and a clock. */
async function scene({ earlier, ...now }: Given) {
  const root = tempDir()
  const world = await BuildsWorld.open(aPipeline())
  const logged: LogEvent[] = []
  let minutes = 0
  const clock = () => minutes * MINUTE_MS
  const { configuration, found } = pipelineWith(now)
  const former = {
    plan: { configuration: A_CONFIGURATION, plan: aPipeline(), environments: [] },
    ...(earlier === undefined ? found : pipelineWith({ timeout: earlier }).found),
    environments: [],
    jobTimeout: null,
  }
  const running = new RunningJobs({ root, clock, uptime: clock, onSize: () => undefined })
  const silent = new SilentJobs({
    builds: world.builds,
    pipelines: { configuration, find: () => found, environmentsOf: () => [] },
    former: { read: async () => former },
    running,
    uptime: clock,
    log: (event) => logged.push(event),
  })
  await world.builds.schedulePipeline({
    pipeline: 'app',
    approvedBy: 'changes',
    revisions: [],
    ...(earlier !== undefined && { former: former.plan }),
  })
  const job = await world.builds.assignWork(anAgent('a1'))
  if (!job) throw new Error('no work')
  running.add(job, { agentUuid: 'a1', instance: 'i' })
  return {
    silent,
    logged,
    hear: () => running.recordContact(job.id),
    wait: (more: number) => (minutes += more),
    result: async () => (await world.builds.job(job.id))?.result,
    blockConsole: () => {
      mkdirSync(join(root, 'app/1/test/1/unit'), { recursive: true })
      writeFileSync(join(root, 'app/1/test/1/unit/cruise-output'), '')
    },
    console: () => readFileSync(join(root, 'app/1/test/1/unit/cruise-output/console.log'), 'utf8'),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

describe('a job that writes nothing', () => {
  it('is cancelled after its timeout, with a note in its console', async () => {
    await using job = await scene({ timeout: 1 })

    job.wait(1)
    await job.silent.cancelOverdue()
    expect(await job.result()).toBe('Unknown')
    job.wait(1)
    await job.silent.cancelOverdue()

    expect(await job.result()).toBe('Cancelled')
    expect(job.console()).toContain('The job wrote nothing for 1 minute and is cancelled')
    expect(job.logged).toMatchObject([{ facts: { job: 'app/1/test/1/unit' } }])
  })

  it('is cancelled where its console cannot be written, which is logged', async () => {
    await using job = await scene({ timeout: 2 })
    job.blockConsole()

    job.wait(3)
    await job.silent.cancelOverdue()

    expect(await job.result()).toBe('Cancelled')
    expect(job.logged.map(({ message }) => message)).toEqual([
      'The console of a job cannot be written',
      'The job wrote nothing for 2 minutes and is cancelled',
    ])
  })

  it('is cancelled after the timeout of the server when it has none', async () => {
    await using job = await scene({ jobTimeout: 10 })

    job.wait(11)
    await job.silent.cancelOverdue()

    expect(await job.result()).toBe('Cancelled')
  })

  it('is cancelled by the timeout of the configuration that it is made from', async () => {
    await using job = await scene({ timeout: 1, earlier: 5 })

    job.wait(5)
    await job.silent.cancelOverdue()
    expect(await job.result()).toBe('Unknown')
    job.wait(1)
    await job.silent.cancelOverdue()

    expect(await job.result()).toBe('Cancelled')
  })

  it.each([{}, { timeout: 0, jobTimeout: 1 }])('goes on for ever with %o', async (given) => {
    await using job = await scene(given)

    job.wait(10_000)
    await job.silent.cancelOverdue()

    expect(await job.result()).toBe('Unknown')
  })

  it('is not silent any more when something is heard of it', async () => {
    await using job = await scene({ timeout: 2 })

    job.wait(2)
    job.hear()
    job.wait(2)
    await job.silent.cancelOverdue()

    expect(await job.result()).toBe('Unknown')
  })

  it('is told to operators from the fifth minute on', async () => {
    await using job = await scene({})

    job.wait(4)
    expect(job.silent.problems()).toEqual([])
    job.wait(3)
    expect(job.silent.problems()).toEqual([
      {
        subject: 'The job app/1/test/1/unit has written nothing for 7 minutes',
        errors: [],
        pipelines: ['app'],
      },
    ])
    job.hear()
    expect(job.silent.problems()).toEqual([])
  })
})
