import { expect, it } from 'vitest'
import type { KnownAgent } from '../../../src/agents/known-agent.ts'
import { WaitingJobs } from '../../../src/builds/dispatch/waiting-jobs.ts'
import type { JobInstance } from '../../../src/builds/engine/documents.ts'
import type { JobSpread } from '../../../src/core/builds/assignment.ts'
import { aJob, anAgent, aPipeline, aStage, BuildsWorld } from '../../support/builds/builds.ts'

/** A list that notes how often it, or what is made of it, is filtered. */
class NotedList<Item> extends Array<Item> {
  static walks = 0

  override filter(...given: Parameters<Item[]['filter']>): Item[] {
    NotedList.walks += 1
    return super.filter(...given)
  }
}

/** Agents without work that note how often somebody looks at them. */
function agentsNoted(uuids: readonly string[], looks: string[] = []): readonly KnownAgent[] {
  const agents = uuids.map((uuid) => ({
    uuid,
    get condition() {
      looks.push(uuid)
      return { configStatus: 'Enabled', runtimeStatus: 'Idle' } as const
    },
    record: null,
    configured: null,
    heard: null,
  }))
  return NotedList.from(agents)
}

/** The jobs of a stage that has just begun. */
async function jobsSpread(
  spread: JobSpread,
  agents: readonly string[],
): Promise<readonly JobInstance[]> {
  const stages = [aStage({ jobs: [aJob({ spread, resources: [] })] })]
  await using world = await BuildsWorld.open(aPipeline({ stages }))
  world.agents = agents.map((uuid) => anAgent(uuid))
  await world.schedule()
  const run = { pipeline: 'app', pipelineCounter: 1, stage: 'test', stageCounter: 1 }
  return (await world.builds.stageInstance(run))?.jobs ?? []
}

function explained(jobs: readonly JobInstance[], agents: readonly KnownAgent[]): string[] {
  const waiting = new WaitingJobs({
    builds: { queue: () => [], queuedOf: () => [] },
    pipelines: { environmentsOf: () => [] },
    directory: { list: () => agents },
    clock: Date.now,
  })
  return [...waiting.explain(jobs).values()].map(({ reason }) => reason)
}

it('looks at each agent once, however many jobs wait', async () => {
  const uuids = ['a1', 'a2', 'a3']
  const jobs = await jobsSpread({ type: 'instances', count: 200 }, uuids)
  const looks: string[] = []

  const reasons = explained(jobs, agentsNoted(uuids, looks))

  expect(reasons).toEqual(jobs.map(() => 'all 3 agents that could take it are idle'))
  expect(looks).toEqual(uuids)
})

it('finds the one agent that a job is for without a walk through all', async () => {
  const uuids = ['a1', 'a2', 'a3', 'a4']
  const jobs = await jobsSpread({ type: 'on-all' }, uuids)
  NotedList.walks = 0

  const reasons = explained(jobs, agentsNoted(uuids))

  expect(reasons).toEqual(uuids.map(() => 'the one agent that could take it is idle'))
  expect(NotedList.walks).toBe(0)
})
