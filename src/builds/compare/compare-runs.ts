import type { ConfigChangesDeps } from '../../configuration/changes/config-changes.ts'
import {
  changesBetween,
  type ChangesBetween,
  type DatedChange,
} from '../../configuration/changes/changes-between.ts'
import type { SecretBox } from '../../document/secrets/secret-box.ts'
import { shownMaterial } from '../../document/materials/shown-material.ts'
import { materialFingerprint } from '../../document/materials/identity.ts'
import { reportedResult } from '../../core/builds/stage.ts'
import { ServiceError } from '../../core/errors.ts'
import { isSameName } from '../../core/name-key.ts'
import type { Principal } from '../../core/principal.ts'
import type { History } from '../../history/history.ts'
import type { PipelineInstance, RunConfiguration, StagePlace } from '../engine/documents.ts'
import type { PipelineRun } from '../engine/keys.ts'
import type { StageRun } from '../engine/queries.ts'
import { stageNotFound } from '../engine/stage-not-found.ts'
import {
  type NumberedConfiguration,
  type PipelineRunsDeps,
  stagesOf,
} from '../runs/pipeline-runs.ts'
import { readViewableRun, viewableRuns } from '../runs/run-rights.ts'
import { type RunCause, causesOf } from './causes.ts'
import { concerns } from './concerns.ts'
import {
  type ComparedRun,
  type ComparisonFacts,
  differencesOf,
  type IncludedCommit,
  type RunDifferences,
} from './run-comparison.ts'
import { HIDDEN } from '../../document/entities/change.ts'
import { groupBy } from '../../lib/grouping.ts'

export interface CompareRunsDeps extends PipelineRunsDeps, ConfigChangesDeps {
  readonly access: PipelineRunsDeps['access']
  readonly history: History
  /** Tells whether two secure variables have one value. */
  readonly box: Pick<SecretBox, 'open'>
}

export interface RunComparisonRequest {
  readonly pipeline: string
  readonly from: number | 'last-passed'
  readonly to: number
  /** The stage that the question is about; without one, the first of the later run that did not pass. */
  readonly stage: string | null
}

/** The differences between two runs of a pipeline, and the possible causes of another result. */
export interface RunComparison extends RunDifferences {
  readonly pipeline: string
  readonly from: PipelineInstance
  readonly to: PipelineInstance
  /** The stage that the question is about, with its compared runs. */
  readonly stage: { readonly from: StageRun | null; readonly to: StageRun } | null
  readonly causes: readonly RunCause[]
  /** Null for runs from before this was recorded; then no changes of the configuration are known. */
  readonly configuration: {
    readonly from: NumberedConfiguration | null
    readonly to: NumberedConfiguration | null
    /** False where some changes are not listed, or not known yet. */
    readonly isComplete: boolean
  }
}

/** The most runs between two that are asked for their commits, and the most commits of a material. */
const MAX_RUNS = 30
const MAX_COMMITS = 100
/** The runs that are looked at for the last that passed, where they did not record it. */
const MAX_LOOK_BACK = 200

/**
 * Compares two runs of a pipeline, for everybody who may view both.
 *
 * @throws {ServiceError} `pipeline-not-found` for an unknown run, `stage-not-found` for a stage that
 * did not run or had not passed before, `not-permitted`.
 */
export async function compareRuns(
  deps: CompareRunsDeps,
  principal: Principal,
  { pipeline, from, to, stage }: RunComparisonRequest,
): Promise<RunComparison> {
  const later = await readRun(deps, principal, { pipeline, counter: to })
  const asked = stageInQuestion(later, { pipeline, stage })
  const place = from === 'last-passed' ? await passedBefore(deps, pipeline, asked) : null
  const counter = place?.pipelineCounter ?? (from === 'last-passed' ? to : from)
  const earlier = await readRun(deps, principal, { pipeline, counter })
  const former = asked && (await formerOf(deps, { asked, earlier, place }))
  const compared = { earlier: withAttempt(earlier, former), later, asked, former }
  const configuration = configurationsOf(deps, compared)
  const between = await changesOf(deps, compared)
  const facts: ComparisonFacts = {
    from: await comparedRun(deps, compared.earlier),
    to: await comparedRun(deps, later),
    stage: asked?.stage.name ?? null,
    materials: namesOfMaterials(deps, pipeline),
    commits: await commitsBetween(deps, principal, { earlier: earlier.run, later: later.run }),
    changes: between.changes,
    isBackwards: between.isBackwards,
    isSameSecret: (one, other) => isSameSecret(deps, one, other),
  }
  const found = differencesOf(facts)
  return {
    ...found,
    pipeline: later.run.name,
    from: earlier.run,
    to: later.run,
    stage: asked && { from: former, to: asked },
    causes: causesOf(facts, found),
    configuration: { ...configuration, isComplete: between.isComplete },
  }
}

