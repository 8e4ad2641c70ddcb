import { ENTITY_KINDS, splitEntity } from '../../document/entities/entities.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import { summariseChanges } from '../../document/changes/summarise-changes.ts'
import { readXml } from '../../document/xml/xml-reader.ts'
import type { Principal } from '../../core/principal.ts'
import {
  type ScriptDeps,
  type ComparisonOptions,
  compareTexts,
  type TextComparison,
} from '../code/comparison.ts'
import { type NumberedRevision, revisionNamed } from '../revisions/numbered-revision.ts'
import { toldRevision } from '../revisions/told-revision.ts'
import { assertMaySee, type EntityAddress, entityNotFound } from '../revisions/entity-address.ts'
import { effectiveIn } from '../../configuration/entities/effective-pipeline.ts'
import type { DocumentCache } from '../../configuration/current/document-cache.ts'
import { renderEffective } from '../../document/effective/effective-values.ts'
import { mayShowEffective } from './entity-history.ts'
import { visibleSteps, type EntityStep, type EntityStepsDeps, entitySteps } from './entity-steps.ts'
import { readEntityText } from './entity-text.ts'
import type { JudgedSteps, VisibleStepsDeps } from './visible-steps.ts'
import { bisect } from '../../lib/bisect.ts'
import { runSync } from '../../lib/cooperative.ts'
import type { LazyList } from '../../lib/lazy-list.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import type { ConfigReadingDeps } from '../../configuration/read/config-reading.ts'
import { ServiceError } from '../../core/errors.ts'
import type { PageThread } from '../work/page-thread.ts'

export interface EntityComparisonDeps extends EntityStepsDeps, VisibleStepsDeps {
  readonly cache: DocumentCache
  readonly script: ScriptDeps['script']
}

/** Two revisions, and how one entity differs between them. */
export interface EntityComparison extends TextComparison {
  readonly before: NumberedRevision
  readonly after: NumberedRevision
  readonly changes: readonly DocumentChange[]
  /** The change of the entity before both revisions, and the one after them. */
  readonly older: NumberedRevision | null
  readonly newer: NumberedRevision | null
  /** The changes of the entity between both revisions. */
  readonly between: number
  /** The only one of them; null for none or several. */
  readonly only: NumberedRevision | null
  /** Whether it is compared as it runs, each value a line. */
  readonly isEffective: boolean
  /** Whether each revision has the entity, as far as the caller may see. */
  readonly hasBefore: boolean
  readonly hasAfter: boolean
}

/** Two revisions by name, and how they are compared. */
export interface EntityComparisonRequest {
  readonly from: string
  readonly to: string
  readonly options: ComparisonOptions
  /** Whether a pipeline is compared as it runs. */
  readonly isEffective: boolean
}

/**
 * Compares one entity between two revisions, under the names that it had then. A state that the
 * caller may not see is treated as if the entity had not existed.
 *
 * @throws {ServiceError} `not-permitted`, `revision-not-found`, `entity-not-found`.
 */
export async function readEntityComparison(
  deps: EntityComparisonDeps,
  principal: Principal,
  address: EntityAddress,
  asked: EntityComparisonRequest,
): Promise<EntityComparison> {
  assertMaySee(deps, principal, address)
  const { history } = deps
  const before = revisionNamed(history, asked.from)
  const after = revisionNamed(history, asked.to)
  const judged = await visibleSteps(deps, principal, address)
  const steps = judged.visible
  const textAt = async (revision: NumberedRevision) => {
    if (!maySeeAt(judged, revision)) return ''
    const found = await readEntityText(history, revision, nameAt(steps, revision) ?? address)
    return found?.text ?? ''
  }
  const texts = [await textAt(before), await textAt(after)] as const
  const isEffective = asked.isEffective && mayShowEffective(deps, principal, address)
  const runsAt = async (revision: NumberedRevision, text: string) => {
    if (text === '') return ''
    const { entity } = nameAt(steps, revision) ?? address
    const form = await effectiveIn(deps, revision, splitEntity(entity).name)
    return form === null ? '' : renderEffective(form)
  }
  const compared = isEffective
    ? ([await runsAt(before, texts[0]), await runsAt(after, texts[1])] as const)
    : texts
  if (steps.length === 0 && texts.join('') === '') throw entityNotFound(address)
  const [low, high] = [Math.min(before.number, after.number), Math.max(before.number, after.number)]
  const [end, start] = [placeOf(steps, low), placeOf(steps, high)]
  const older = steps.at(end)?.revision ?? null
  return {
    before,
    after,
    // The first revision of all came upon none to compare it with.
    older: older?.base == null ? null : older,
    newer: steps.at(start - 1)?.revision ?? null,
    between: end - start,
    only: end - start === 1 ? toldStep(deps, principal, steps.at(start)) : null,
    hasBefore: texts[0] !== '',
    hasAfter: texts[1] !== '',
    changes: changesBetween(address, texts),
    isEffective,
    ...(await compareTexts(deps, compared, asked.options)),
  }
}

