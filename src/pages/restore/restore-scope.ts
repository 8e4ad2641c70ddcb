import type { ConfigurationWriter } from '../../configuration/save/configuration-writer.ts'
import type { DocumentCache } from '../../configuration/current/document-cache.ts'
import type { ComparisonDeps } from '../code/comparison.ts'
import type { EntityAddress } from '../revisions/entity-address.ts'
import type { EntityStepsDeps } from '../entity/entity-steps.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import type { PageThread } from '../work/page-thread.ts'

export interface RestoreDeps extends ComparisonDeps, EntityStepsDeps {
  readonly cache: DocumentCache
  readonly writer: ConfigurationWriter
  /** Runs expensive work on large documents without blocking the main thread. */
  readonly work: PageThread
}

/** What is restored: a whole revision, one entity of it, or the state before its changes. */
export type RestoreScope =
  | { readonly kind: 'revision' }
  | { readonly kind: 'entity'; readonly address: EntityAddress }
  | { readonly kind: 'change' }

/** The reason that prevents a restore, as a sentence, and the revision that caused it. */
export interface Obstacle {
  readonly reason: string
  readonly revision: NumberedRevision | null
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
