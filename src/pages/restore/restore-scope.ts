import type { EntityReadingDeps } from '../../configuration/entities/read-entity.ts'
import type { Gate } from '../../configuration/gate/gate.ts'
import type { ConfigurationWriter } from '../../configuration/save/configuration-writer.ts'
import type { DocumentCache } from '../../configuration/current/document-cache.ts'
import type { ComparisonDeps } from '../code/comparison.ts'
import type { EntityAddress } from '../revisions/entity-address.ts'
import type { EntityStepsDeps } from '../entity/entity-steps.ts'
import type { VisibleStepsDeps } from '../entity/visible-steps.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import type { ContestedPart } from '../work/undo-work.ts'
import type { PageThread } from '../work/page-thread.ts'

export interface RestoreDeps
  extends ComparisonDeps, EntityStepsDeps, EntityReadingDeps, VisibleStepsDeps {
  readonly gate: Gate
  readonly cache: DocumentCache
  readonly writer: ConfigurationWriter
  /** Runs expensive work on large documents without blocking the main thread. */
  readonly work: PageThread
}

/** The scope of a restore: a whole revision, one entity of it, or the state before its changes. */
export type RestoreScope =
  | { readonly kind: 'revision' }
  | { readonly kind: 'entity'; readonly address: EntityAddress }
  /** Only what nobody has changed since, if that is asked for; of one entity where it is given. */
  | { readonly kind: 'change'; readonly isRest: boolean; readonly address: EntityAddress | null }

/** The reason that prevents a restore, as a sentence, and the revision that caused it. */
export interface Obstacle {
  readonly reason: string
  readonly revision: NumberedRevision | null
  /** The parts that have changed since, which an undo leaves alone; none for another reason. */
  readonly contested: readonly ContestedPart[]
  /** The entities of these parts that the revision before has. */
  readonly older: readonly string[]
  /** Whether something else is left to undo. */
  readonly hasRest: boolean
}

/** An obstacle that nothing leads around. */
export function blocked(reason: string): Obstacle {
  return { reason, revision: null, contested: [], older: [], hasRest: false }
}

/** The documents of a restore. */
export interface RestoreGround {
  readonly revision: NumberedRevision
  readonly current: NumberedRevision
  readonly before: Uint8Array<ArrayBuffer>
}

/** The resulting document, or the obstacle. */
export type RestoreResult = Uint8Array<ArrayBuffer> | Obstacle

export function isObstacle(result: RestoreResult): result is Obstacle {
  return !(result instanceof Uint8Array)
}
