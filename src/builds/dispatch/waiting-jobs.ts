import type { Builds } from '../engine/builds.ts'
import type { JobInstance, WaitingJob } from '../engine/documents.ts'
import type { StageSummary } from '../engine/queries.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Problem } from '../../core/problem.ts'
import { explainWait, type PlacedNeed, type Wait } from '../../core/builds/waiting.ts'
import type { AgentDirectory } from '../../agents/agent-directory.ts'
import { placeOfJob, renderPlace } from '../artifacts/job-folders.ts'
import type { EffectivePipelines } from '../configured/effective-pipelines.ts'
import { candidatesIn } from '../configured/plans.ts'
import { groupBy } from '../../lib/grouping.ts'

/** The time for agents to connect after a start of the server, in milliseconds. */
export const NOTICED_AFTER_MS = 60_000

export interface WaitingJobsOptions {
  readonly builds: Pick<Builds, 'queue' | 'queuedOf'>
  readonly pipelines: Pick<EffectivePipelines, 'environmentsOf'>
  readonly directory: Pick<AgentDirectory, 'list'>
  readonly clock: Clock
}

/** Jobs that no agent can take, and why. */
export interface StuckJobs {
  readonly subject: string
  readonly briefly: string
  readonly errors: readonly Problem[]
  readonly pipelines: readonly string[]
  /** The resources that an agent could be given, where no agent suits, whatever its status. */
  readonly resources?: readonly string[]
  /** The environments that keep agents from them. */
  readonly environments?: readonly string[]
}

/**
 * Finds why jobs wait for an agent. Computed on each request, so that solved problems disappear.
 */
export class WaitingJobs {
  readonly #options: WaitingJobsOptions
  readonly #startedAt: number

  constructor(options: WaitingJobsOptions) {
    this.#options = options
    this.#startedAt = options.clock()
  }

  /** The reasons why jobs wait, by their ids; those that do not wait have none. */
  explain(jobs: readonly JobInstance[]): ReadonlyMap<number, Wait> {
    const groups = this.#groups(jobs.filter(({ state }) => state === 'Scheduled'))
    return new Map(groups.flatMap((group) => group.jobs.map(({ id }) => [id, group.wait] as const)))
  }

  /**
   * The reasons why stages are stuck: a sentence for each reason that no agent can take one of
   * their jobs.
   */
  stuckStages(runs: readonly StageSummary[]): readonly string[] {
    const sentences = runs.flatMap(({ stage }) => {
      const waiting = this.#options.builds.queuedOf(stage)
      return this.#stuckGroups(waiting).map(({ wait }) => `${stage.name} waits: ${wait.reason}`)
    })
    return [...new Set(sentences)]
  }

  /** The jobs that no agent has been able to take for a while, grouped by reason. */
  problems(): readonly StuckJobs[] {
    const since = this.#options.clock() - NOTICED_AFTER_MS
    if (this.#startedAt > since) return []
    const waiting = this.#options.builds.queue().filter((job) => job.scheduledDate <= since)
    return this.#stuckGroups(waiting).map(({ jobs, wait }) => {
      const { isUnsuited, reason, resources = [], apart: environments = [] } = wait
      const pipelines = [...new Set(jobs.map(({ pipelineName }) => pipelineName))]
      const lacking = isUnsuited ? { resources, environments } : {}
      const errors = [{ message: reason }]
      return { subject: subjectOf(jobs), briefly: brieflyOf(jobs), errors, pipelines, ...lacking }
    })
  }

  #stuckGroups(jobs: readonly WaitingJob[]) {
    return this.#groups(jobs).filter(({ wait }) => wait.isStuck)
  }

  /** Thousands of jobs may wait: those with the same requirements are checked once. */
  #groups(jobs: readonly WaitingJob[]) {
    const groups = groupBy(jobs, (job) => JSON.stringify(this.#needOf(job)))
    const candidates = groups.size === 0 ? [] : candidatesIn(this.#options.directory)
    const byUuid = new Map(candidates.map((each) => [each.uuid, [each]]))
    return [...groups.values()].flatMap((group) => {
      const need = this.#needOf(group[0])
      // A stage that runs on all agents has a job for each of them.
      const agents = need.pinnedTo === null ? candidates : (byUuid.get(need.pinnedTo) ?? [])
      return [{ jobs: group, wait: explainWait(need, agents) }]
    })
  }

  #needOf({ pipelineName, resources, pinnedTo }: WaitingJob): PlacedNeed {
    const environments = this.#options.pipelines.environmentsOf(pipelineName)
    return { resources, pinnedTo, environments: environments.map(({ name }) => name) }
  }
}

function subjectOf(jobs: readonly WaitingJob[]): string {
  const [first] = jobs
  const name = first ? renderPlace(placeOfJob(first)) : ''
  if (jobs.length === 1) return `No agent can take the job ${name}`
  return `No agent can take ${jobs.length} jobs, such as ${name}`
}

/** `web-shop, run 7: build / unit`: beside its pipelines, with the reason below. */
function brieflyOf(jobs: readonly WaitingJob[]): string {
  const [first] = jobs
  if (!first) return ''
  const { pipelineName, pipelineCounter, stageName, name } = first
  const job = `${pipelineName}, run ${pipelineCounter}: ${stageName} / ${name}`
  return jobs.length === 1 ? job : `${jobs.length} jobs, such as ${job}`
}
