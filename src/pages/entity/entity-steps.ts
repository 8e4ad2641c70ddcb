import type { DocumentChange } from '../../document/entities/change.ts'
import { ownChanges, type OwnScope } from '../../document/changes/own-changes.ts'
import { wholeEntityWord } from '../../document/entities/entities.ts'
import type { Principal } from '../../core/principal.ts'
import { isSameName, nameKey } from '../../core/name-key.ts'
import { Turns } from '../../lib/cooperative.ts'
import { LazyList } from '../../lib/lazy-list.ts'
import type { EntityIndex, OpenGroups } from '../../index/entity-index.ts'
import type { EntityRevision, EntityRevisions } from '../../index/entity-revisions.ts'
import { openGroups } from '../../configuration/entities/told-revisions.ts'
import type { EntityAddress } from '../revisions/entity-address.ts'
import type { History } from '../../history/history.ts'
import { numbered, type NumberedRevision } from '../revisions/numbered-revision.ts'
import type { PageThread } from '../work/page-thread.ts'
import { type JudgedSteps, judgeSteps, type VisibleStepsDeps } from './visible-steps.ts'

export interface EntityStepsDeps {
  readonly history: History
  readonly entities: EntityIndex
  readonly work: PageThread
}

/** A revision that changed an entity, with those changes and the names at that time. */
export interface EntityStep {
  /** The number of the revision. */
  readonly number: number
  readonly revision: NumberedRevision
  /** The changes of this entity alone, of a group with its pipelines. */
  readonly changes: readonly DocumentChange[]
  readonly entity: string
  readonly stage: string | null
  /** The previous step, which left the entity as this one found it; null for the first. */
  readonly before: StepPlace | null
}

/** Where the text of a step is found. */
export type StepPlace = Pick<EntityStep, 'number' | 'revision' | 'entity' | 'stage'>

type StepName = Pick<EntityStep, 'entity' | 'stage'>

/** The revisions that changed the entity of an address as far as they are indexed, newest first, under its former names too. */
export async function entitySteps(
  deps: EntityStepsDeps,
  address: EntityAddress,
): Promise<LazyList<EntityStep>> {
  const { steps } = wholeSteps(deps, await deps.entities.revisionsOf(address.entity))
  if (address.stage === null) return steps
  return LazyList.of(stepsOfStage(steps, nameKey(address.stage)))
}

/** The steps of an entity that a caller may view. */
export interface VisibleSteps extends JudgedSteps {
  /** The names that the entity had in the visible steps, the latest first; one may occur twice. */
  readonly names: readonly StepName[]
}

/** The indexed steps that a caller may see, of a group with those of its pipelines, and what the caller may see of the entity at other times. */
export async function visibleSteps(
  deps: EntityStepsDeps & VisibleStepsDeps,
  principal: Principal,
  address: EntityAddress,
): Promise<VisibleSteps> {
  const revisions = await deps.entities.revisionsOf(address.entity)
  if (address.kind !== 'group') return judgedSteps(deps, principal, { address, revisions })
  const isWhole = deps.access.may(principal, { action: 'administer' })
  const groups = isWhole ? null : await openGroups(deps, principal, address.entity)
  const scope = await deps.entities.revisionsIn(address.entity, groups)
  return judgedSteps(deps, principal, { address, revisions: { ...revisions, ...scope }, groups })
}

function judgedSteps(
  deps: EntityStepsDeps & VisibleStepsDeps,
  principal: Principal,
  {
    address,
    revisions,
    groups = null,
  }: {
    readonly address: EntityAddress
    readonly revisions: EntityRevisions
    readonly groups?: OpenGroups
  },
): VisibleSteps {
  const { steps, names } = wholeSteps(deps, revisions, groups)
  if (address.stage !== null) return visibleStepsOfStage(deps, principal, { address, steps })
  const seen = judgeSteps(deps, principal, { address, all: steps })
  if (seen.visible !== steps) return { ...seen, names: [...seen.visible] }
  return { ...seen, names: names.map((entity) => ({ entity, stage: null })) }
}

function visibleStepsOfStage(
  deps: VisibleStepsDeps,
  principal: Principal,
  { address, steps }: { readonly address: EntityAddress; readonly steps: LazyList<EntityStep> },
): VisibleSteps {
  const all = LazyList.of([...steps])
  const judged = judgeSteps(deps, principal, { address, all })
  const byNumber = new Map(Array.from(judged.visible, (step) => [step.number, step]))
  const visible = stepsOfStage(all, nameKey(address.stage ?? '')).flatMap((step) => {
    const own = byNumber.get(step.number)
    if (!own) return []
    const changes = step.changes.filter((change) => own.changes.includes(change))
    return [{ ...step, changes, before: own.before && step.before }]
  })
  return { ...judged, visible: LazyList.of(visible), names: visible }
}

