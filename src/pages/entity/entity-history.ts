import type { Principal } from '../../core/principal.ts'
import { type IndexProgress, unfinished } from '../../index/index-progress.ts'
import { nameKey } from '../../core/name-key.ts'
import { holdsOthers, splitEntity } from '../../document/entities/entities.ts'
import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import type { History } from '../../history/history.ts'
import type { LazyList } from '../../lib/lazy-list.ts'
import { type ScriptDeps, compareTexts, type TextComparison, PLAIN } from '../code/comparison.ts'
import { LinePieces, type ShownLine } from '../code/line-pieces.ts'
import type { PageStateDeps } from '../frame/page-state.tsx'
import { textLinesOf } from '../../document/text/text-lines.ts'
import {
  assertMaySee,
  type EntityAccessDeps,
  type EntityAddress,
  entityNotFound,
} from '../revisions/entity-address.ts'
import { pipelineRuns, type RunsBetween, type RunsReader, stageRuns } from './runs-of-entity.ts'
import {
  type EntityStep,
  type EntityStepsDeps,
  changesOfSteps,
  type StepPlace,
  type VisibleSteps,
  visibleSteps,
} from './entity-steps.ts'
import { type TemplateStep, templateSteps } from './template-steps.ts'
import { effectiveIn } from '../../configuration/entities/effective-pipeline.ts'
import type { DocumentCache } from '../../configuration/current/document-cache.ts'
import type { EffectiveForm } from '../../document/effective/effective-values.ts'
import { type EntityText, readEntityText } from './entity-text.ts'
import type { VisibleStepsDeps } from './visible-steps.ts'
import { numbered } from '../revisions/numbered-revision.ts'
import { toldRevision } from '../revisions/told-revision.ts'

export interface EntityHistoryDeps extends EntityStepsDeps, VisibleStepsDeps, PageStateDeps {
  readonly cache: DocumentCache
  readonly script: ScriptDeps['script']
}

/** A step with the lines that it changed, and the runs after it. */
export interface ShownStep extends EntityStep {
  /** Null when there are too many lines, or they are not about this entity alone. */
  readonly diff: TextComparison | null
  readonly runs: RunsBetween
  /** The changes of its template after the step, newest first. */
  readonly templates: readonly TemplateStep[]
}

/** The history of one entity, as one page shows it. */
export interface EntityHistory {
  readonly address: EntityAddress
  /** Its former names, the latest first. */
  readonly former: readonly string[]
  readonly steps: readonly ShownStep[]
  readonly offset: number
  readonly total: number
  /** How far the history is indexed; null when all of it is. */
  readonly indexing: IndexProgress | null
  /** Its XML in the current configuration, or null when it does not exist there. */
  readonly now: CurrentText | null
  /** A pipeline as it runs now, where that is asked for; null for what has no such form. */
  readonly effective: EffectiveForm | null
  /** Whether the caller may also see the rest of the configuration. */
  readonly isAdministrator: boolean
  /** Whether the caller may change it, or propose a change. */
  readonly mayEdit: boolean
  readonly mayOnlyPropose: boolean
  /** False where it has runs that are not known. */
  readonly hasRuns: boolean
}

export interface CurrentText {
  /** The number of the current revision. */
  readonly revision: number
  /** The line of the document at which it starts, from 1, and its number of lines. */
  readonly line: number
  readonly lines: number
  /** Null when there are too many. */
  readonly shown: readonly ShownLine[] | null
}

export const STEPS = 20
/** Longer texts are only linked, not shown. */
const MAX_LINES = 1_000
const PIPELINE = 'pipeline/'
const NO_RUNS: RunsBetween = { newest: [], left: 0, oldest: [] }
/** Larger differences are linked, not shown. */
const MAX_ROWS = 60

/** The part of an entity's history that a page shows. */
export interface EntityHistoryRequest {
  readonly address: EntityAddress
  readonly offset: number
  /** Whether a pipeline is shown as it runs. */
  readonly isEffective: boolean
}

/**
 * The changes of one entity that the caller may see, newest first, with the runs between them.
 *
 * @throws {ServiceError} `not-permitted`, `entity-not-found`.
 */
