import { describe, expect, it } from 'vitest'
import { Digest } from '../../../src/core/digest.ts'
import { CommitSha } from '../../../src/core/revision.ts'
import { aJob, anAgent, aPipeline, aStage, BuildsWorld } from '../../support/builds/builds.ts'

const agent = anAgent('a1')
const RUN = { pipeline: 'app', pipelineCounter: 1, stage: 'test', stageCounter: 1 }
const MACHINE = {
  hostname: 'box',
  operatingSystem: 'Linux 6',
  version: '1.0.0',
  resources: ['linux'],
  environments: [],
  tools: [],
}
const MAKE = { name: 'make', path: '/usr/bin/make', size: 1, modifiedAt: 5 }

describe('the record of a run of a stage', () => {
  it('names the run that had passed last, of an older run too, or the attempt before it', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    const passedBefore = async (pipelineCounter: number, stageCounter = 1) =>
      (await world.builds.stageInstance({ ...RUN, pipelineCounter, stageCounter }))?.stage
        .passedBefore
    await world.schedule()
    await world.build(agent)
    await world.schedule()
    await world.build(agent, 'Failed')
    await world.schedule()
    await world.build(agent, 'Failed')
    const again = { pipeline: 'app', counter: 3, stage: 'test', approvedBy: 'bo' }
    await world.builds.scheduleStage(again)
    await world.build(agent)
    await world.builds.scheduleStage(again)
    await world.build(agent, 'Failed')
    await world.builds.scheduleStage({ ...again, counter: 1 })
    await world.build(agent)
    await world.restart()
    await world.schedule()

    expect(await passedBefore(1)).toBeNull()
    expect(await passedBefore(3)).toEqual({ pipelineCounter: 1, stageCounter: 1 })
    expect(await passedBefore(3, 3)).toEqual({ pipelineCounter: 3, stageCounter: 2 })
    expect(await passedBefore(4)).toEqual({ pipelineCounter: 3, stageCounter: 2 })
  })

  it('names the template and the environments of its jobs', async () => {
    await using world = await BuildsWorld.open(aPipeline({ template: 'shared' }))
    world.environments.set('app', ['prod'])

    await world.schedule()

    const run = await world.builds.stageInstance(RUN)
    expect(run?.stage.entities).toEqual(['template/shared', 'environment/prod'])
  })
})

describe('the record of an agent', () => {
  it('is of the time of the assignment, with the programs that it names when it begins', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    await world.schedule()
    const job = await world.builds.assignWork(agent, MACHINE)
    const report = { agentUuid: 'a1', jobId: job?.id ?? 0 }
    await world.builds.reportJob({ ...report, report: { state: 'Preparing', tools: [MAKE] } })
    await world.builds.reportJob({ ...report, report: { state: 'Preparing', tools: [] } })

    const { ranOn } = (await world.builds.job(report.jobId)) ?? {}

    const recorded = await world.builds.recordedAgents([ranOn ?? ''])
    expect([...recorded.values()]).toEqual([{ ...MACHINE, tools: [MAKE] }])
    expect(await world.problems()).toEqual([])
  })

  it('is not that of another one after the job was taken from it', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    await world.schedule()
    await world.builds.assignWork(agent, MACHINE)

    await world.builds.rescheduleJobsOf('a1')
    const again = await world.builds.assignWork(anAgent('a2'), { ...MACHINE, hostname: 'other' })

    const recorded = await world.builds.recordedAgents([again?.ranOn ?? ''])
    expect([...recorded.values()]).toMatchObject([{ hostname: 'other' }])
  })
})

/** A stage of one job. */
function stage(name: string, job: string) {
  return aStage({ name, jobs: [aJob({ name: job })] })
}

describe('a run by a former plan', () => {
  const configuration = {
    digest: Digest.parse('0'.repeat(32)),
    commit: CommitSha.parse('1'.repeat(40)),
  }
  const now = aPipeline({
    stages: [stage('test', 'now'), stage('ship', 'now'), stage('new', 'now')],
  })
  const plan = aPipeline({ stages: [stage('test', 'then'), stage('ship', 'then')] })
  const former = { configuration, plan, environments: ['then'] }

  it('has the jobs of then in all of its stages, after a restart too, and stops where then had none', async () => {
    await using world = await BuildsWorld.open(now)
    const asked = { pipeline: 'app', approvedBy: 'bo', revisions: [], former }
    await world.builds.schedulePipeline(asked)
    await world.restart()
    const first = await world.build(agent)
    const second = await world.build(agent)

    const run = await world.builds.pipelineInstance({ pipeline: 'app', counter: 1 })
    const ship = await world.builds.stageInstance({ ...RUN, stage: 'ship' })

    expect([first.name, second.name]).toEqual(['then', 'then'])
    expect(run).toMatchObject({ configuration, blocked: { stage: 'new' } })
    expect(ship?.stage).toMatchObject({
      configuration,
      isAsThen: true,
      entities: ['environment/then'],
    })
  })

  it('is for one stage alone where only that was asked for', async () => {
    await using world = await BuildsWorld.open(now)
    await world.schedule()
    await world.build(agent)
    await world.build(agent)
    await world.build(agent)
    await world.builds.scheduleStage({ ...RUN, counter: 1, approvedBy: 'bo', former })

    const again = await world.build(agent)
    const next = await world.build(agent)

    expect([again.name, next.name]).toEqual(['then', 'now'])
    expect((await world.builds.stageInstance({ ...RUN, stageCounter: 2 }))?.stage).toMatchObject({
      configuration,
      isAsThen: true,
    })
  })
})
