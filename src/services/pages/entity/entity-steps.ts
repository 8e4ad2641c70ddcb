import type { Change } from '../../../config/changes/change.ts'
import { foldEntity, wholeEntityWord } from '../../../config/changes/entities.ts'
import { entitiesOf } from '../../../config/changes/entities-of.ts'
import type { EntityIndex } from '../../entity-index.ts'
import type { EntityAddress } from './entity-address.ts'
import type { History } from '../../../history/history.ts'
import { numbered, type NumberedRevision } from '../numbered-revision.ts'

export interface EntityStepsDeps {
  readonly history: History
  readonly entities: EntityIndex
}

/** A revision that changed something, with what it changed about that and the names of then. */
export interface EntityStep {
  readonly revision: NumberedRevision
  /** Nothing else that the revision changed is among them. */
  readonly changes: readonly Change[]
  readonly entity: string
  readonly stage: string | null
}

/**
 * The revisions that changed what an address names, newest first, under its former names too.
 *
 * @throws {ServiceError} `unavailable` while that is not known.
 */
export async function entitySteps(
  { history, entities }: EntityStepsDeps,
  address: EntityAddress,
): Promise<readonly EntityStep[]> {
  const found = await entities.revisionsOf(address.entity)
  const steps = found.map(({ revision, entity }) => {
    return new WholeStep(numbered(history, revision), entity, () => entities.find(revision) ?? [])
  })
  return address.stage === null ? steps : stepsOfStage(steps, address.stage.toLowerCase())
}

/** Its changes are read when they are asked for: of ten thousand steps, a page shows twenty. */
class WholeStep implements EntityStep {
  readonly revision: NumberedRevision
  readonly entity: string
  readonly stage = null
  readonly #all: () => readonly Change[]
  #changes: readonly Change[] | null = null

  constructor(revision: NumberedRevision, entity: string, all: () => readonly Change[]) {
    this.revision = revision
    this.entity = entity
    this.#all = all
  }

  get changes(): readonly Change[] {
    this.#changes ??= this.#all().filter((change) =>
      entitiesOf([change]).map(foldEntity).includes(this.entity),
    )
    return this.#changes
  }
}

/** Those steps of a pipeline that changed a stage, under the names that it had. */
function stepsOfStage(pipeline: readonly EntityStep[], name: string): readonly EntityStep[] {
  let stage = name
  const steps: EntityStep[] = []
  for (const { revision, entity, changes: all } of pipeline) {
    const changes = all.filter((change) => isOfStage(change, stage))
    if (changes.length === 0) continue
    steps.push({ revision, changes, entity, stage })
    stage = formerStage(changes, stage) ?? stage
  }
  return steps
}

/** Whether a change of a pipeline is about a stage: a part of it, the stage itself, or the whole pipeline. */
function isOfStage(change: Change, stage: string): boolean {
  const { kind, path, subject, to } = change
  const [first] = path
  if (first !== undefined) return first.toLowerCase() === `stage ${stage}`
  if (subject.toLowerCase() === `stage ${stage}`) return true
  if (kind === 'renamed' && subject === 'stage') return to?.toLowerCase() === stage
  return wholeEntityWord(change) !== null
}

function formerStage(changes: readonly Change[], stage: string): string | null {
  const renaming = changes.find(
    ({ kind, path, subject, to }) =>
      kind === 'renamed' && path.length === 0 && subject === 'stage' && to?.toLowerCase() === stage,
  )
  return renaming?.from?.toLowerCase() ?? null
}
