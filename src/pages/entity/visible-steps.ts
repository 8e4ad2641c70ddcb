import type { DocumentChange } from '../../document/entities/change.ts'
import { foldEntity, wholeEntityWord, splitEntity } from '../../document/entities/entities.ts'
import type { ChangeSummary } from '../../document/changes/change-summary.ts'
import { formerNameOf, isMove } from '../../document/changes/entities-of.ts'
import type { Principal } from '../../core/principal.ts'
import { LazyList } from '../../lib/lazy-list.ts'
import type { EntityIndex } from '../../index/entity-index.ts'
import type { EntityAccessDeps, EntityAddress } from '../revisions/entity-address.ts'
import type { EntityStep } from './entity-steps.ts'

export interface VisibleStepsDeps extends EntityAccessDeps {
  readonly entities: EntityIndex
  readonly summary: ChangeSummary
}

/** A step as one caller may see it. */
export interface JudgedStep {
  /** Null when the caller may not see its changes. */
  readonly step: EntityStep | null
  readonly number: number
  /** Whether the caller may see the entity as the step left it. */
  readonly maySeeAfter: boolean
}

/** The steps of one entity, newest first, as one caller may see them. */
export interface JudgedSteps {
  readonly steps: LazyList<JudgedStep>
  /** The steps that the caller may see. */
  readonly visible: LazyList<EntityStep>
  /** Whether the caller may see the entity as it was before all of them. */
  readonly maySeeBefore: boolean
}

/**
 * Checks each step against the permissions of the entity that it was about. A moved pipeline is
 * checked by its former group, with today's permissions; a former entity with the same name no
 * longer exists, so only administrators may see it.
 */
export function judgeSteps(
  deps: VisibleStepsDeps,
  principal: Principal,
  { address, all }: { readonly address: EntityAddress; readonly all: LazyList<EntityStep> },
): JudgedSteps {
  const { access, pipelines, entities } = deps
  if (access.may(principal, { action: 'administer' })) {
    const steps = all.map((step) => {
      return { step, number: step.number, maySeeAfter: true }
    })
    return { steps, visible: all, maySeeBefore: true }
  }
  const { kind, name } = splitEntity(address.entity)
  const isPipeline = kind === 'pipeline'
  const mayView = (group: string) =>
    !isPipeline || access.may(principal, { action: 'view-group', group })
  let group = isPipeline ? (pipelines.find(name)?.group ?? '') : ''
  let isThere = true
  const steps = Array.from(all, (step): JudgedStep => {
    const { number } = step
    if (!isThere) return { step: null, number, maySeeAfter: false }
    const maySeeAfter = mayView(group)
    const passage = entities.mayMove(step.revision) ? passageOf(step) : NO_PASSAGE
    if (passage.ends && !passage.begins) {
      isThere = false
      return { step: null, number, maySeeAfter: false }
    }
    group = passage.from ?? group
    isThere = !passage.begins
    const maySee = maySeeAfter && mayView(group)
    return { step: maySee ? withoutOthers(step, passage) : null, number, maySeeAfter }
  })
  return {
    steps: LazyList.of(steps),
    visible: LazyList.of(steps.flatMap(({ step }) => step ?? [])),
    maySeeBefore: isThere && mayView(group),
  }
}

/** The conclusion from a step about the origin of the entity. */
interface Passage {
  /** The entity was created by this step. */
  readonly begins: boolean
  /** The former holder of the name was removed or renamed. */
  readonly ends: boolean
  /** The group that it was in before. */
  readonly from: string | null
}

const NO_PASSAGE: Passage = { begins: false, ends: false, from: null }

function passageOf({ changes, entity }: EntityStep): Passage {
  const own = changes.filter((change) => foldEntity(change.entity) === entity)
  const whole = own.filter((change) => wholeEntityWord(change) !== null)
  const move = own.find(isMove)
  return {
    begins: whole.some(({ kind }) => kind === 'added'),
    ends: whole.some(({ kind }) => kind === 'removed') || changes.some((c) => isAway(c, entity)),
    from: move?.from ?? null,
  }
}

/** Whether a change renames the former holder of the name. */
function isAway(change: DocumentChange, entity: string): boolean {
  const former = formerNameOf(change)
  return former !== null && foldEntity(former) === entity && foldEntity(change.entity) !== entity
}

/** A step that created the entity must not show the former holder of its name. */
function withoutOthers(step: EntityStep, { begins }: Passage): EntityStep {
  if (!begins) return step
  const { number, revision, entity, stage } = step
  const changes = step.changes.filter(
    (change) => foldEntity(change.entity) === entity && change.kind !== 'removed',
  )
  return { number, revision, entity, stage, changes, before: null }
}
