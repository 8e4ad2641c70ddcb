import { describe, expect, it } from 'vitest'
import type { PipelineInstance } from '../../../../src/builds/documents.ts'
import { materialFingerprint } from '../../../../src/config/material-fingerprint.ts'
import { SecretBox } from '../../../../src/config/secrets/secret-box.ts'
import { fetchSourceOf } from '../../../../src/services/builds/assignment/fetch-source.ts'
import { assignmentOf } from '../../../../src/services/builds/assignment/job-assignment.ts'
import { AssignmentRefusal } from '../../../../src/services/builds/assignment/refusal.ts'
import { JobAssignment } from '../../../../src/wire/agent-work.ts'
import { aJobRun, aPipelineRun, effectiveConfiguration } from '../../../support/build-facts.ts'

const box = new SecretBox([Buffer.alloc(32, 1)])
const OLDEST = '0123456789'.repeat(4)
const SHA = '1'.repeat(40)

interface Given {
  readonly materials?: string
  readonly pipeline?: string
  readonly stage?: string
  readonly jobAttributes?: string
  readonly jobVariables?: string
  readonly tasks?: string
  readonly job?: string
  readonly environments?: string
}

function documentOf(given: Given): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<cruise schemaVersion="75">
  <pipelines group="g">
    <pipeline name="up">
      <materials><git url="https://example.org/up.git" /></materials>
      <stage name="pack"><jobs><job name="zip"><tasks><exec command="make" /></tasks></job></jobs></stage>
    </pipeline>
    <pipeline name="app">
      ${given.pipeline ?? ''}
      <materials>
        <git url="https://example.org/app.git" branch="main" dest="src" materialName="code" />
        ${given.materials ?? ''}
      </materials>
      <stage name="early"><jobs><job name="make"><tasks><exec command="make" /></tasks></job></jobs></stage>
      <stage name="build" ${given.stage ?? ''}>
        <environmentvariables><variable name="WHO"><value>stage</value></variable></environmentvariables>
        <jobs>
          <job name="unit" ${given.jobAttributes ?? ''}>
            <environmentvariables>
              <variable name="WHO"><value>job</value></variable>${given.jobVariables ?? ''}
            </environmentvariables>
            <tasks>${given.tasks ?? '<exec command="make" />'}</tasks>
            ${given.job ?? ''}
          </job>
        </jobs>
      </stage>
    </pipeline>
  </pipelines>
  ${given.environments ?? ''}
