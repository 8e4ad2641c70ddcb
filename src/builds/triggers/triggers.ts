import type { Builds } from '../engine/builds.ts'
import type { PipelineInstance, RunChanges, TimerTick } from '../engine/documents.ts'
import type { BuildEvent } from '../engine/event.ts'
import type { RunRequest } from '../engine/schedule.ts'
import type { TimerTicks } from '../engine/timer-ticks.ts'
import type { Pipeline } from '../../document/model/model.ts'
import type { Clock } from '../../lib/clock.ts'
import { ServiceError } from '../../core/errors.ts'
import { inBackground } from '../../lib/in-background.ts'
import { replacedPart } from '../../lib/common-items.ts'
import { type CooperativeWork, runCooperatively, runSync, Turns } from '../../lib/cooperative.ts'
import { SerialQueue } from '../../lib/serial-queue.ts'
import type { Log } from '../../lib/log.ts'
import { APPROVED_BY_CHANGES, isActive } from '../../core/builds/stage.ts'
import { nameKey } from '../../core/name-key.ts'
import { isSource, materialFingerprint } from '../../document/materials/identity.ts'
import type { MaterialPoller } from '../materials/material-poller.ts'
import { SourceFailed } from '../../sources/modification.ts'
import { watchedMaterials } from '../materials/watched-materials.ts'
import type { EffectivePipelines } from '../configured/effective-pipelines.ts'
import type { FormerPipeline } from '../configured/former-pipelines.ts'
import { PassedStages } from './passed-stages.ts'
import { PipelineUses, type ReplacedUses } from './pipeline-uses.ts'
import { type Pin, pinnedRevisions } from './pinned-revisions.ts'
import { compareRevisions } from './run-changes.ts'
import { RunOrigins } from './run-origins.ts'
import { SharedLooks } from './shared-looks.ts'
import { Timers } from './timers.ts'
import { type WaitAside, WakeUps } from './wake-ups.ts'
import {
  builtRevision,
  hasNews,
  knownRevisions,
  newestRevisions,
  type RevisionsDeps,
  type WantedRevision,
} from './wanted-revisions.ts'

/** Why a pipeline starts that the configuration in force does not have. */
export const NEW_PIPELINE = 'it is new'

export interface TriggersOptions {
  readonly builds: Builds
  readonly pipelines: EffectivePipelines
  readonly poller: MaterialPoller
  /** The clock of timers, which all servers share. */
  readonly clock: Clock
  /** The ticks of timers that were done before. */
  readonly ticks: TimerTicks
  readonly log: Log
  /** Milliseconds after which a pipeline that could not start is retried. */
  readonly retry: number
}

export interface ManualStart extends Omit<RunRequest, 'revisions' | 'former'> {
  readonly pins: readonly Pin[]
  /** The pipeline as an earlier configuration has it, which the run is to be made from. */
  readonly former?: FormerPipeline | null
}

/** A run that a change of the configuration would start. */
export interface PlannedStart {
  readonly pipeline: string
  /** The reason, as the end of a sentence. */
  readonly because: string
}

/** The time that a run waits for its list of changes, in milliseconds. */
const CHANGES_TIMEOUT_MS = 5_000

/**
 * Starts pipelines: by changes of their materials, by stages of other pipelines, by timers, manually.
 *
 * The materials of the last run are read from the store, and a run starts in the same change that
 * records its materials. So nothing starts twice for the same revisions, and a poll that is lost in
 * a crash is made up for by the next one.
 */
export class Triggers implements AsyncDisposable {
  readonly #options: TriggersOptions
  readonly #revisions: RevisionsDeps
  readonly #wakeUps: WakeUps
  readonly #timers: Timers
  readonly #materialLooks: SharedLooks
  /** The ticks of timers that have to be done. */
  readonly #due = new Map<string, TimerTick>()
  /** The pipelines that could not start, with the logged reason. */
  readonly #waiting = new Map<string, string>()
  /** Pending writes of changes to runs. */
  readonly #notes = new Set<Promise<unknown>>()
  readonly #unlisten: () => void
  readonly #retry: NodeJS.Timeout
  /** Checks all pipelines, one after the other, yielding to the event loop in between. */
  readonly #looks = new SerialQueue()
  #looked: Promise<unknown> = Promise.resolve()
  #uses = new PipelineUses()
  /** The pipelines that were looked at last, whose uses these are; null before the first look. */
  #seen: readonly Pipeline[] | null = null
  #scheduledLook: NodeJS.Immediate | null = null
  #isClosed = false

