import type { JobInstance, PipelineInstance, RunVariable } from '../engine/documents.ts'
import type {
  Artifact,
  Environment,
  Job,
  Pipeline,
  Stage,
  Variable,
} from '../../document/model/model.ts'
import type { AgentOffer } from '../../core/builds/assignment.ts'
import { secretReferencesIn } from '../../document/secrets/secret-reference.ts'
import type { SecretUse } from '../../document/unsupported/secret-rules.ts'
import { isSameName } from '../../core/name-key.ts'
import { assignMaterials } from './materials.ts'
import { AssignmentRefusal, JobTexts, type Secrets } from './secrets.ts'
import { assignTasks, type FindFetchSource } from './tasks.ts'

const MINUTE_MS = 60_000

export interface AssignmentSources {
  readonly job: JobInstance
  readonly run: PipelineInstance
  /** A user, or `changes`. */
  readonly approvedBy: string
  readonly agent: AgentOffer
  /** The effective pipeline; null when it is no longer in the configuration. */
  readonly pipeline: Pipeline | null
  readonly group: string
  readonly environments: readonly Environment[]
  /** Minutes without output after which a job is cancelled; null and 0 mean never. */
  readonly jobTimeout: number | null
  readonly secrets: Secrets
  readonly findFetchSource: FindFetchSource
  readonly labelOf: (pipeline: string, counter: number) => Promise<string>
}

export type BuildAssignment = Awaited<ReturnType<typeof assignmentOf>>

const INSTANCE = /-runInstance-(\d+)$/

/**
 * Builds the assignment of a job from the configuration in force.
 *
 * @throws {AssignmentRefusal} when no agent could run it: it is no longer configured, needs a
 * plugin, or has secrets that cannot be decrypted.
 */
export async function assignmentOf(sources: AssignmentSources) {
  const { job, run, agent, environments, labelOf } = sources
  const { pipeline, stage, config } = placeOf(sources)
  const texts = new JobTexts(sources.secrets, sources.group)
  const assignment = {
    jobId: job.id,
    pipelineName: job.pipelineName,
    pipelineCounter: job.pipelineCounter,
    pipelineLabel: run.label,
    stageName: job.stageName,
    stageCounter: String(job.stageCounter),
    jobName: job.name,
    triggerUser: sources.approvedBy,
    agentResources: [...agent.resources],
    cleanWorkingDir: stage.cleanWorkingDir,
    fetchMaterials: stage.fetchMaterials,
    silenceTimeoutMs: silenceTimeout(config, sources.jobTimeout),
    materials: await assignMaterials({ materials: pipeline.materials, run }, { texts, labelOf }),
    environmentVariables: [
      ...environments.map(({ name }) => plain('GO_ENVIRONMENT_NAME', name)),
      ...instanceVariables(job.name, config.runInstanceCount),
      ...(await assignVariables(
        {
          environments,
          own: [...pipeline.variables, ...stage.variables, ...config.variables],
          run: run.variables,
        },
        texts,
      )),
    ],
    tasks: await assignTasks(config.tasks, { texts, findSource: sources.findFetchSource }),
    artifacts: config.artifacts.map(artifactOf),
  }
  assertNoReference(assignment)
  return { ...assignment, maskedTexts: [...texts.masked] }
}

/** @throws {AssignmentRefusal} for a text in which no secrets are filled in, such as a label. */
function assertNoReference(assignment: object): void {
  const [reference] = secretReferencesIn(assignment)
  if (reference === undefined) return
  const { config, key } = reference
  const secret = `the secret ${key} of ${config}`
  throw new AssignmentRefusal(`A text refers to ${secret}, and no secret is filled in there`)
}

/** Milliseconds without output after which a job is cancelled, or null for never. */
export function silenceTimeout(
  { timeout }: Pick<Job, 'timeout'>,
  jobTimeout: number | null,
): number | null {
  const minutes = timeout ?? jobTimeout ?? 0
  return minutes > 0 && Number.isFinite(minutes) ? Math.ceil(minutes * MINUTE_MS) : null
}

/** The job of a configured stage that an instance was created from, or null. */
export function findJob(
  pipeline: Pipeline | null,
  { stageName, planName }: Pick<JobInstance, 'stageName' | 'planName'>,
): { readonly stage: Stage; readonly config: Job } | null {
  const stage = pipeline?.stages.find(({ name }) => isSameName(name, stageName))
  const config = stage?.jobs.find(({ name }) => isSameName(name, planName))
  return stage && config ? { stage, config } : null
}

function placeOf({ pipeline, job }: AssignmentSources) {
  const place = findJob(pipeline, job)
  if (pipeline && place) return { pipeline, ...place }
  const { pipelineName, stageName, planName } = job
  throw new AssignmentRefusal(
    `The configuration has no job ${pipelineName}/${stageName}/${planName} any more`,
  )
}

function artifactOf({ kind, src, dest }: Artifact) {
  if (kind === 'external') {
    throw new AssignmentRefusal('An artifact is kept by a plugin, and there are no plugins')
  }
  const type = kind === 'test' ? ('test' as const) : ('artifact' as const)
  return { kind: type, src, dest: dest === '' ? null : dest }
}

/**
 * The variables of the configuration and of the run, decrypted, in the order in which they are set.
 * A run overrides variables that the job has, on any level; it adds none.
 */
async function assignVariables(
  {
    environments,
    own,
    run,
  }: {
    readonly environments: readonly Environment[]
    /** Variables of the pipeline, its stage and its job, the outermost level first. */
    readonly own: readonly Variable[]
    readonly run: readonly RunVariable[]
  },
  texts: JobTexts,
) {
  const configured = [...environments.flatMap(({ variables }) => variables), ...own]
  const names = new Set(configured.map(({ name }) => name))
  const opened = []
  for (const { name, variables } of environments) {
    const use = { type: 'environment', name } as const
    for (const variable of variables) opened.push(await configuredVariable(variable, texts, use))
  }
  for (const variable of own) opened.push(await configuredVariable(variable, texts))
  return [
    ...opened,
    ...run.filter(({ name }) => names.has(name)).map((variable) => runVariable(variable, texts)),
  ]
}

/** The variables that differ between the instances of one job. */
function instanceVariables(jobName: string, count: number | null) {
  const index = INSTANCE.exec(jobName)?.[1]
  if (index === undefined || count === null) return []
  return [plain('GO_JOB_RUN_INDEX', index), plain('GO_JOB_RUN_COUNT', `${count}`)]
}

function plain(name: string, value: string) {
  return { name, value, secure: false }
}

/** A value with a secret is as secret as it. */
async function configuredVariable(
  { name, secure, value, encryptedValue }: Variable,
  texts: JobTexts,
  use?: SecretUse,
) {
  const sealable = { plain: value, sealed: encryptedValue }
  const opened = (await texts.open(sealable, `The variable ${name}`, use)) ?? ''
  const isSecret = secure || encryptedValue !== null || opened !== (value ?? '')
  return { name, value: opened, secure: isSecret }
}

function runVariable({ name, value, secure }: RunVariable, texts: JobTexts) {
  const sealable = secure ? { plain: null, sealed: value } : { plain: value, sealed: null }
  const opened = texts.openWithout(sealable, `The variable ${name} of the run`)
  return { name, value: opened ?? '', secure }
}
