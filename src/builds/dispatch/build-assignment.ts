import type { Builds } from '../engine/builds.ts'
import type { JobInstance, StageInstance, PipelineInstance } from '../engine/documents.ts'
import type { AgentOffer } from '../../core/builds/assignment.ts'
import type { JobPlace } from '../artifacts/job-folders.ts'
import {
  assignmentOf,
  type AssignmentSources,
  type BuildAssignment,
} from '../assignment/job-assignment.ts'
import { type Secrets, AssignmentRefusal } from '../assignment/secrets.ts'
import type { EffectivePipelines } from '../configured/effective-pipelines.ts'
import type { FormerPipelines } from '../configured/former-pipelines.ts'
import { isSameName } from '../../core/name-key.ts'
import type { PipelineRun, StageRunName } from '../engine/keys.ts'
import { parseUpstream } from '../engine/upstream-revision.ts'
import type { FindFetchSource } from '../assignment/tasks.ts'

/** The configuration in force, and earlier ones. */
export interface ConfigurationDeps {
  readonly pipelines: Pick<EffectivePipelines, 'find' | 'environmentsOf' | 'configuration'>
  readonly former: Pick<FormerPipelines, 'read'>
}

export interface BuildAssignmentDeps extends ConfigurationDeps {
  readonly builds: Builds
  readonly secrets: Secrets
}

/** The source of a fetch task in an assignment: a file or a folder of the job at that place. */
export interface AssignedFetch {
  readonly job: JobPlace
  /** Without a trailing slash; empty for everything. */
  readonly path: string
}

/** The artifacts that the agent has to read for an assignment. */
export function fetchesOfAssignment({
  tasks,
}: Pick<BuildAssignment, 'tasks'>): readonly AssignedFetch[] {
  return tasks
    .flatMap(({ run, onCancel }) => (onCancel === null ? [run] : [run, onCancel]))
    .flatMap((task) => {
      if (task.type !== 'fetchartifact' || task.from === null) return []
      const { stageCounter, ...from } = task.from
      const job = { ...from, stageCounter: Number(stageCounter) }
      return [{ job, path: task.src === '.' ? '' : task.src }]
    })
}

/**
 * Builds the assignment of a job for its agent.
 *
 * @throws {AssignmentRefusal} when no agent could run it.
 */
export async function buildAssignment(
  deps: BuildAssignmentDeps,
  job: JobInstance,
  agent: AgentOffer,
): Promise<BuildAssignment> {
  const { builds, secrets } = deps
  const { pipelineName: pipeline, pipelineCounter: counter, stageName: stage } = job
  const run = await builds.pipelineInstance({ pipeline, counter })
  const stageRun = await builds.stage({
    pipeline,
    pipelineCounter: counter,
    stage,
    stageCounter: job.stageCounter,
  })
  if (!run || !stageRun) throw new AssignmentRefusal(`The run of the job ${job.id} is missing`)
  return assignmentOf({
    job,
    run,
    approvedBy: stageRun.approvedBy,
    agent,
    ...(await configurationOf(deps, stageRun)),
    secrets,
    findFetchSource: fetchSourceOf(run, builds),
    labelOf: async (name, upstreamCounter) => {
      const upstream = await builds.pipelineInstance({ pipeline: name, counter: upstreamCounter })
      return upstream?.label ?? String(upstreamCounter)
    },
  })
}

/** The configuration in force, or that of then for a stage that was asked to be made from it. */
export async function configurationOf(
  { pipelines, former }: ConfigurationDeps,
  { pipelineName: name, configuration, isAsThen }: StageInstance,
): Promise<Pick<AssignmentSources, 'pipeline' | 'group' | 'environments' | 'jobTimeout'>> {
  if (isAsThen && configuration !== null) return former.read(configuration, name)
  const found = pipelines.find(name)
  return {
    pipeline: found?.pipeline ?? null,
    group: found?.group ?? '',
    environments: pipelines.environmentsOf(name),
    jobTimeout: pipelines.configuration.server?.jobTimeout ?? null,
  }
}

interface RunReader {
  pipelineInstance(run: PipelineRun): Promise<PipelineInstance | null>
}

/**
 * Finds the runs that a run of a pipeline may fetch from: itself, which an empty name means as well,
 * or those along its dependencies.
 * `far/near` names a pipeline and the path to it, the nearest last.
 */
export function fetchSourceOf(run: PipelineInstance, reader: RunReader): FindFetchSource {
  return async ({ pipeline, stage, job }) => {
    const steps = (pipeline ?? '').split('/').map((step) => step.trim())
    const isOwn = steps.length === 1 && (steps[0] === '' || isSameName(steps[0] ?? '', run.name))
    const way = isOwn ? [] : steps
    const found = await walkUpstream(run, way.toReversed(), reader)
    if (!found) return null
    const { instance, passed } = found
    const latest = instance.stages.find(({ name }) => isSameName(name, stage))
    if (!latest) return null
    const isPassed = passed !== null && isSameName(passed.stage, stage)
    return {
      pipelineName: instance.name,
      pipelineCounter: instance.counter,
      stageName: latest.name,
      stageCounter: String(isPassed ? passed.stageCounter : latest.counter),
      jobName: job,
    }
  }
}

async function walkUpstream(
  run: PipelineInstance,
  way: readonly string[],
  reader: RunReader,
): Promise<{ instance: PipelineInstance; passed: StageRunName | null } | null> {
  let instance: PipelineInstance | null = run
  let passed: StageRunName | null = null
  for (const pipeline of way) {
    passed = upstreamOf(instance, pipeline)
    instance =
      passed && (await reader.pipelineInstance({ ...passed, counter: passed.pipelineCounter }))
    if (!instance) return null
  }
  return { instance, passed }
}

function upstreamOf({ revisions }: PipelineInstance, pipeline: string): StageRunName | null {
  const runs = revisions.map(({ revision }) => parseUpstream(revision))
  return runs.find((run) => run !== null && isSameName(run.pipeline, pipeline)) ?? null
}