</cruise>`
}

function scene(given: Given, facts: { run?: Partial<PipelineInstance>; jobTimeout?: number } = {}) {
  const { groups, environments } = effectiveConfiguration(documentOf(given))
  const pipeline = groups[0]?.pipelines.find(({ name }) => name === 'app') ?? null
  const revisions = (pipeline?.materials ?? []).map((material) => ({
    fingerprint: materialFingerprint(material),
    name: null,
    revision: material.kind === 'dependency' ? 'up/8/pack/2' : material.kind === 'git' ? SHA : '12',
    fromRevision: material.kind === 'git' ? OLDEST : null,
    changed: true,
  }))
  const run = aPipelineRun({ revisions, ...facts.run })
  const upstream = aPipelineRun({
    name: 'up',
    counter: 8,
    label: 'v8',
    stages: [{ name: 'pack', counter: 5 }],
  })
  const runs = { pipelineInstance: async () => upstream }
  return {
    job: aJobRun(),
    run,
    approvedBy: 'ana',
    agent: { uuid: 'a1', resources: ['linux'], environments: [] },
    pipeline,
    environments: environments.filter(({ pipelines }) =>
      pipelines.some(({ name }) => name === 'app'),
    ),
    jobTimeout: facts.jobTimeout ?? null,
    secrets: box,
    findFetchSource: fetchSourceOf(run, runs),
    labelOf: async () => 'v8',
  }
}

/** The assignment as the agent reads it. */
async function assigned(...given: Parameters<typeof scene>): Promise<JobAssignment> {
  return JobAssignment.parse(await assignmentOf(scene(...given)))
}

describe('a job’s assignment', () => {
  it('names the run, who started it and what the agent offers', async () => {
    expect(await assigned({})).toMatchObject({
      jobId: 7,
      pipelineName: 'app',
      pipelineCounter: 3,
      pipelineLabel: '1.3',
      stageName: 'build',
      stageCounter: '1',
      jobName: 'unit',
      triggerUser: 'ana',
      agentResources: ['linux'],
      cleanWorkingDir: false,
      fetchMaterials: true,
    })
  })

  it('says whether the folder is cleaned and the materials are fetched', async () => {
    const assignment = await assigned({ stage: 'cleanWorkingDir="true" fetchMaterials="false"' })

    expect(assignment).toMatchObject({ cleanWorkingDir: true, fetchMaterials: false })
  })

  it('has the materials at the revisions of the run, with opened passwords', async () => {
    const { materials } = await assigned({
      materials: `<svn url="svn://example.org/a" username="u" encryptedPassword="${box.seal('secret')}" dest="svn" />
        <p4 port="p4:1666" username="u" password="pw" useTickets="true" dest="p4"><view>//depot/...</view></p4>
        <pipeline pipelineName="up" stageName="pack" />`,
    })

    expect(materials).toEqual([
      {
        type: 'git',
        name: 'code',
        dest: 'src',
        revision: SHA,
        fromRevision: OLDEST,
        url: 'https://example.org/app.git',
        branch: 'main',
      },
      {
        type: 'svn',
        name: null,
        dest: 'svn',
        revision: '12',
        fromRevision: '12',
        url: 'svn://example.org/a',
        username: 'u',
        password: 'secret',
      },
      {
        type: 'p4',
        name: null,
        dest: 'p4',
        revision: '12',
        fromRevision: '12',
        url: 'p4:1666',
        username: 'u',
        password: 'pw',
        useTickets: true,
        view: '//depot/...',
      },
      {
        type: 'pipeline',
        name: null,
        pipelineName: 'up',
        stageName: 'pack',
        revision: 'up/8/pack/2',
        label: 'v8',
      },
    ])
  })

  it('sets the variables of environment, pipeline, run, stage and job, in this order', async () => {
    const { environmentVariables } = await assigned(
      {
        environments: `<environments><environment name="prod">
          <environmentvariables><variable name="WHO"><value>environment</value></variable></environmentvariables>
          <pipelines><pipeline name="app" /></pipelines></environment></environments>`,
        pipeline:
          '<environmentvariables><variable name="WHO"><value>pipeline</value></variable></environmentvariables>',
      },
      { run: { variables: [{ name: 'WHO', value: 'run', secure: false }] } },
    )

    expect(environmentVariables.map(({ name, value }) => `${name}=${value}`)).toEqual([
      'GO_ENVIRONMENT_NAME=prod',
      'WHO=environment',
      'WHO=pipeline',
      'WHO=run',
      'WHO=stage',
      'WHO=job',
    ])
  })

  it('opens secure variables and flags them', async () => {
    const { environmentVariables } = await assigned({
      jobVariables: `<variable name="KEY" secure="true"><encryptedValue>${box.seal('s3cret')}</encryptedValue></variable>`,
    })

    expect(environmentVariables.at(-1)).toEqual({ name: 'KEY', value: 's3cret', secure: true })
  })

  it('tells the instances of a job apart', async () => {
    const facts = scene({ jobAttributes: 'runInstanceCount="4"' })
    const job = aJobRun({ name: 'unit-runInstance-3' })
    const { environmentVariables } = await assignmentOf({ ...facts, job })

    expect(environmentVariables).toContainEqual({
      name: 'GO_JOB_RUN_INDEX',
      value: '3',
      secure: false,
    })
    expect(environmentVariables).toContainEqual({
      name: 'GO_JOB_RUN_COUNT',
      value: '4',
      secure: false,
    })
  })

  it.each([
    ['the job’s timeout', 'timeout="2"', 10, 120_000],
    ['the server’s when the job has none', '', 10, 600_000],
    ['none when the job says 0', 'timeout="0"', 10, null],
    ['none when nobody says one', '', undefined, null],
  ])('takes %s for silence', async (_, jobAttributes, jobTimeout, expected) => {
    const facts = jobTimeout === undefined ? {} : { jobTimeout }

    expect((await assigned({ jobAttributes }, facts)).silenceTimeoutMs).toBe(expected)
  })

  it('has every task with its arguments, folder, conditions and what cancels it', async () => {
    const { tasks } = await assigned({
      tasks: `<exec command="echo" workingdir="sub" timeout="30"><arg>a b</arg><arg>c</arg><runif status="any" /></exec>
        <exec command="old" args="one two" />
        <ant buildfile="b.xml" target="all"><oncancel><exec command="stop" /></oncancel></ant>
        <nant target="t" nantpath="/opt/nant" />
        <rake />`,
    })

    expect(tasks.map(({ run }) => run)).toEqual([
      { type: 'exec', command: 'echo', args: ['a b', 'c'], workingDir: 'sub', timeoutMs: 30_000 },
      { type: 'exec', command: 'old', args: ['one', 'two'], workingDir: null, timeoutMs: null },
      { type: 'ant', buildFile: 'b.xml', target: 'all', workingDir: null },
      { type: 'nant', buildFile: null, target: 't', workingDir: null, nantPath: '/opt/nant' },
      { type: 'rake', buildFile: null, target: null, workingDir: null },
    ])
    expect(tasks.map(({ runIf }) => runIf)).toEqual([['any'], [], [], [], []])
    expect(tasks[2]?.onCancel).toMatchObject({ type: 'exec', command: 'stop' })
  })

  it('finds the run to fetch an artifact from', async () => {
    const { tasks } = await assigned(
      {
        materials: '<pipeline pipelineName="up" stageName="pack" />',
        tasks: `<fetchartifact pipeline="up" stage="pack" job="zip" srcfile="a.zip" dest="lib" />
        <fetchartifact stage="early" job="make" srcdir="out" />
        <fetchartifact pipeline="app" stage="early" job="make" srcdir="out" />`,
      },
      {
        run: {
          stages: [
            { name: 'early', counter: 4 },
            { name: 'build', counter: 1 },
          ],
        },
      },
    )

    const own = {
      pipelineName: 'app',
      pipelineCounter: 3,
      stageName: 'early',
      stageCounter: '4',
      jobName: 'make',
    }
    expect(tasks.map(({ run }) => run)).toEqual([
      {
        type: 'fetchartifact',
        from: {
          pipelineName: 'up',
          pipelineCounter: 8,
          stageName: 'pack',
          stageCounter: '2',
          jobName: 'zip',
        },
        src: 'a.zip',
        srcKind: 'file',
        dest: 'lib',
      },
      { type: 'fetchartifact', from: own, src: 'out', srcKind: 'folder', dest: null },
      { type: 'fetchartifact', from: own, src: 'out', srcKind: 'folder', dest: null },
    ])
  })

  it('has the artifacts with their kinds', async () => {
    const { artifacts } = await assigned({
      job: '<artifacts><artifact src="out/*.zip" dest="dist" /><test src="reports" /></artifacts>',
    })

    expect(artifacts).toEqual([
      { kind: 'artifact', src: 'out/*.zip', dest: 'dist' },
      { kind: 'test', src: 'reports', dest: null },
    ])
  })

  it('is refused for a job that the configuration no longer has', async () => {
    const facts = { ...scene({}), job: aJobRun({ planName: 'gone' }) }

    await expect(assignmentOf(facts)).rejects.toThrow('no job app/build/gone any more')
  })

  it('is refused for a material that the run has no revision of', async () => {
    await expect(assignmentOf(scene({}, { run: { revisions: [] } }))).rejects.toThrow(
      'no revision of the material code',
    )
  })

  it('is refused for a secret that another key sealed, without telling it', async () => {
    const sealed = new SecretBox([Buffer.alloc(32, 2)]).seal('s3cret')
    const jobVariables = `<variable name="KEY" secure="true"><encryptedValue>${sealed}</encryptedValue></variable>`

    const refusal = assignmentOf(scene({ jobVariables }))

    await expect(refusal).rejects.toBeInstanceOf(AssignmentRefusal)
    await expect(refusal).rejects.toThrow(/^The variable KEY was encrypted with a key/)
  })
})
