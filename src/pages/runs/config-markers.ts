import { foldEntity } from '../../document/entities/entities.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import type { Principal } from '../../core/principal.ts'
import { entityAddress } from '../revisions/entity-address.ts'
import { type EntityStepsDeps, changesOfSteps, visibleSteps } from '../entity/entity-steps.ts'
import type { VisibleStepsDeps } from '../entity/visible-steps.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import { toldRevision } from '../revisions/told-revision.ts'

export type ConfigMarkersDeps = EntityStepsDeps & VisibleStepsDeps

/** A revision that changed a pipeline, between its runs. */
export interface ConfigMarker {
  readonly revision: NumberedRevision
  /** Its changes of the pipeline. */
  readonly changes: readonly DocumentChange[]
}

/** A time span, the later end first: that end is included, the other is not. */
export interface TimeSpan {
  readonly until: number
  readonly after: number
}

/** With more unindexed revisions than this, a page does not wait for them. */
const FEW = 20
/** The limit of inspected revisions; the history of the pipeline shows all. */
const MAX_REVISIONS = 60

/**
 * The revisions in a time span that changed a pipeline, newest first, each reduced to its changes
 * of the pipeline. A caller who may view the pipeline sees only what its permissions allow.
 */
export async function configMarkers(
  deps: ConfigMarkersDeps,
  principal: Principal,
  pipeline: string,
  { until, after }: TimeSpan,
): Promise<readonly ConfigMarker[]> {
  const { indexed, of } = deps.entities.progress()
  if (of - indexed > FEW) return []
  const { visible } = await visibleSteps(deps, principal, entityAddress('pipeline', pipeline))
  const inTime = [...visible].filter(({ revision: { time } }) => time <= until && time > after)
  const wanted = inTime.slice(0, MAX_REVISIONS)
  const changesOf = await changesOfSteps(deps, wanted)
  return wanted.map(({ revision, entity }, n) => {
    const changes = (changesOf[n] ?? []).filter((change) => foldEntity(change.entity) === entity)
    return { revision: toldRevision(deps, principal, { revision, entity, changes }), changes }
  })
}