  constructor(options: TriggersOptions) {
    this.#options = options
    this.#wakeUps = new WakeUps((name, aside) => this.#lookAt(name, aside), options.log)
    const { builds, pipelines, poller, clock, ticks, log, retry } = options
    this.#revisions = {
      poller,
      passed: new PassedStages(builds),
      origins: new RunOrigins(builds),
    }
    this.#materialLooks = new SharedLooks(poller)
    this.#timers = new Timers({
      clock,
      done: ticks,
      began: (begun) => inBackground(log, 'Timers could not be noted', builds.noteTicks(begun)),
      fired: (pipeline, tick) => this.#fire(pipeline, tick),
    })
    this.#unlisten = builds.onEvent((event) => this.#onEvent(event))
    poller.onPolled((fingerprint) => this.#wakeAll(this.#uses.ofMaterial(fingerprint)))
    pipelines.onChange(() => this.#lookSoon())
    this.#retry = setInterval(() => this.retryWaiting(), retry).unref()
    runSync(this.#lookInSteps())
  }

  /**
   * Starts a pipeline with the newest revisions of its materials, apart from pinned ones.
   *
   * @throws {ServiceError} `pipeline-not-found`, `material-not-found`,
   * `material-revision-not-found`, `maintenance`, `pipeline-paused`, `pipeline-locked`, or
   * `not-schedulable` with the reason.
   */
  startPipeline({ pins, former, ...asked }: ManualStart): Promise<PipelineInstance> {
    const request = former ? { ...asked, former: former.plan } : asked
    const name = nameKey(request.pipeline)
    // By a former configuration, a repository may be read in another way.
    const poller = former ? this.#options.poller : this.#materialLooks.next(name)
    const turn = this.#wakeUps.without(name, async () => {
      // A decision of a user is reported before the state of a repository, which may take long.
      await this.#options.builds.assertNotPaused(request.pipeline)
      await Promise.allSettled([this.#looked])
      const found = former ?? this.#options.pipelines.find(request.pipeline)
      const newest = await this.#newestRun(request.pipeline)
      const wanted = found ? await this.#wantedBy(found.pipeline, { poller, pins, newest }) : []
      return this.#schedule(request, wanted, { newest })
    })
    return turn.finally(() => this.#materialLooks.end(name, poller))
  }

  /**
   * The runs that would start at once with these pipelines in place of the present ones, by the
   * same rules as they start. A material that was not polled yet counts as readable.
   */
  async planStarts(pipelines: readonly Pipeline[]): Promise<readonly PlannedStart[]> {
    const started: PlannedStart[] = []
    const turns = new Turns()
    for (const pipeline of await runCooperatively(this.#changedInSteps(pipelines))) {
      if (turns.isOver) await turns.next()
      const because = await this.#plannedReason(pipeline)
      if (because !== null) started.push({ pipeline: pipeline.name, because })
    }
    return started
  }

  *#changedInSteps(pipelines: readonly Pipeline[]): CooperativeWork<readonly Pipeline[]> {
    const uses = new PipelineUses()
    for (const pipeline of pipelines) yield uses.add(pipeline)
    const changed = new Set(uses.changedSince(this.#uses))
    return pipelines.filter((each) => changed.has(nameKey(each.name)) && isAutomatic(each))
  }

  /** Checks the pipelines that could not start again, once the obstacle is gone. */
  retryWaiting(): void {
    this.#wakeAll([...this.#waiting.keys()])
  }

  /** Stops all starts and polls. Pending polls fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#retry)
    this.#isClosed = true
    if (this.#scheduledLook) clearImmediate(this.#scheduledLook)
    await this.#looks.close()
    this.#timers[Symbol.dispose]()
    this.#unlisten()
    const done = this.#wakeUps[Symbol.asyncDispose]()
    await this.#options.poller[Symbol.asyncDispose]()
    await done
    await Promise.all(this.#notes)
  }

  async #wantedBy(
    pipeline: Pipeline,
    {
      poller,
      ...start
    }: {
      readonly poller: RevisionsDeps['poller']
      readonly pins: readonly Pin[]
      readonly newest: PipelineInstance | null
    },
  ): Promise<readonly WantedRevision[]> {
    const revisions = { ...this.#revisions, poller }
    const pinned = await pinnedRevisions(
      { revisions, builds: this.#options.builds },
      pipeline,
      start,
    )
    return newestRevisions(revisions, pipeline, pinned)
  }

  async #schedule(
    request: Omit<RunRequest, 'revisions'>,
    wanted: readonly WantedRevision[],
    {
      newest,
      aside = (wait) => wait(),
    }: { readonly newest: PipelineInstance | null; readonly aside?: WaitAside },
  ): Promise<PipelineInstance> {
    const at = { newest, timeoutMs: CHANGES_TIMEOUT_MS }
    const compared = await aside(() => compareRevisions(this.#options, wanted, at))
    const { revisions, changes } = compared
    const run = await this.#options.builds.schedulePipeline({ ...request, revisions, changes })
    this.#noteLater(run, compared.later)
    return run
  }

  #noteLater(run: PipelineInstance, later: () => Promise<RunChanges>): void {
    const note = this.#note(run, later).finally(() => this.#notes.delete(note))
    this.#notes.add(note)
  }

  async #note(run: PipelineInstance, later: () => Promise<RunChanges>): Promise<void> {
    const { builds, log } = this.#options
    const { name: pipeline, counter } = run
    try {
      const changes = await later()
      if (changes.length > 0) await builds.noteChanges({ pipeline, counter }, changes)
    } catch (error) {
      const facts = { pipeline, counter, error: String(error) }
      log({ level: 'error', message: 'The changes of a run could not be recorded', facts })
    }
  }

  /** Why the pipeline would start, or null. */
  async #plannedReason(pipeline: Pipeline): Promise<string | null> {
    const { builds, poller } = this.#options
    if (await builds.pauseOf(pipeline.name)) return null
    const newest = await this.#newestRun(nameKey(pipeline.name))
    const deps = { ...this.#revisions, poller: withUnread(poller, pipeline) }
    const revisions = await knownRevisions(deps, pipeline, newest)
    if (revisions === null || !(await hasNews(deps, pipeline, { revisions, newest }))) return null
    if (await this.#isBusy(newest)) return null
    const isKnown = this.#options.pipelines.find(pipeline.name) !== null
    if (newest === null) return isKnown ? 'it has not run yet' : NEW_PIPELINE
    const fresh = revisions.filter((each) => builtRevision(newest, each.fingerprint) === null)
    return fresh.length > 0
      ? `its materials changed since run ${newest.counter}`
      : `its materials have changes since run ${newest.counter}`
  }

  async #newestRun(pipeline: string): Promise<PipelineInstance | null> {
    return (await this.#options.builds.pipelineHistory(pipeline, 0)).items[0] ?? null
  }

  /**
   * Runs while the change is written, and before its author can make another request. The first
   * pipeline to be noted in this turn is started first.
   */
  #lookSoon(): void {
    queueMicrotask(() => {
      this.#scheduledLook ??= setImmediate(() => {
        this.#looked = this.#looks.run(() => this.#lookInTurns())
        inBackground(this.#options.log, 'The pipelines could not be checked', this.#looked)
      })
    })
  }

  async #lookInTurns(): Promise<void> {
    this.#scheduledLook = null
    if (!this.#isClosed) await runCooperatively(this.#lookInSteps())
  }

  /** A configuration may have thousands of new pipelines; other requests are served in between. */
  *#lookInSteps(): Generator<unknown, void> {
    const pipelines = this.#options.pipelines.list().map(({ pipeline }) => pipeline)
    const { removed, added } = replacedPart(this.#seen ?? [], pipelines)
    const replaced = this.#seen && this.#uses.replace(removed, added)
    const changed = replaced ? this.#lookAtReplaced(replaced) : yield* this.#lookAtAll(pipelines)
    this.#seen = pipelines
    this.#timers.set(this.#uses.timers())
    for (const name of changed) yield this.#wakeUps.wake(name)
  }

  #lookAtReplaced({ unused, watched, changed }: ReplacedUses): Iterable<string> {
    this.#options.poller.replace(unused, watched)
    return changed
  }

  *#lookAtAll(pipelines: readonly Pipeline[]): Generator<unknown, Iterable<string>> {
    const uses = new PipelineUses()
    for (const pipeline of pipelines) yield uses.add(pipeline)
    yield* this.#options.poller.watch(watchedMaterials(pipelines))
    const before = this.#uses
    this.#uses = uses
    return uses.changedSince(before)
  }

  #onEvent(event: BuildEvent): void {
    this.#revisions.passed.note(event)
    if (event.type === 'pipeline-unlocked' || event.type === 'pipeline-unpaused') {
      return this.#wakeAll([nameKey(event.pipeline)])
    }
    if (event.type !== 'stage-finished') return
    const { pipelineName: pipeline, name: stage } = event.stage
    this.#wakeAll([nameKey(pipeline), ...this.#uses.ofStage({ pipeline, stage })])
  }

  #fire(pipeline: string, tick: TimerTick): void {
    this.#due.set(pipeline, tick)
    this.#wakeUps.wake(pipeline)
  }

  #wakeAll(names: readonly string[]): void {
    for (const name of names) this.#wakeUps.wake(name)
  }

  async #lookAt(name: string, aside: WaitAside): Promise<void> {
    try {
      const found = this.#options.pipelines.find(name)
      // A timer that fires while its pipeline is paused is skipped; the changes are built after the
      // pause.
      if (!found) this.#due.delete(name)
      else if (await this.#options.builds.pauseOf(name)) await this.#skipTick(name)
      else if (this.#due.has(name) || isAutomatic(found.pipeline))
        await this.#start(found.pipeline, aside)
      this.#waiting.delete(name)
    } catch (error) {
      this.#logFailure(name, error)
    }
  }

  async #start(pipeline: Pipeline, aside: WaitAside): Promise<void> {
    const name = nameKey(pipeline.name)
    const newest = await this.#newestRun(name)
    const revisions = await knownRevisions(this.#revisions, pipeline, newest)
    if (revisions === null) return
    const tick = this.#due.get(name)
    const isForced = tick !== undefined && !pipeline.timer?.onlyOnChanges
    const poller = waitingAside(this.#options.poller, aside)
    const isWanted = isForced || (await hasNews({ poller }, pipeline, { revisions, newest }))
    if (isWanted && (await this.#isBusy(newest))) return
    if (!isWanted) return this.#skipTick(name)
    const approvedBy = APPROVED_BY_CHANGES
    const after = newest?.counter ?? 0
    const request = { pipeline: name, approvedBy, after, ...(tick && { tick }) }
    await this.#schedule(request, revisions, { newest, aside })
    this.#endTick(name, tick)
  }

  /** A tick that starts nothing is done as well. */
  async #skipTick(name: string): Promise<void> {
    const tick = this.#due.get(name)
    if (tick === undefined) return
    await this.#options.builds.noteTicks(new Map([[name, tick]]))
    this.#endTick(name, tick)
  }

  /** The next one may have come meanwhile. */
  #endTick(name: string, tick: TimerTick | undefined): void {
    if (this.#due.get(name) === tick) this.#due.delete(name)
  }

  /**
   * While the first stage of a run is active no other run starts; its end triggers the next check.
   */
  async #isBusy(newest: PipelineInstance | null): Promise<boolean> {
    const [first] = newest?.stages ?? []
    if (!newest || !first) return false
    const run = await this.#options.builds.stage({
      pipeline: newest.name,
      pipelineCounter: newest.counter,
      stage: first.name,
      stageCounter: first.counter,
    })
    return run !== null && isActive(run.tally)
  }

  #logFailure(pipeline: string, error: unknown): void {
    const foreseen = error instanceof ServiceError || error instanceof SourceFailed
    const reason = foreseen ? error.message : error instanceof Error ? error.stack : String(error)
    const logged = this.#waiting.get(pipeline)
    this.#waiting.set(pipeline, reason ?? '')
    if (logged === reason || isExpected(error)) return
    const message = `The pipeline ${pipeline} could not start by itself`
    this.#options.log({ level: foreseen ? 'warning' : 'error', message, facts: { reason } })
  }
}

