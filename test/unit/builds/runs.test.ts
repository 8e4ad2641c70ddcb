import { describe, expect, it } from 'vitest'
import { aJob, anAgent, aPipeline, aStage, BuildsWorld } from '../../support/builds/builds.ts'
import { THREE_STAGES } from '../../support/builds/three-stages.ts'

const agent = anAgent('a1')

const UNCHANGED = { changed: false, fromRevision: null }

const run = { pipeline: 'app', pipelineCounter: 1, stage: 'test', stageCounter: 1 }

describe('a run of a pipeline', () => {
  it('begins with the first stage, its counter and its label', async () => {
    await using world = await BuildsWorld.open(
      aPipeline({ labelTemplate: '1.${COUNT}-${code[:3]}' }),
    )

    const pipeline = await world.builds.schedulePipeline({
      pipeline: 'APP',
      approvedBy: 'ana',
      revisions: [
        { fingerprint: 'f1', name: 'Code', revision: 'abcdef', ...UNCHANGED },
        { fingerprint: 'f2', name: null, revision: '12', ...UNCHANGED },
      ],
      variables: [{ name: 'TARGET', value: 'qa', secure: false }],
    })

    expect(pipeline).toMatchObject({
      name: 'app',
      counter: 1,
      label: '1.1-abc',
      approvedBy: 'ana',
      stages: [{ name: 'test', counter: 1 }],
    })
    expect(await world.builds.pipelineInstance({ pipeline: 'App', counter: 1 })).toEqual(pipeline)
    expect(await world.builds.stageInstance(run)).toMatchObject({
      stage: { name: 'test', counter: 1, approvedBy: 'ana', approvalType: 'success' },
      state: 'Building',
      result: 'Unknown',
      jobs: [
        { name: 'unit', state: 'Scheduled', result: 'Unknown', agentUuid: null, rerun: false },
      ],
    })
  })

  it('has the plain variables of the pipeline in its label, with the values of the run', async () => {
    const labelVariables = new Map([
      ['RELEASE', '2.1'],
      ['TARGET', 'dev'],
    ])
    const labelTemplate = '${env:RELEASE}-${env:TARGET}-${env:KEY}.${COUNT}'
    await using world = await BuildsWorld.open(aPipeline({ labelTemplate, labelVariables }))

    const variables = [
      { name: 'TARGET', value: 'qa', secure: false },
      { name: 'KEY', value: 'sealed', secure: true },
    ]
    const request = { pipeline: 'app', approvedBy: 'ana', revisions: [], variables }

    expect(await world.builds.schedulePipeline(request)).toMatchObject({ label: '2.1-qa-.1' })
  })

  it('runs a stage by hand that wants the one before to have passed only when it has', async () => {
    const strict = aStage({ name: 'release', approvalType: 'manual', allowOnlyOnSuccess: true })
    const stages = [aStage({ name: 'test' }), strict]
    await using world = await BuildsWorld.open(aPipeline({ stages }))
    const release = { pipeline: 'app', counter: 1, stage: 'release', approvedBy: 'bo' }
    await world.schedule()
    await world.build(agent, 'Failed')

    await expect(world.builds.scheduleStage(release)).rejects.toThrow(
      'The stage release of the pipeline app cannot start: the stage test before it has not passed, and allowOnlyOnSuccess asks for that',
    )
    await world.builds.scheduleStage({ ...release, stage: 'test' })
    await world.build(agent)

    expect(await world.builds.scheduleStage(release)).toMatchObject({ name: 'release', counter: 1 })
  })

  it('goes through its automatic stages and waits before a manual one', async () => {
    await using world = await BuildsWorld.open(THREE_STAGES)
    await world.schedule('app', 'ana')

    await world.build(agent)
    await world.build(agent)

    expect(await world.builds.assignWork(agent)).toBeNull()
    expect(await world.builds.stageInstance({ ...run, stage: 'package' })).toMatchObject({
      stage: { approvedBy: 'changes' },
      result: 'Passed',
    })
    await world.builds.scheduleStage({
      pipeline: 'app',
      counter: 1,
      stage: 'release',
      approvedBy: 'bo',
    })
    await world.build(agent)
    expect(await world.builds.stageInstance({ ...run, stage: 'release' })).toMatchObject({
      stage: { approvedBy: 'bo', approvalType: 'manual' },
      result: 'Passed',
    })
    const pipeline = await world.builds.pipelineInstance({ pipeline: 'app', counter: 1 })
    expect(pipeline?.stages.map(({ name }) => name)).toEqual(['test', 'package', 'release'])
  })

  it('stops at a stage that failed', async () => {
    await using world = await BuildsWorld.open(THREE_STAGES)
    await world.schedule()

    await world.build(agent, 'Failed')

    expect(await world.builds.assignWork(agent)).toBeNull()
    expect(await world.builds.stageInstance(run)).toMatchObject({ result: 'Failed', active: false })
    expect(await world.builds.stageInstance({ ...run, stage: 'package' })).toBeNull()
  })

  it('fails a stage only when its last job is over', async () => {
    await using world = await BuildsWorld.open(
      aPipeline({ stages: [aStage({ jobs: [aJob({ name: 'one' }), aJob({ name: 'two' })] })] }),
    )
    await world.schedule()

    await world.build(agent, 'Failed')
    const between = await world.builds.stageInstance(run)
    await world.build(agent)

    expect(between).toMatchObject({ state: 'Failing', result: 'Unknown', active: true })
    expect(await world.builds.stageInstance(run)).toMatchObject({
      state: 'Failed',
      result: 'Failed',
    })
  })

  it('numbers its runs without a gap, whatever the case of its name', async () => {
    await using world = await BuildsWorld.open(aPipeline(), aPipeline({ name: 'other' }))

    const runs = await Promise.all(
      ['app', 'APP', 'other', 'App'].map((name) => world.schedule(name)),
    )

    expect(runs.map(({ name, counter }) => `${name} ${counter}`)).toEqual([
      'app 1',
      'app 2',
      'other 1',
      'app 3',
    ])
  })

  it.each([
    { pipeline: 'none', code: 'pipeline-not-found' },
    { pipeline: 'empty', code: 'not-schedulable' },
    { pipeline: 'everywhere', code: 'not-schedulable' },
  ])('of $pipeline is refused as $code and leaves no trace', async ({ pipeline, code }) => {
    const onAll = aJob({ spread: { type: 'on-all' } })
    await using world = await BuildsWorld.open(
      aPipeline({ name: 'empty', stages: [] }),
      aPipeline({ name: 'everywhere', stages: [aStage({ jobs: [onAll] })] }),
    )

    await expect(world.schedule(pipeline)).rejects.toMatchObject({ code })

    expect(await world.builds.pipelineHistory(pipeline, 0)).toMatchObject({
      items: [],
      pagination: { total: 0 },
    })
  })

  it('does not begin when another one has since it was decided on', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    const decided = { pipeline: 'app', approvedBy: 'changes', revisions: [], after: 0 }

    await world.builds.schedulePipeline(decided)

    await expect(world.builds.schedulePipeline(decided)).rejects.toMatchObject({
      code: 'not-schedulable',
    })
    expect(await world.builds.schedulePipeline({ ...decided, after: 1 })).toMatchObject({
      counter: 2,
    })
  })

  it('says why a stage that follows by itself could not start', async () => {
    const onAll = aJob({ spread: { type: 'on-all' } })
    await using world = await BuildsWorld.open(
      aPipeline({ stages: [aStage(), aStage({ name: 'spread', jobs: [onAll] })] }),
    )
    await world.schedule()

    await world.build(agent)

    expect(await world.builds.stageInstance(run)).toMatchObject({ result: 'Passed' })
    expect(await world.builds.pipelineInstance({ pipeline: 'app', counter: 1 })).toMatchObject({
      blocked: { stage: 'spread', reason: expect.stringContaining('no agent fits the job unit') },
    })
    expect(world.events.at(-1)).toMatchObject({ type: 'stage-blocked', stage: 'spread' })
  })
})

