import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Builds } from '../engine/builds.ts'
import type { JobInstance } from '../engine/documents.ts'
import { type StageRunName, pipelineKey, type PipelineRun } from '../engine/keys.ts'
import { isActive } from '../../core/builds/stage.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import { draftName } from '../../storage/file-draft.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { SerialQueue } from '../../lib/serial-queue.ts'
import type { JobPlace } from './job-folders.ts'
import { bytesBelow, listRunFolders, removeEmptyAbove, runFolder } from './run-folders.ts'
import { parseUpstream } from '../engine/upstream-revision.ts'

export interface ArtifactQuotaOptions {
  readonly builds: Builds
  /** The folder of the consoles and artifacts of all jobs. */
  readonly root: string
  /** The folder to which runs are moved before their removal; it is emptied at each start. */
  readonly drafts: string
  /** In bytes; null for no limit. */
  readonly quota: number | null
  readonly log: Log
}

/** The size of all consoles and artifacts, in bytes. */
export interface ArtifactUse {
  /** Null until they are measured after the start. */
  readonly bytes: number | null
  /** Null for no limit. */
  readonly quota: number | null
}

/** The facts about the files of a run of a stage. */
interface KeptRun {
  readonly run: StageRunName
  readonly bytes: number
  /**
   * When it ended, in milliseconds since the UNIX epoch; 0 for a run without a record in the state,
   * null while it is active.
   */
  readonly endedAt: number | null
}

/**
 * Counts the bytes of consoles and artifacts, and removes those of the oldest runs of stages while
 * they exceed the quota. Everything is measured once, in the background; afterwards writes and
 * removals update the sum, and a run is measured again when it ends, because writes during the
 * start may have been counted twice.
 */
export class ArtifactQuota implements AsyncDisposable {
  readonly #options: ArtifactQuotaOptions
  readonly #runs = new Map<string, KeptRun>()
  readonly #work = new SerialQueue()
  readonly #stopListening: () => void
  #total = 0
  #isMeasured = false
  #isLooking = false
  #isClosed = false
  /** Whether the last check found nothing that may be removed. */
  #isStuck = false

