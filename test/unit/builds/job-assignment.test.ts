import { describe, expect, it } from 'vitest'
import { SecretBox } from '../../../src/document/secrets/secret-box.ts'
import { assignmentOf } from '../../../src/builds/assignment/job-assignment.ts'
import { AssignmentRefusal } from '../../../src/builds/assignment/secrets.ts'
import { aJobRun } from '../../support/builds/build-facts.ts'
import { box, OLDEST, SHA, scene, assigned } from '../../support/builds/assignment-scene.ts'

function variable(inner: string): string {
  return `<variable name="KEY" secure="true">${inner}</variable>`
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

  it('sets the variables of environment, pipeline, stage, job and run, in this order', async () => {
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
      'WHO=stage',
      'WHO=job',
      'WHO=run',
    ])
  })

  it('opens secure variables and flags them', async () => {
    const { environmentVariables } = await assigned({
      jobVariables: `<variable name="KEY" secure="true"><encryptedValue>${box.seal('s3cret')}</encryptedValue></variable>`,
    })

    expect(environmentVariables.at(-1)).toEqual({ name: 'KEY', value: 's3cret', secure: true })
  })

  it('distinguishes the instances of a job', async () => {
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

  const SECRET = '{{SECRET:[vault][token]}}'
  const SEALED = box.seal(SECRET)

  it.each([
    [{ jobVariables: `<variable name="KEY"><value>${SECRET}</value></variable>` }, 'variable KEY'],
    [{ jobVariables: variable(`<value>a ${SECRET}</value>`) }, 'variable KEY'],
    [{ jobVariables: variable(`<encryptedValue>${SEALED}</encryptedValue>`) }, 'variable KEY'],
    [{ materials: `<svn url="u" password="${SECRET}" dest="d" />` }, 'password of the material d'],
    [
      { materials: `<svn url="u" encryptedPassword="${SEALED}" dest="d" />` },
      'password of the material d',
    ],
    [{ materials: `<svn url="u" username="${SECRET}" dest="d" />` }, 'user of the material d'],
    [{ materials: `<hg url="https://${SECRET}/r" dest="d" />` }, 'address of the material d'],
  ])('never hands on the reference to a secret as text: %j', async (given, subject) => {
    const refusal = assignmentOf(scene(given))

    await expect(refusal).rejects.toBeInstanceOf(AssignmentRefusal)
    await expect(refusal).rejects.toThrow(
      `The ${subject} is the secret token of vault, and there is nothing to read it from`,
    )
  })

  it('never hands on a reference that the run was given', async () => {
    const variables = [{ name: 'WHO', value: SECRET, secure: false }]
    const refusal = assignmentOf(scene({}, { run: { variables } }))

    await expect(refusal).rejects.toThrow(
      'The variable WHO of the run is the secret token of vault, and there is nothing to read it from',
    )
  })

  it.each([
    [{ tasks: '<gradle />' }, 'The task gradle is of no known kind'],
    [
      { tasks: '<exec command="c"><oncancel><gradle /></oncancel></exec>' },
      'The task gradle is of no known kind',
    ],
    [{ materials: '<fossil />' }, 'The material fossil is of no known kind'],
    [
      {
        tasks:
          '<fetchPluggableArtifact stage="early" job="make" artifactId="a"><configuration /></fetchPluggableArtifact>',
      },
      'An artifact is kept by a plugin, and there are no plugins',
    ],
    [
      { tasks: '<fetchartifact stage="early" job="make" artifactId="a" origin="external" />' },
      'An artifact is kept by a plugin, and there are no plugins',
    ],
    [
      { job: '<artifacts><pluggableArtifact id="a" storeId="s" /></artifacts>' },
      'An artifact is kept by a plugin, and there are no plugins',
    ],
  ])('is refused where nobody can do %j', async (given, reason) => {
    const refusal = assignmentOf(scene({ schemaVersion: 105, ...given }))

    await expect(refusal).rejects.toThrow(new AssignmentRefusal(reason))
  })
})