export async function readEntityHistory(
  deps: EntityHistoryDeps,
  principal: Principal,
  { address, offset, isEffective }: EntityHistoryRequest,
): Promise<EntityHistory> {
  assertMaySee(deps, principal, address)
  const { history, access } = deps
  const { visible: all, names } = await visibleSteps(deps, principal, address)
  const indexing = unfinished(deps.entities.progress())
  const now = await readEntityText(history, history.current(), address)
  // While older revisions are not indexed, one of them may have had it.
  if (all.length === 0 && now === null && indexing === null) throw entityNotFound(address)
  return {
    address,
    former: formerNames(address, names),
    steps: await shownSteps(deps, principal, { address, all, offset }),
    effective:
      isEffective && now !== null && mayShowEffective(deps, principal, address)
        ? await effectiveIn(deps, history.current(), address.name)
        : null,
    offset,
    total: all.length,
    indexing,
    now: now && { ...currentText(now), revision: history.size() },
    isAdministrator: access.may(principal, { action: 'administer' }),
    mayEdit: mayEditEntity(deps, principal, address),
    mayOnlyPropose: mayOnlyPropose(deps, principal, address),
    hasRuns: deps.runs() !== null || !address.entity.startsWith(PIPELINE),
  }
}

/** Whether an address is that of a pipeline whose effective form the caller may see. */
export function mayShowEffective(
  deps: EntityAccessDeps,
  principal: Principal,
  address: EntityAddress,
): boolean {
  return address.kind === 'pipeline' && mayEditEntity(deps, principal, address)
}

/** Whether a caller who may see an entity administers it. */
function mayEditEntity(
  { access, pipelines }: EntityAccessDeps,
  principal: Principal,
  { kind, name }: Pick<EntityAddress, 'kind' | 'name'>,
): boolean {
  const group = kind === 'pipeline' ? pipelines.find(name)?.group : name
  if (kind === 'template')
    return access.may(principal, { action: 'administer-template', template: name })
  const isOfGroup = (kind === 'pipeline' || kind === 'group') && group !== undefined
  const action = isOfGroup
    ? ({ action: 'administer-group', group } as const)
    : ({ action: 'administer' } as const)
  return access.may(principal, action)
}

/** Whether a caller may propose a change of an entity, and not save it: pipelines have viewers, who see their text. */
export function mayOnlyPropose(
  deps: EntityAccessDeps,
  principal: Principal,
  place: Pick<EntityAddress, 'kind' | 'name'>,
): boolean {
  const { kind, name: pipeline } = place
  if (kind !== 'pipeline' || mayEditEntity(deps, principal, place)) return false
  return deps.access.may(principal, { action: 'view-pipeline', pipeline })
}

/** The entity that a caller may undo a change of, or propose to: of a stage its pipeline; null for none. */
export function undoneWith(
  deps: EntityAccessDeps,
  principal: Principal,
  { kind, name, stage }: Pick<EntityAddress, 'kind' | 'name' | 'stage'>,
): EntityPlace | null {
  const place =
    stage === null
      ? { kind, name }
      : { kind: 'pipeline', name: name.slice(0, -stage.length - '/'.length) }
  const mayUndo = mayEditEntity(deps, principal, place) || mayOnlyPropose(deps, principal, place)
  return mayUndo ? place : null
}

function currentText({ text, line }: EntityText): Omit<CurrentText, 'revision'> {
  const lines = text.split('\n').length - 1
  if (lines > MAX_LINES) return { line, lines, shown: null }
  const pieces = new LinePieces(textLinesOf(Buffer.from(text), lines))
  return { line, lines, shown: pieces.of({ start: 0, end: lines }) }
}

function formerNames({ entity, stage }: EntityAddress, steps: VisibleSteps['names']): string[] {
  const own = [entity, nameKey(stage ?? '')].join(' ')
  const names = steps.map((step) => ({
    key: [step.entity, step.stage ?? ''].join(' '),
    name: [splitEntity(step.entity).name, step.stage ?? []].flat().join('/'),
  }))
  return [...new Set(names.filter(({ key }) => key !== own).map(({ name }) => name))]
}