describe('a stage started by hand', () => {
  const release = { pipeline: 'app', counter: 1, stage: 'release', approvedBy: 'bo' }

  it.each([
    { why: 'the stage before it has not run', request: release, code: 'not-schedulable' },
    {
      why: 'a stage of the run is in progress',
      request: { ...release, stage: 'test' },
      code: 'not-schedulable',
    },
    { why: 'there is no such run', request: { ...release, counter: 2 }, code: 'stage-not-found' },
    { why: 'there is no such stage', request: { ...release, stage: 'x' }, code: 'stage-not-found' },
    {
      why: 'there is no such pipeline',
      request: { ...release, pipeline: 'x' },
      code: 'pipeline-not-found',
    },
  ])('is refused when $why', async ({ request, code }) => {
    await using world = await BuildsWorld.open(THREE_STAGES)
    await world.schedule()

    await expect(world.builds.scheduleStage(request)).rejects.toMatchObject({ code })
  })

  it('runs again as the configuration has it now, with the next counter', async () => {
    await using world = await BuildsWorld.open(aPipeline())
    await world.schedule()
    await world.build(agent)
    world.pipelines = [aPipeline({ stages: [aStage({ jobs: [aJob({ name: 'new' })] })] })]

    const again = await world.builds.scheduleStage({ ...release, stage: 'test' })

    expect(again).toMatchObject({ counter: 2, approvedBy: 'bo', rerunOfCounter: null })
    const { jobs } = (await world.builds.stageInstance({ ...run, stageCounter: 2 })) ?? {}
    expect(jobs).toMatchObject([{ name: 'new', rerun: false, originalJobId: null }])
    expect(await world.builds.stageInstance(run)).toMatchObject({ result: 'Passed' })
  })
})