function wholeSteps(
  { history, entities }: EntityStepsDeps,
  { revisions, names }: EntityRevisions,
  groups: OpenGroups = null,
): { readonly steps: LazyList<EntityStep>; readonly names: readonly string[] } {
  const stepAt = (place: number): WholeStep | undefined => {
    const found = revisions.at(place)
    return (
      found && new WholeStep({ history, entities, groups }, found, () => stepAt(place + 1) ?? null)
    )
  }
  return { steps: new LazyList(revisions.length, stepAt), names }
}

type StepDeps = Pick<EntityStepsDeps, 'history' | 'entities'> & { readonly groups: OpenGroups }

/** Loads what it says on demand: a page shows twenty of possibly a hundred thousand steps. */
class WholeStep implements EntityStep {
  readonly number: number
  readonly entity: string
  readonly stage = null
  readonly #found: EntityRevision
  readonly #deps: StepDeps
  readonly #findBefore: () => StepPlace | null
  #revision: NumberedRevision | null = null
  #changes: readonly DocumentChange[] | null = null

  constructor(deps: StepDeps, found: EntityRevision, findBefore: () => StepPlace | null) {
    this.number = found.number
    this.entity = found.entity
    this.#found = found
    this.#deps = deps
    this.#findBefore = findBefore
  }

  get before(): StepPlace | null {
    return this.#findBefore()
  }

  get revision(): NumberedRevision {
    this.#revision ??= numbered(this.#deps.history, this.#found.revision)
    return this.#revision
  }

  get changes(): readonly DocumentChange[] {
    const { entities } = this.#deps
    this.#changes ??= this.#isOfGroup
      ? ownChanges(entities.find(this.revision) ?? [], this.#scope)
      : entities.changesAbout(this.revision, this.entity)
    return this.#changes
  }

  /** The same without holding up others. */
  async read(work: EntityStepsDeps['work']): Promise<readonly DocumentChange[]> {
    const { entity } = this
    const stored = this.#changes === null ? this.#deps.entities.findStored(this.revision) : null
    if (stored !== null) {
      this.#changes = await (this.#isOfGroup
        ? work.ownChanges({ stored, ...this.#scope })
        : work.changesAbout({ stored, entity }))
    }
    return this.changes
  }

  /** Whether it is about the pipelines of a group too. */
  get #isOfGroup(): boolean {
    return this.entity.startsWith('group/')
  }

  get #scope(): OwnScope {
    return { names: this.#found.changed, groups: this.#deps.groups }
  }
}

/** The changes of each step, which others need not wait for: a revision may have tens of thousands. */
export async function changesOfSteps(
  { work }: Pick<EntityStepsDeps, 'work'>,
  steps: readonly EntityStep[],
): Promise<readonly (readonly DocumentChange[])[]> {
  const read: (readonly DocumentChange[])[] = []
  const turns = new Turns()
  for (const step of steps) {
    if (turns.isOver) await turns.next()
    read.push(step instanceof WholeStep ? await step.read(work) : step.changes)
  }
  return read
}

/** The steps of a pipeline that changed a stage, under the names that the stage had. */
function stepsOfStage(pipeline: Iterable<EntityStep>, name: string): readonly EntityStep[] {
  let stage = name
  const steps: Omit<EntityStep, 'before'>[] = []
  for (const { number, revision, entity, changes: all } of pipeline) {
    const changes = all.filter((change) => isOfStage(change, stage))
    if (changes.length === 0) continue
    steps.push({ number, revision, changes, entity, stage })
    stage = formerStage(changes, stage) ?? stage
  }
  return steps.map((step, n) => ({ ...step, before: steps[n + 1] ?? null }))
}

/**
 * Whether a change of a pipeline concerns a stage: a part of it, the stage itself, or the whole
 * pipeline.
 */
function isOfStage(change: DocumentChange, stage: string): boolean {
  const { kind, path, subject, to } = change
  const [first] = path
  if (first !== undefined) return isSameName(first, `stage ${stage}`)
  if (isSameName(subject, `stage ${stage}`)) return true
  if (kind === 'renamed' && subject === 'stage') return to !== undefined && isSameName(to, stage)
  return wholeEntityWord(change) !== null
}

function formerStage(changes: readonly DocumentChange[], stage: string): string | null {
  const renaming = changes.find(
    ({ kind, path, subject, to }) =>
      kind === 'renamed' &&
      path.length === 0 &&
      subject === 'stage' &&
      to !== undefined &&
      isSameName(to, stage),
  )
  return renaming?.from === undefined ? null : nameKey(renaming.from)
}
