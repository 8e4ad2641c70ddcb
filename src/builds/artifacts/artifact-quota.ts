import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Builds } from '../engine/builds.ts'
import type { JobInstance } from '../engine/documents.ts'
import type { StageRunName } from '../engine/keys.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import { draftName } from '../../storage/draft-name.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { SerialQueue } from '../../lib/serial-queue.ts'
import type { JobPlace } from './job-folders.ts'
import { bytesBelow, listRunFolders, removeEmptyAbove, runFolder } from './run-folders.ts'
import { isInUse, isOfNewest, runsInUse } from './spared-runs.ts'

export interface ArtifactQuotaOptions {
  readonly builds: Builds
  /** The folder that keeps consoles and artifacts of all jobs. */
  readonly root: string
  /** Where what is being removed waits for its end; it is emptied at each start. */
  readonly drafts: string
  /** In bytes; null where there is none. */
  readonly quota: number | null
  readonly log: Log
}

/** How much consoles and artifacts take, in bytes. */
export interface ArtifactUse {
  /** Null until it was measured after the start. */
  readonly bytes: number | null
  /** Null where there is none. */
  readonly quota: number | null
}

/** What is known of the files of a run of a stage. */
interface KeptRun {
  readonly run: StageRunName
  readonly bytes: number
  /** When it ended, in milliseconds since the UNIX epoch; 0 for one that the state does not know, null while it goes on. */
  readonly endedAt: number | null
}

/**
 * Counts the bytes of consoles and artifacts, and removes those of the oldest runs of stages while
 * they are more than the quota. All of it is measured once, in the background; after that the sum
 * follows what is written and removed, and a run is measured again when it ends: what was written
 * during the start may have been counted twice.
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
  /** Whether nothing more could be removed when it was last looked. */
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

  /** That they are more than the quota, though nothing more may be removed. */
  problems(): readonly string[] {
    const { quota } = this.#options
    if (quota === null || !this.#isStuck || this.#total <= quota) return []
    const what = `Consoles and artifacts take ${this.#total} bytes, more than their quota of ${quota}`
    return [`${what}: the newest run of each stage and what is in progress are not removed`]
  }

  /** Files of a job have become so many bytes more, or less. */
  add(place: JobPlace, bytes: number): void {
    const { pipelineName: pipeline, pipelineCounter, stageName: stage, stageCounter } = place
    const run = { pipeline, pipelineCounter, stage, stageCounter }
    const kept = this.#runs.get(runFolder(run))
    if (kept) this.#set({ ...kept, bytes: Math.max(0, kept.bytes + bytes) })
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
    const message = 'The room of consoles and artifacts could not be looked after'
    inBackground(this.#options.log, message, this.#work.run(work))
  }

  /** One look waits at a time; it sees what has changed until it begins. */
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

  /** The first bytes of a run, which may have ended, or lost its files, before they came. */
  #begin(run: StageRunName, bytes: number): void {
    this.#set({ run, bytes: Math.max(0, bytes), endedAt: null })
    this.#run(async () => {
      const endedAt = await this.#endOf(run)
      const kept = this.#runs.get(runFolder(run))
      if (kept) this.#set({ ...kept, endedAt })
    })
  }

  async #measure(run: StageRunName): Promise<void> {
    const endedAt = await this.#endOf(run)
    const bytes = await bytesBelow(join(this.#options.root, runFolder(run)))
    this.#set({ run, bytes, endedAt })
  }

  async #endOf(run: StageRunName): Promise<number | null> {
    const found = await this.#options.builds.stageInstance(run)
    if (!found) return 0
    return found.active ? null : lastEnd(found.jobs)
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

  /** Oldest end first. */
  #endedRuns(): readonly KeptRun[] {
    return [...this.#runs.values()]
      .flatMap((kept) => (kept.endedAt === null ? [] : [{ ...kept, endedAt: kept.endedAt }]))
      .toSorted((one, other) => one.endedAt - other.endedAt)
  }

  /** All of it goes from its place at once: what a crash leaves of it, the next start removes. */
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
      message: 'The files of a run are removed to keep to the quota',
      facts: { ...run, bytes },
    })
    await rm(draft, { recursive: true, force: true })
    await removeEmptyAbove(root, join(root, folder))
  }
}

function lastEnd(jobs: readonly JobInstance[]): number {
  return Math.max(0, ...jobs.map(({ transitions }) => transitions.at(-1)?.time ?? 0))
}
