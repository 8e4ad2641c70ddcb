import type { Builds } from '../../../builds/builds.ts'
import type { Principal } from '../../../core/principal.ts'
import type { History } from '../../../history/history.ts'
import { type ScriptDeps, compareTexts, type TextComparison } from '../compare/comparison.ts'
import { LinePieces, type ShownLine } from '../compare/line-pieces.ts'
import { PLAIN } from '../compare/plain-options.ts'
import { textLinesOf } from '../compare/text-lines.ts'
import {
  assertMaySee,
  type EntityAccessDeps,
  type EntityAddress,
  entityNotFound,
} from './entity-address.ts'
import { pipelineRuns, type RunReader, type RunsBetween, stageRuns } from './entity-runs.ts'
import { entitySteps, type EntityStep, type EntityStepsDeps } from './entity-steps.ts'
import { type EntityText, readEntityText } from './entity-text.ts'

export interface EntityHistoryDeps extends EntityStepsDeps, EntityAccessDeps {
  readonly builds: Builds
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
 * What changed about one thing, newest first, and how it ran meanwhile.
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
  const all = await entitySteps(deps, address)
  const now = await readEntityText(history, history.current(), address)
  if (all.length === 0 && now === null) throw entityNotFound(address)
  return {
    address,
    label: labelOf(address, all),
    former: formerNames(address, all),
    steps: await shownSteps(deps, address, { all, offset }),
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
  const own = [entity, stage?.toLowerCase() ?? ''].join(' ')
  const names = steps.map((step) => ({
    key: [step.entity, step.stage ?? ''].join(' '),
    name: [step.entity.slice(step.entity.indexOf('/') + 1), step.stage ?? []].flat().join('/'),
  }))
  return [...new Set(names.filter(({ key }) => key !== own).map(({ name }) => name))]
}

async function shownSteps(
  deps: EntityHistoryDeps,
  address: EntityAddress,
  { all, offset }: { readonly all: readonly EntityStep[]; readonly offset: number },
): Promise<readonly ShownStep[]> {
  const isAlone = !HOLDS_OTHERS.has(address.kind)
  const end = Math.min(all.length, offset + STEPS)
  // What a step began from is what the one before it led to: nothing else has changed it.
  const texts = isAlone ? await textsOf(deps.history, all.slice(offset, end + 1)) : []
  return Promise.all(
    all.slice(offset, end).map(async (step, n) => {
      const [after = '', before = ''] = texts.slice(n, n + 2)
      const { revision, changes, entity, stage } = step
      const diff = isAlone ? await smallDiff(deps, [before, after]) : null
      const runs = await runsAfter(deps.builds, step, all[offset + n - 1] ?? null)
      return { revision, changes, entity, stage, diff, runs }
    }),
  )
}

async function textsOf(history: History, steps: readonly EntityStep[]): Promise<string[]> {
  const texts: string[] = []
  for (const step of steps) {
    texts.push((await readEntityText(history, step.revision, step))?.text ?? '')
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
  builds: RunReader,
  { entity, stage, revision }: EntityStep,
  next: EntityStep | null,
): Promise<RunsBetween> {
  if (!entity.startsWith('pipeline/')) return NO_RUNS
  const pipeline = entity.slice('pipeline/'.length)
  const between = { newer: next?.revision.time ?? Infinity, older: revision.time }
  if (stage === null) return pipelineRuns(builds, pipeline, between)
  return stageRuns(builds, { pipeline, stage }, between)
}
