import type { Principal } from '../../core/principal.ts'
import { nameKey } from '../../core/name-key.ts'
import type { History } from '../../history/history.ts'
import type { RunRightsDeps } from '../../builds/runs/run-rights.ts'
import { type ScriptDeps, compareTexts, type TextComparison } from '../code/comparison.ts'
import { LinePieces, type ShownLine } from '../code/line-pieces.ts'
import { PLAIN } from '../code/plain-options.ts'
import { textLinesOf } from '../code/text-lines.ts'
import {
  assertMaySee,
  type EntityAccessDeps,
  type EntityAddress,
  entityNotFound,
} from '../revisions/entity-address.ts'
import { pipelineRuns, type RunsBetween, stageRuns } from './runs-of-entity.ts'
import {
  type EntityStep,
  type EntityStepsDeps,
  type StepPlace,
  visibleSteps,
} from './entity-steps.ts'
import { type EntityText, readEntityText } from './entity-text.ts'

export interface EntityHistoryDeps extends EntityStepsDeps, EntityAccessDeps, RunRightsDeps {
  readonly script: ScriptDeps['script']
}

/** A step with the lines that it changed, and the runs that came after it. */
export interface ShownStep extends EntityStep {
  /** Null where the lines are too many, or are not those of the entity alone. */
  readonly diff: TextComparison | null
  readonly runs: RunsBetween
}

/** One thing of the configuration through time, as one page shows it. */
export interface EntityHistory {
  readonly address: EntityAddress
  /** The name for people, such as the host of an agent. */
  readonly label: string
  /** What it was called before, the last name first. */
  readonly former: readonly string[]
  readonly steps: readonly ShownStep[]
  readonly offset: number
  readonly total: number
  /** Its XML in the current configuration, or null when that has none. */
  readonly now: CurrentText | null
  /** Whether the caller may see the rest of the configuration too. */
  readonly isAdministrator: boolean
}

export interface CurrentText {
  /** The line of the document that it begins at, from 1, and how many it has. */
  readonly line: number
  readonly lines: number
  /** Null where there are too many. */
  readonly shown: readonly ShownLine[] | null
}

export const STEPS = 20
/** Longer texts are looked at in the snapshot. */
const MOST_LINES = 500
const NO_RUNS: RunsBetween = { newest: [], left: 0, oldest: [] }
/** These hold others whose changes are not their own. */
const HOLDS_OTHERS = new Set(['group', 'server', 'document'])
/** Larger differences have a page of their own. */
const MOST_ROWS = 60

/**
 * What changed about one thing as far as the caller may see it, newest first, and how it ran meanwhile.
 *
 * @throws {ServiceError} `not-permitted`, `entity-not-found`; `unavailable` while it is not known.
 */
export async function readEntityHistory(
  deps: EntityHistoryDeps,
  principal: Principal,
  { address, offset }: { readonly address: EntityAddress; readonly offset: number },
): Promise<EntityHistory> {
  assertMaySee(deps, principal, address)
  const { history, access } = deps
  const { visible: all } = await visibleSteps(deps, principal, address)
  const now = await readEntityText(history, history.current(), address)
  if (all.length === 0 && now === null) throw entityNotFound(address)
  return {
    address,
    label: labelOf(address, all),
    former: formerNames(address, all),
    steps: await shownSteps(deps, principal, { address, all, offset }),
    offset,
    total: all.length,
    now: now && currentText(now),
    isAdministrator: access.may(principal, { action: 'administer' }),
  }
}

function currentText({ text, line }: EntityText): CurrentText {
  const lines = text.split('\n').length - 1
  if (lines > MOST_LINES) return { line, lines, shown: null }
  const pieces = new LinePieces(textLinesOf(Buffer.from(text), lines))
  return { line, lines, shown: pieces.of({ start: 0, end: lines }) }
}

function labelOf({ name, kind, entity }: EntityAddress, steps: readonly EntityStep[]): string {
  if (kind !== 'agent') return name
  for (const { changes } of steps) {
    const told = changes.find((change) => change.entity === entity)
    if (told) return told.label
  }
  return name
}

function formerNames({ entity, stage }: EntityAddress, steps: readonly EntityStep[]): string[] {
  const own = [entity, nameKey(stage ?? '')].join(' ')
  const names = steps.map((step) => ({
    key: [step.entity, step.stage ?? ''].join(' '),
    name: [step.entity.slice(step.entity.indexOf('/') + 1), step.stage ?? []].flat().join('/'),
  }))
  return [...new Set(names.filter(({ key }) => key !== own).map(({ name }) => name))]
}

async function shownSteps(
  deps: EntityHistoryDeps,
  principal: Principal,
  of: {
    readonly address: EntityAddress
    readonly all: readonly EntityStep[]
    readonly offset: number
  },
): Promise<readonly ShownStep[]> {
  const { address, all, offset } = of
  const isAlone = !HOLDS_OTHERS.has(address.kind)
  const shown = all.slice(offset, offset + STEPS)
  const texts = isAlone ? await textsOf(deps.history, shown) : []
  return Promise.all(
    shown.map(async (step, n) => {
      const { revision, changes, entity, stage, before } = step
      const pair = texts[n]
      const diff = pair ? await smallDiff(deps, pair) : null
      const runs = await runsAfter(deps, principal, { step, next: all[offset + n - 1] ?? null })
      return { revision, changes, entity, stage, before, diff, runs }
    }),
  )
}

/**
 * What each step found and left. What a step found is what the one before it left: nothing else has
 * changed it.
 */
async function textsOf(
  history: History,
  steps: readonly EntityStep[],
): Promise<(readonly [before: string, after: string])[]> {
  const known = new Map<string, string>()
  const textAt = async (place: StepPlace | null): Promise<string> => {
    if (place === null) return ''
    const key = [place.revision.number, place.entity, place.stage ?? ''].join(' ')
    const text =
      known.get(key) ?? (await readEntityText(history, place.revision, place))?.text ?? ''
    known.set(key, text)
    return text
  }
  const texts: (readonly [string, string])[] = []
  for (const step of steps) {
    const after = await textAt(step)
    texts.push([await textAt(step.before), after])
  }
  return texts
}

async function smallDiff(
  deps: Pick<EntityHistoryDeps, 'script'>,
  texts: readonly [string, string],
): Promise<TextComparison | null> {
  const diff = await compareTexts(deps, texts, PLAIN)
  const rows = diff.regions.reduce((sum, region) => {
    return sum + region.blocks.reduce((all, block) => all + block.rows.length, 0)
  }, 0)
  return diff.remaining > 0 || rows > MOST_ROWS ? null : diff
}

/** The runs under a step: after it, and before the one that came next. */
async function runsAfter(
  deps: RunRightsDeps,
  principal: Principal,
  of: { readonly step: EntityStep; readonly next: EntityStep | null },
): Promise<RunsBetween> {
  const { entity, stage, revision } = of.step
  if (!entity.startsWith('pipeline/')) return NO_RUNS
  const pipeline = entity.slice('pipeline/'.length)
  const between = { newer: of.next?.revision.time ?? Infinity, older: revision.time }
  const reader = { deps, principal }
  if (stage === null) return pipelineRuns(reader, pipeline, between)
  return stageRuns(reader, { pipeline, stage }, between)
}