interface RunWithStages {
  readonly run: PipelineInstance
  readonly stages: readonly StageRun[]
}

async function readRun(
  deps: CompareRunsDeps,
  principal: Principal,
  asked: PipelineRun,
): Promise<RunWithStages> {
  const run = await readViewableRun(deps, principal, asked)
  if (run) return { run, stages: await stagesOf(deps.builds, run) }
  const { pipeline, counter } = asked
  const message = `There is no run ${counter} of a pipeline ${pipeline}`
  throw new ServiceError('pipeline-not-found', message, { pipeline })
}

/** The named stage, or the first that did not pass, or the last one. */
function stageInQuestion(
  { stages }: RunWithStages,
  { pipeline, stage }: { readonly pipeline: string; readonly stage: string | null },
): StageRun | null {
  if (stage === null) {
    const failed = stages.find(({ result }) => result !== 'Passed' && result !== 'Unknown')
    return failed ?? stages.at(-1) ?? null
  }
  const found = stages.find((each) => isSameName(each.stage.name, stage))
  if (found) return found
  throw stageNotFound({ pipeline, stage })
}

/** @throws {ServiceError} `stage-not-found` when the stage had not passed before. */
async function passedBefore(
  deps: CompareRunsDeps,
  pipeline: string,
  asked: StageRun | null,
): Promise<StagePlace> {
  const stage = asked?.stage
  const found = stage && (stage.passedBefore ?? (await lookBack(deps, stage)))
  if (found) return found
  const name = stage?.name ?? ''
  const message = `The stage ${name} of the pipeline ${pipeline} had not passed before that run`
  throw new ServiceError('stage-not-found', message, { pipeline, stage: name })
}

/** For runs of versions that did not record which one had passed before. */
async function lookBack(
  { builds }: CompareRunsDeps,
  { pipelineName: pipeline, name: stage, id, passedBefore: recorded }: StageRun['stage'],
): Promise<StagePlace | null> {
  if (recorded === null) return null
  for (let offset = 0; offset < MAX_LOOK_BACK;) {
    const { items } = await builds.stages({ pipeline, stage }, offset)
    const found = items.find((each) => each.id < id && reportedResult(each.tally) === 'Passed')
    if (found) {
      const { pipelineCounter, counter: stageCounter } = found
      return { pipelineCounter, stageCounter }
    }
    if (items.length === 0) return null
    offset += items.length
  }
  return null
}

/** The run of the stage in the earlier run: the attempt that passed, or the newest one. */
async function formerOf(
  { builds }: CompareRunsDeps,
  of: {
    readonly asked: StageRun
    readonly earlier: RunWithStages
    readonly place: StagePlace | null
  },
): Promise<StageRun | null> {
  const { asked, earlier, place } = of
  const { pipelineName: pipeline, name: stage } = asked.stage
  if (place) return builds.stageInstance({ pipeline, stage, ...place })
  return earlier.stages.find((each) => isSameName(each.stage.name, stage)) ?? null
}

function withAttempt(of: RunWithStages, attempt: StageRun | null): RunWithStages {
  if (attempt === null) return of
  const stages = of.stages.map((each) =>
    isSameName(each.stage.name, attempt.stage.name) ? attempt : each,
  )
  return { ...of, stages }
}

interface Compared {
  readonly earlier: RunWithStages
  readonly later: RunWithStages
  readonly asked: StageRun | null
  readonly former: StageRun | null
}

/** The configurations of the stage, or of the runs where one of them did not have the stage. */
function sidesOf({ earlier, later, asked, former }: Compared) {
  if (asked && former) return { from: former.stage, to: asked.stage }
  return { from: earlier.run, to: later.run }
}

function configurationsOf({ history }: CompareRunsDeps, compared: Compared) {
  const { from, to } = sidesOf(compared)
  const numbered = (configuration: RunConfiguration | null) =>
    configuration && { ...configuration, number: history.numberOf(configuration) }
  return { from: numbered(from.configuration), to: numbered(to.configuration) }
}