/** Whether an operator intended the obstacle; its end triggers the next check. */
function isExpected(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    ['pipeline-locked', 'pipeline-paused', 'maintenance'].includes(error.code)
  )
}

/** A poller whose changes, for which a repository may have to be read, are waited for aside. */
function waitingAside(poller: MaterialPoller, aside: WaitAside): Pick<MaterialPoller, 'changes'> {
  return { changes: (fingerprint, span) => aside(() => poller.changes(fingerprint, span)) }
}

/** Stands for the newest revision of a material that was not polled yet. */
const NOT_POLLED = 'not polled yet'

/** A poller that knows a revision of each material that it will poll by itself, unless it failed. */
function withUnread(poller: MaterialPoller, { materials }: Pipeline): RevisionsDeps['poller'] {
  const polled = materials.filter((each) => isSource(each) && each.autoUpdate)
  const unread = new Set(
    polled
      .map(materialFingerprint)
      .filter((each) => poller.latest(each) === null && !poller.isFailing(each)),
  )
  return {
    latest: (fingerprint) => (unread.has(fingerprint) ? NOT_POLLED : poller.latest(fingerprint)),
    poll: (fingerprint) => poller.poll(fingerprint),
    pollOnce: (material, name) => poller.pollOnce(material, name),
    find: (fingerprint, revision) => poller.find(fingerprint, revision),
    changes: async (fingerprint, span) =>
      unread.has(fingerprint) ? null : poller.changes(fingerprint, span),
  }
}

function isAutomatic({ stages }: Pipeline): boolean {
  return stages[0]?.approval?.type !== 'manual'
}
