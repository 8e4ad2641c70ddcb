import type { PipelineInstance } from '../../../src/builds/engine/documents.ts'
import { materialFingerprint } from '../../../src/document/materials/identity.ts'
import type { Material } from '../../../src/document/model/model.ts'
import { SecretBox } from '../../../src/document/secrets/secret-box.ts'
import { ConfigurationSecrets } from '../../../src/builds/assignment/configuration-secrets.ts'
import { assignmentOf } from '../../../src/builds/assignment/job-assignment.ts'
import { SecretFiles } from '../../../src/security/secret-files.ts'
import { JobAssignment } from '../../../src/wire/agent/work.ts'
import { aJobRun, aPipelineRun, effectiveConfiguration } from './build-facts.ts'
import { fetchSourceOf } from '../../../src/builds/dispatch/build-assignment.ts'

export const box = new SecretBox([Buffer.alloc(32, 1)])

export const OLDEST = '0123456789'.repeat(4)

export const SHA = '1'.repeat(40)

interface Given {
  readonly schemaVersion?: number
  readonly materials?: string
  readonly pipeline?: string
  readonly stage?: string
  readonly jobAttributes?: string
  readonly jobVariables?: string
  readonly tasks?: string
  readonly job?: string
  readonly environments?: string
  /** Elements of later versions, at the end. */
  readonly later?: string
}

function documentOf(given: Given): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<cruise schemaVersion="${given.schemaVersion ?? 75}">
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
  ${given.later ?? ''}
</cruise>`
}

/** Whether its revisions are names of commits. */
function isByName({ kind }: Material): boolean {
  return kind === 'git' || kind === 'hg'
}

interface Facts {
  readonly run?: Partial<PipelineInstance>
  readonly jobTimeout?: number
  /** The folder of secrets that are kept elsewhere. */
  readonly secretsDir?: string
}

export function scene(given: Given, facts: Facts = {}) {
  const configuration = effectiveConfiguration(documentOf(given))
  const { groups, environments } = configuration
  const pipeline = groups[0]?.pipelines.find(({ name }) => name === 'app') ?? null
  const revisions = (pipeline?.materials ?? []).map((material) => ({
    fingerprint: materialFingerprint(material),
    name: null,
    revision: material.kind === 'dependency' ? 'up/8/pack/2' : isByName(material) ? SHA : '12',
    fromRevision: isByName(material) ? OLDEST : null,
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
    group: 'g',
    secrets: new ConfigurationSecrets({
      box,
      files: facts.secretsDir === undefined ? null : new SecretFiles(facts.secretsDir),
      pipelines: { configuration, find: () => null },
    }),
    findFetchSource: fetchSourceOf(run, runs),
    labelOf: async () => 'v8',
  }
}

/** The assignment as the agent reads it. */
export async function assigned(...given: Parameters<typeof scene>): Promise<JobAssignment> {
  return JobAssignment.parse(await assignmentOf(scene(...given)))
}