async function shownSteps(
  deps: EntityHistoryDeps,
  principal: Principal,
  of: {
    readonly address: EntityAddress
    readonly all: LazyList<EntityStep>
    readonly offset: number
  },
): Promise<readonly ShownStep[]> {
  const { address, all, offset } = of
  const isAlone = !holdsOthers(address.entity)
  const shown = all.slice(offset, offset + STEPS)
  const changesOf = await changesOfSteps(deps, shown)
  const texts = isAlone ? await textsOf(deps.history, shown) : []
  const hasTemplates = mayShowEffective(deps, principal, address)
  const runsOf = runsByName(deps, principal)
  return Promise.all(
    shown.map(async (step, n) => {
      const { number, entity, stage, before } = step
      const changes = changesOf[n] ?? []
      const seen = { revision: step.revision, entity, changes }
      const revision = toldRevision(deps, principal, seen)
      const pair = texts[n]
      const diff = pair ? await smallDiff(deps, pair) : null
      const next = all.at(offset + n - 1) ?? null
      const runs = await runsAfter(runsOf, { step, next })
      const text = hasTemplates ? (pair?.[1] ?? '') : ''
      const templates = await templateSteps(deps, principal, { step, next, text })
      return { number, revision, changes, entity, stage, before, diff, runs, templates }
    }),
  )
}

/** The text of the entity before and after each step. */
async function textsOf(
  history: History,
  steps: readonly EntityStep[],
): Promise<(readonly [before: string, after: string])[]> {
  const known = new Map<string, string>()
  const textAt = async (place: StepPlace | null): Promise<string> => {
    if (place === null) return ''
    const key = [place.number, place.entity, place.stage ?? ''].join(' ')
    const text =
      known.get(key) ?? (await readEntityText(history, place.revision, place))?.text ?? ''
    known.set(key, text)
    return text
  }
  const texts: (readonly [string, string])[] = []
  for (const step of steps) {
    const after = await textAt(step)
    texts.push([await textAt(placeBefore(history, step)), after])
  }
  return texts
}

/**
 * Where the text before a step is found. After a previous step upon which all later ones came, no
 * other revision has changed it; else the step came upon something of its own.
 */
function placeBefore(history: History, { before, revision }: EntityStep): StepPlace | null {
  if (before === null || history.isClosed(before.revision)) return before
  const base = history.previousOf(revision)
  return base && { ...before, revision: numbered(history, base), number: revision.base ?? 0 }
}

async function smallDiff(
  deps: Pick<EntityHistoryDeps, 'script'>,
  texts: readonly [string, string],
): Promise<TextComparison | null> {
  const diff = await compareTexts(deps, texts, PLAIN)
  const rows = diff.regions.reduce((sum, region) => {
    return sum + region.blocks.reduce((all, block) => all + block.rows.length, 0)
  }, 0)
  return diff.next !== null || rows > MAX_ROWS ? null : diff
}

/** Finds the runs of a pipeline, or of one of its stages, by the name that it had at a step. */
type RunsByName = (step: EntityStep) => RunsReader | null

function runsByName({ runs }: PageStateDeps, principal: Principal): RunsByName {
  const deps = runs()
  const readers = new Map<string, RunsReader>()
  return ({ entity, stage }) => {
    if (deps === null || !entity.startsWith(PIPELINE)) return null
    const pipeline = entity.slice(PIPELINE.length)
    const key = JSON.stringify([pipeline, stage])
    const viewer = { deps, principal }
    const reader =
      readers.get(key) ??
      (stage === null ? pipelineRuns(viewer, pipeline) : stageRuns(viewer, { pipeline, stage }))
    readers.set(key, reader)
    return reader
  }
}

/** The runs of a step: those after it and before the next one. */
async function runsAfter(
  runsOf: RunsByName,
  { step, next }: { readonly step: EntityStep; readonly next: EntityStep | null },
): Promise<RunsBetween> {
  const between = { newer: next?.revision.time ?? Infinity, older: step.revision.time }
  return runsOf(step)?.(between) ?? NO_RUNS
}
