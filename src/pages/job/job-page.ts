import type { JobInstance, StageInstance } from '../../builds/engine/documents.ts'
import type { StageSummary } from '../../builds/engine/queries.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUnfinished } from '../../core/builds/job.ts'
import type { Principal } from '../../core/principal.ts'
import type { Wait } from '../../core/builds/waiting.ts'
import { shownAgent } from '../agents/shown-agent.ts'
import { type JobPlace, placeOfJob } from '../../builds/artifacts/job-folders.ts'
import { areFilesKept, type FilesDeps } from '../../builds/runs/files.ts'
import { newestStages } from '../../builds/runs/pipeline-runs.ts'
import { readStage, type StagesDeps } from '../../builds/runs/stages.ts'
import { type ArtifactTree, readArtifacts } from './artifact-tree.ts'
import {
  type ConsoleEnd,
  type ConsoleFailure,
  type ConsolePart,
  findFailure,
  readConsoleLines,
  readConsoleTail,
} from './console-part.ts'
import { type JobTab, openTab, type OpenTab, tabsOf } from './job-tabs.ts'
import type { PipelinesPageDeps } from '../pipelines/pipelines-page.ts'
import { startOptions } from '../runs/start-options.ts'

export type JobPageDeps = StagesDeps & FilesDeps & Pick<PipelinesPageDeps, 'waiting' | 'pipelines'>

/** A stage can have thousands of jobs. */
const MAX_SIBLINGS = 30

export interface JobName {
  readonly pipeline: string
  readonly stage: string
  readonly pipelineCounter: number
  readonly stageCounter: number
  readonly job: string
}

export interface JobPage {
  readonly run: StageSummary
  /** The first jobs of the same run. */
  readonly siblings: readonly JobInstance[]
  readonly job: JobInstance
  readonly place: JobPlace
  /** The job that ran, for a copy from an earlier run. */
  readonly original: JobInstance | null
  /** The name of its agent, and whether the agent still exists. */
  readonly agent: { readonly uuid: string; readonly name: string } | null
  /** Why it waits for an agent; null when it does not wait. */
  readonly wait: Wait | null
  readonly console: ConsoleEnd
  /** Where it failed, as far as the shown lines tell. */
  readonly failure: ConsoleFailure | null
  readonly artifacts: ArtifactTree
  readonly tabs: readonly JobTab[]
  /** The one that was asked for, if there is one of that name. */
  readonly tab: OpenTab | null
  /** Whether its console and artifacts still exist. */
  readonly isKept: boolean
  readonly mayCancel: boolean
  readonly mayRerun: boolean
}

/**
 * Reads one job of a run of a stage, with the end of its console, its artifacts, and one of its tabs.
 *
 * @throws {ServiceError} `stage-not-found`, `job-not-found`, `not-permitted`.
 */
export async function readJobPage(
  deps: JobPageDeps,
  principal: Principal,
  name: JobName & { readonly tab: string | null },
): Promise<JobPage> {
  const { stage: read, job } = await readJob(deps, principal, name)
  const run = await deps.builds.summary(read)
  const place = placeOfJob(job)
  const call = { caller: { principal }, job: place }
  const { pipeline, stage } = name
  const isKept = await areFilesKept(deps, place)
  const console = await readConsoleTail(deps, call)
  const tabs = tabsOf(deps, job)
  const tab = tabs.find((each) => each.name === name.tab)
  return {
    run,
    siblings: await deps.builds.firstJobs(read, MAX_SIBLINGS),
    job,
    place,
    original: job.originalJobId === null ? null : await deps.builds.job(job.originalJobId),
    agent: agentOf(deps, job),
    wait: (run.active && deps.waiting.explain([job]).get(job.id)) || null,
    console,
    failure: job.result === 'Failed' ? findFailure(console) : null,
    artifacts: isKept ? await readArtifacts(deps, call) : { nodes: [], isCut: false },
    tabs,
    tab: tab ? await openTab(deps, call, tab) : null,
    isKept,
    mayCancel:
      run.active && deps.access.may(principal, { action: 'cancel-stage', pipeline, stage }),
    mayRerun: await mayRerun(deps, principal, run),
  }
}

async function mayRerun(
  deps: JobPageDeps,
  principal: Principal,
  run: StageSummary,
): Promise<boolean> {
  const { pipelineName: pipeline, pipelineCounter: counter } = run.stage
  const pipelineRun = await deps.builds.pipelineInstance({ pipeline, counter })
  const stages = pipelineRun ? await newestStages(deps.builds, pipelineRun) : []
  return (await startOptions(deps, principal, { run, pipelineRun, stages })).mayRerun
}

/** The console of a job from a line on, and whether it is complete. */
export async function readConsoleOf(
  deps: JobPageDeps & { readonly clock: () => number },
  principal: Principal,
  { line, ...name }: JobName & { readonly line: number },
): Promise<ConsolePart & { readonly isEnded: boolean; readonly start: number }> {
  const { job } = await readJob(deps, principal, name)
  const call = { caller: { principal }, job: placeOfJob(job) }
  const part = await readConsoleLines(deps, call, line)
  return { ...part, isEnded: isOver(job, deps.clock()), start: startOf(job) }
}

/** The time from which on a job may write to its console. */
export function startOf({ transitions }: JobInstance): number {
  return transitions[0]?.time ?? 0
}

/** The last output of a job arrives within this time after its end, in milliseconds. */
const OUTPUT_TIMEOUT_MS = 10_000

/** Whether a job is completed and its last output has had the time to arrive; no agent, no output. */
export function isOver(job: JobInstance, now: number): boolean {
  if (isUnfinished(job)) return false
  return job.agentUuid === null || now - (job.transitions.at(-1)?.time ?? 0) > OUTPUT_TIMEOUT_MS
}

async function readJob(
  deps: JobPageDeps,
  principal: Principal,
  name: JobName,
): Promise<{ readonly stage: StageInstance; readonly job: JobInstance }> {
  const stage = await readStage(deps, principal, name)
  const job = await deps.builds.jobNamed(stage, name.job)
  if (job) return { stage, job }
  throw new ServiceError('job-not-found', `That run has no job ${name.job}`, { id: 0 })
}

function agentOf({ directory }: JobPageDeps, { agentUuid }: JobInstance): JobPage['agent'] {
  if (agentUuid === null) return null
  const known = directory.find(agentUuid)
  return { uuid: agentUuid, name: known ? shownAgent(known).name : agentUuid }
}