/** The changes of the pipeline, and of what its jobs are made from and were run by. */
async function changesOf(deps: CompareRunsDeps, compared: Compared): Promise<ChangesBetween> {
  const { from, to } = sidesOf(compared)
  const [before, after] = await Promise.all([
    from.configuration && deps.history.findCommitEver(from.configuration.commit),
    to.configuration && deps.history.findCommitEver(to.configuration.commit),
  ])
  if (!before || !after) return { changes: [], isBackwards: false, isComplete: false }
  const all = [...compared.earlier.stages, ...compared.later.stages]
  const agents = [...new Set(all.flatMap(({ jobs }) => jobs.flatMap((job) => job.agentUuid ?? [])))]
  const pipeline = compared.later.run.name
  const names = new Set([
    `pipeline/${pipeline}`,
    ...all.flatMap(({ stage }) => stage.entities),
    ...agents.map((uuid) => `agent/${uuid}`),
  ])
  const between = await changesBetween(deps, { from: before, to: after }, [...names])
  const own = between.changes.filter(({ change }) => concerns(change, { pipeline, agents }))
  return { ...between, changes: netChanges(own) }
}

async function comparedRun({ builds }: CompareRunsDeps, of: RunWithStages): Promise<ComparedRun> {
  const keys = of.stages.flatMap(({ jobs }) => jobs.flatMap(({ ranOn }) => ranOn ?? []))
  return { ...of, agents: await builds.recordedAgents([...new Set(keys)]) }
}

function namesOfMaterials(
  { pipelines }: CompareRunsDeps,
  pipeline: string,
): ReadonlyMap<string, string> {
  const materials = pipelines.find(pipeline)?.pipeline.materials ?? []
  return new Map(materials.map((each) => [materialFingerprint(each), shownMaterial(each)]))
}

/** The changes that the runs after the earlier one were the first to include, newest first. */
async function commitsBetween(
  deps: CompareRunsDeps,
  principal: Principal,
  { earlier, later }: Record<'earlier' | 'later', PipelineInstance>,
): Promise<ReadonlyMap<string, readonly IncludedCommit[]>> {
  const [low, high] = [earlier.counter, later.counter].toSorted((one, other) => one - other)
  const commits = new Map<string, IncludedCommit[]>()
  const last = Math.max(low ?? 0, (high ?? 0) - MAX_RUNS)
  for (let counter = high ?? 0; counter > last; counter -= 1) {
    const changes = await deps.builds.runChanges({ pipeline: later.name, counter })
    if (changes.length === 0) continue
    const run = await deps.builds.pipelineInstance({ pipeline: later.name, counter })
    if (!run || (await viewableRuns(deps, principal, [run])).length === 0) continue
    for (const { fingerprint, modifications } of changes) {
      const known = commits.get(fingerprint) ?? []
      const more = modifications.slice(0, MAX_COMMITS - known.length)
      commits.set(fingerprint, [...known, ...more.map((each) => ({ ...each, run: counter }))])
    }
  }
  return commits
}

function isSameSecret({ box }: CompareRunsDeps, one: string, other: string): boolean {
  const opened = box.open(one)
  return opened !== null && opened === box.open(other)
}

/**
 * The changes, newest first, without those that later ones took back: what is again as it was is no
 * difference. A hidden or a shortened value tells nothing about another one.
 */
function netChanges(changes: readonly DatedChange[]): readonly DatedChange[] {
  const chains = groupBy(changes, ({ change: { entity, path, subject } }) =>
    JSON.stringify([entity, path, subject]),
  )
  const undone = new Set([...chains.values()].filter(isUndone).flat())
  return changes.filter((each) => !undone.has(each))
}

function isUndone(newestFirst: readonly DatedChange[]): boolean {
  const [newest, oldest] = [newestFirst[0]?.change, newestFirst.at(-1)?.change]
  if (!newest || !oldest || newest === oldest) return false
  if (oldest.kind === 'added' && newest.kind === 'removed') return true
  const isKnown = [oldest.from, newest.to].every((value) => value !== undefined && isWhole(value))
  return isKnown && oldest.from === newest.to && newestFirst.every(isNextOf)
}

/** Whether a change goes on from the value that the one before has set: there may be several values of one name. */
function isNextOf(
  { change }: DatedChange,
  at: number,
  newestFirst: readonly DatedChange[],
): boolean {
  const before = newestFirst[at + 1]?.change
  return change.kind === 'changed' && (before === undefined || before.to === change.from)
}

function isWhole(value: string): boolean {
  return !value.includes(HIDDEN) && !value.includes('…')
}