  constructor(options: ArtifactQuotaOptions) {
    this.#options = options
    this.#stopListening = options.builds.onEvent((event) => {
      if (event.type !== 'stage-finished') return
      const { pipelineName: pipeline, pipelineCounter, name: stage, counter } = event.stage
      const run = { pipeline, pipelineCounter, stage, stageCounter: counter }
      this.#run(() => this.#measure(run))
      this.#look()
    })
    this.#run(() => this.#measureAll())
    this.#look()
  }

  use(): ArtifactUse {
    return { bytes: this.#isMeasured ? this.#total : null, quota: this.#options.quota }
  }

  /** Reports that the quota is exceeded, although nothing more may be removed. */
  problems(): readonly string[] {
    const { quota } = this.#options
    if (quota === null || !this.#isStuck || this.#total <= quota) return []
    const what = `Consoles and artifacts take ${this.#total} bytes, more than their quota of ${quota}`
    return [`${what}: the newest run of each stage and what is in progress are not removed`]
  }

  /**
   * Removes the files of the oldest runs until so many bytes are free or nothing more may be
   * removed, and returns the bytes that are free.
   */
  free(bytes: number): Promise<number> {
    return this.#work.run(async () => {
      const before = this.#total
      await this.#reduceTo(Math.max(0, before - bytes))
      return before - this.#total
    })
  }

  /** Adds a change of the size of a job's files, in bytes. */
  add(place: JobPlace, bytes: number): void {
    const { pipelineName: pipeline, pipelineCounter, stageName: stage, stageCounter } = place
    const run = { pipeline, pipelineCounter, stage, stageCounter }
    const size = this.#runs.get(runFolder(run))
    if (size) this.#set({ ...size, bytes: Math.max(0, size.bytes + bytes) })
    else if (this.#isMeasured) this.#begin(run, bytes)
    else this.#run(() => this.#measure(run))
    this.#look()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#stopListening()
    await this.#work.close()
  }

  #run(work: () => Promise<void>): void {
    if (this.#isClosed) return
    const message = 'The quota of consoles and artifacts could not be enforced'
    inBackground(this.#options.log, message, this.#work.run(work))
  }

  /** Schedules a check unless one is waiting already; it sees every change until it starts. */
  #look(): void {
    const { quota } = this.#options
    if (quota === null || this.#isLooking) return
    if (this.#isMeasured && this.#total <= quota && this.#work.load().waiting === 0) return
    this.#isLooking = true
    this.#run(() => {
      this.#isLooking = false
      return this.#reduceTo(quota)
    })
  }

  async #measureAll(): Promise<void> {
    for await (const run of listRunFolders(this.#options.root)) {
      if (this.#isClosed) return
      await this.#measure(run)
    }
    this.#isMeasured = true
  }

  /** Starts to count a run, which may already have ended or lost its files. */
  #begin(run: StageRunName, bytes: number): void {
    this.#set({ run, bytes: Math.max(0, bytes), endedAt: null })
    this.#run(async () => {
      const endedAt = await this.#endOf(run)
      const size = this.#runs.get(runFolder(run))
      if (size) this.#set({ ...size, endedAt })
    })
  }

  async #measure(run: StageRunName): Promise<void> {
    const endedAt = await this.#endOf(run)
    const bytes = await bytesBelow(join(this.#options.root, runFolder(run)))
    this.#set({ run, bytes, endedAt })
  }

  async #endOf(run: StageRunName): Promise<number | null> {
    const { builds } = this.#options
    const stage = await builds.stage(run)
    if (!stage) return 0
    if (isActive(stage.tally)) return null
    const ended = await builds.withJobs([stage])
    return lastEnd(ended.flatMap(({ jobs }) => jobs))
  }

  #set(kept: KeptRun): void {
    const folder = runFolder(kept.run)
    this.#total += kept.bytes - (this.#runs.get(folder)?.bytes ?? 0)
    this.#runs.set(folder, kept)
  }

  async #reduceTo(quota: number): Promise<void> {
    if (this.#total <= quota) return
    const { builds, log } = this.#options
    const inUse = await runsInUse(builds)
    for (const { run } of this.#endedRuns()) {
      if (this.#isClosed || this.#total <= quota) return
      if (isInUse(inUse, run) || (await isOfNewest(builds, run))) continue
      try {
        await this.#remove(run)
      } catch (error) {
        log({ level: 'error', message: 'The files of a run cannot be removed', facts: { error } })
      }
    }
    this.#isStuck = this.#total > quota
  }

  /** Ended runs, by the time of their end, oldest first. */
  #endedRuns(): readonly KeptRun[] {
    return [...this.#runs.values()]
      .flatMap((kept) => (kept.endedAt === null ? [] : [{ ...kept, endedAt: kept.endedAt }]))
      .toSorted((one, other) => one.endedAt - other.endedAt)
  }

  /**
   * Moves the whole run at once, and then deletes it: the next start deletes the rest after a
   * crash.
   */
  async #remove(run: StageRunName): Promise<void> {
    const { root, drafts, log } = this.#options
    const folder = runFolder(run)
    const draft = join(drafts, draftName())
    await orNullWhenAbsent(rename(join(root, folder), draft))
    const bytes = this.#runs.get(folder)?.bytes ?? 0
    this.#runs.delete(folder)
    this.#total -= bytes
    log({
      level: 'info',
      message: 'The files of a run are removed to make room',
      facts: { ...run, bytes },
    })
    await rm(draft, { recursive: true, force: true })
    await removeEmptyAbove(root, join(root, folder))
  }
}

function lastEnd(jobs: readonly JobInstance[]): number {
  return Math.max(0, ...jobs.map(({ transitions }) => transitions.at(-1)?.time ?? 0))
}

/**
 * Whether the files of a run of a stage must stay: it is the newest run of its stage, or the newest
 * run has copies of its jobs.
 */
async function isOfNewest(builds: Builds, run: StageRunName): Promise<boolean> {
  const newest = await builds.newestRun(run)
  if (!newest || newest.stage.pipelineCounter !== run.pipelineCounter) return false
  if (newest.stage.counter === run.stageCounter) return true
  for (const { originalJobId } of newest.jobs) {
    const original = originalJobId === null ? null : await builds.job(originalJobId)
    if (original?.stageCounter === run.stageCounter) return true
  }
  return false
}

/**
 * The keys of the pipeline runs in progress, and of the upstream runs that they are based on: their
 * jobs may still fetch artifacts of those.
 */
async function runsInUse(builds: Builds): Promise<ReadonlySet<string>> {
  const active = await builds.activeStages()
  const open: PipelineRun[] = active.map(({ pipelineName, pipelineCounter }) => ({
    pipeline: pipelineName,
    counter: pipelineCounter,
  }))
  const inUse = new Set<string>()
  for (let run = open.pop(); run; run = open.pop()) {
    const key = pipelineKey(run)
    if (inUse.has(key)) continue
    inUse.add(key)
    const { revisions = [] } = (await builds.pipelineInstance(run)) ?? {}
    for (const { revision } of revisions) {
      const upstream = parseUpstream(revision)
      if (upstream) open.push({ ...upstream, counter: upstream.pipelineCounter })
    }
  }
  return inUse
}

/** Whether a finished stage run is one of a run in use. */
function isInUse(inUse: ReadonlySet<string>, run: StageRunName): boolean {
  return inUse.has(pipelineKey({ pipeline: run.pipeline, counter: run.pipelineCounter }))
}
