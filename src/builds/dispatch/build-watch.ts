import type { Builds } from '../engine/builds.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { SerialQueue } from '../../lib/serial-queue.ts'
import type { AgentDirectory } from '../../agents/agent-directory.ts'
import type { EffectivePipelines } from '../configured/effective-pipelines.ts'
import type { RunningJobs } from './running-jobs.ts'
import type { SilentJobs } from './silent-jobs.ts'

/** The interval of checks for lost agents and silent jobs, in milliseconds. */
const LOST_CHECK_INTERVAL_MS = 5_000
const SILENT_CHECK_INTERVAL_MS = 30_000

export interface BuildWatchOptions {
  readonly builds: Pick<
    Builds,
    'cancelRemoved' | 'forgetPauses' | 'forgetTicks' | 'onEvent' | 'rescheduleLost'
  >
  readonly directory: Pick<AgentDirectory, 'findLost' | 'list'>
  readonly pipelines: Pick<EffectivePipelines, 'onChange'>
  readonly running: Pick<RunningJobs, 'list' | 'settle'>
  readonly silent: Pick<SilentJobs, 'cancelOverdue'>
  readonly uptime: Clock
  readonly log: Log
  /** Silence after which an agent counts as lost, in milliseconds. */
  readonly agentTimeout: number
}

/** Ends or reschedules the jobs that cannot continue, from its creation to its disposal. */
export class BuildWatch implements AsyncDisposable {
  readonly #options: BuildWatchOptions
  readonly #startedAt: number
  readonly #rounds = new SerialQueue()
  /** The kinds of rounds that wait for their turn. */
  readonly #waiting = new Set<() => Promise<void>>()
  readonly #timers: readonly NodeJS.Timeout[]
  #isClosed = false

  constructor(options: BuildWatchOptions) {
    this.#options = options
    this.#startedAt = options.uptime()
    const moveLost = () => this.#moveLost()
    const cancelOverdue = () => options.silent.cancelOverdue()
    const clearRemoved = () => this.#clearRemoved()
    this.#timers = [
      setInterval(() => this.#round(moveLost), LOST_CHECK_INTERVAL_MS),
      setInterval(() => this.#round(cancelOverdue), SILENT_CHECK_INTERVAL_MS),
    ]
    options.pipelines.onChange(() => this.#round(clearRemoved))
    this.#round(clearRemoved)
    options.builds.onEvent((event) => {
      if (event.type !== 'stage-blocked') return
      const { type: _, ...facts } = event
      options.log({ level: 'warning', message: 'A stage could not start', facts })
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers) clearInterval(timer)
    await this.#rounds.close()
  }

  /**
   * Failures are logged, and retried in the next round. One round of each kind waits: while a database
   * is slow, more would come than end, and a stop would wait for all of them.
   */
  #round(work: () => Promise<void>): void {
    if (this.#isClosed || this.#waiting.has(work)) return
    this.#waiting.add(work)
    const round = () => {
      this.#waiting.delete(work)
      return work()
    }
    this.#rounds.run(round).catch((error: unknown) => {
      const facts = { error: String(error) }
      this.#options.log({ level: 'error', message: 'The builds could not be checked', facts })
    })
  }

  async #moveLost(): Promise<void> {
    const { builds, directory, running, log } = this.#options
    await directory.findLost()
    const live = this.#liveAgents()
    const count = await builds.rescheduleLost(live)
    if (count > 0) {
      log({
        level: 'warning',
        message: 'Jobs of lost agents are given to others',
        facts: { count },
      })
    }
    for (const { agentUuid } of running.list()) {
      if (!live.has(agentUuid)) running.settle(agentUuid, null)
    }
  }

  /**
   * Disabled agents finish their jobs, and one that waits for approval has none any more. After a start, agents have
   * time to contact the server again.
   */
  #liveAgents(): ReadonlySet<string> {
    const { directory, uptime, agentTimeout } = this.#options
    const isEarly = uptime() - this.#startedAt < agentTimeout
    const live = directory.list().filter(({ condition: { configStatus, runtimeStatus } }) => {
      if (configStatus === 'Pending') return false
      return runtimeStatus === 'Missing' ? isEarly : runtimeStatus !== 'LostContact'
    })
    return new Set(live.map(({ uuid }) => uuid))
  }

  /** Ends the runs and forgets the pauses and timers of pipelines that are no longer configured. */
  async #clearRemoved(): Promise<void> {
    const { builds, log } = this.#options
    await builds.forgetPauses()
    await builds.forgetTicks()
    for (const { pipelineName, name, counter } of await builds.cancelRemoved()) {
      const facts = { pipeline: pipelineName, stage: name, counter }
      log({ level: 'warning', message: 'A run of a removed pipeline is cancelled', facts })
    }
  }
}