/** Whether a caller may see an entity as it was in a revision. */
export async function maySeeEntityAt(
  deps: EntityStepsDeps & VisibleStepsDeps,
  principal: Principal,
  { address, revision }: { readonly address: EntityAddress; readonly revision: NumberedRevision },
): Promise<boolean> {
  return maySeeAt(await visibleSteps(deps, principal, address), revision)
}

function toldStep(
  deps: EntityComparisonDeps,
  principal: Principal,
  step: EntityStep | undefined,
): NumberedRevision | null {
  return step === undefined ? null : toldRevision(deps, principal, step)
}

/** Whether the caller may see the entity as it was in a revision. */
function maySeeAt({ steps, maySeeBefore }: JudgedSteps, { number }: NumberedRevision): boolean {
  return steps.at(placeOf(steps, number))?.maySeeAfter ?? maySeeBefore
}

/** The name of the entity in a revision, from the last step up to it. */
export function nameAt(
  steps: LazyList<EntityStep>,
  { number }: NumberedRevision,
): EntityStep | null {
  return steps.at(placeOf(steps, number)) ?? steps.at(steps.length - 1) ?? null
}

/** The place of the last step up to a revision, or that behind the steps. */
function placeOf(steps: LazyList<{ readonly number: number }>, revision: number): number {
  return bisect({ high: steps.length }, (place) => (steps.at(place)?.number ?? 0) > revision)
}

function changesBetween(
  address: EntityAddress,
  [before, after]: readonly [string, string],
): readonly DocumentChange[] {
  const read = (text: string) => runSync(readXml(Buffer.from(withAncestors(address, text))))
  return runSync(summariseChanges(read(before), read(after)))
}

/** A document that contains only the one entity, at its place. */
function withAncestors({ entity, stage }: EntityAddress, text: string): string {
  const [prefix] = entity.split('/', 1)
  const steps = ENTITY_KINDS.find((kind) => kind.prefix === prefix)?.steps ?? []
  const above = steps.slice(0, -1).map(([name = '']) => name)
  const pipeline = stage === null ? [] : ['pipeline name="pipeline"']
  const tags = ['cruise', ...above, ...pipeline]
  const ends = tags.toReversed().map((tag) => `</${tag.split(' ', 1).join('')}>`)
  return [...tags.map((tag) => `<${tag}>`), text, ...ends].join('')
}

interface EntityPatchDeps extends EntityStepsDeps, ConfigReadingDeps {
  readonly work: PageThread
}

/** A patch that gives a document an entity as it is in another revision. */
interface EntityPatch {
  readonly before: NumberedRevision
  readonly after: NumberedRevision
  /** Unified hunks; none where the entity is the same. */
  readonly hunks: Uint8Array<ArrayBuffer>
}

/**
 * Compares the document of a revision with the same document that has one entity of another
 * revision. It is for administrators, because hunks show lines around the entity.
 *
 * @throws {ServiceError} `not-permitted`, `revision-not-found`; `entity-not-found` where the other
 * revision does not have it.
 */
export async function readEntityPatch(
  deps: EntityPatchDeps,
  principal: Principal,
  address: EntityAddress,
  asked: { readonly from: string; readonly to: string },
): Promise<EntityPatch> {
  assertMay(deps.access, principal, { action: 'administer' })
  const { history } = deps
  const before = revisionNamed(history, asked.from)
  const after = revisionNamed(history, asked.to)
  const steps = await entitySteps(deps, address)
  const nameIn = (revision: NumberedRevision) => nameAt(steps, revision)?.entity ?? address.entity
  const current = await history.readDocument(before)
  const older = await history.readDocument(after)
  const names = { now: nameIn(before), past: nameIn(after) }
  const changed = await deps.work.restoreEntity({ current, older, names })
  if (address.stage !== null || changed.kind !== 'restored') throw noPatch(address, after)
  return { before, after, hunks: await deps.diff(current, changed.document) }
}

function noPatch({ kind, name }: EntityAddress, { number }: NumberedRevision): ServiceError {
  const message = `There is no patch that brings the ${kind} ${name} of r${number}`
  return new ServiceError('entity-not-found', message, { kind, name })
}
