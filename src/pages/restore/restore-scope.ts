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
  /** What takes long where documents are large, done where it holds up nobody. */
  readonly work: PageThread
}

/** How much is restored: all of a revision, one thing of it, or what was before it changed something. */
export type RestoreScope =
  | { readonly kind: 'revision' }
  | { readonly kind: 'entity'; readonly address: EntityAddress }
  | { readonly kind: 'change' }

/** What stands in the way of a restore, in a sentence, and the revision that put it there. */
export interface Obstacle {
  readonly reason: string
  readonly revision: NumberedRevision | null
}

/** The documents that a restore is about. */
export interface RestoreGround {
  readonly revision: NumberedRevision
  readonly current: NumberedRevision
  readonly before: Uint8Array<ArrayBuffer>
}

/** The document that a restore makes, or what keeps it from being made. */
export type RestoreResult = Uint8Array<ArrayBuffer> | Obstacle

export function isObstacle(result: RestoreResult): result is Obstacle {
  return !(result instanceof Uint8Array)
}
