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
  span: TimeSpan,
): Promise<readonly ConfigMarker[]> {
  const { indexed, of } = deps.entities.progress()
  if (of - indexed > FEW) return []
  const { visible } = await visibleSteps(deps, principal, entityAddress('pipeline', pipeline))
  const wanted = stepsWithin(visible, span)
  const changesOf = await changesOfSteps(deps, wanted)
  return wanted.map(({ revision, entity }, n) => {
    const changes = (changesOf[n] ?? []).filter((change) => foldEntity(change.entity) === entity)
    return { revision: toldRevision(deps, principal, { revision, entity, changes }), changes }
  })
}

/**
 * The newest steps in a time span, of a hundred thousand or more. A commit may have an older time than the one before
 * it, so that the first older step is not the end.
 */
export function stepsWithin<Step extends { readonly revision: { readonly time: number } }>(
  newestFirst: Iterable<Step>,
  { until, after }: TimeSpan,
): readonly Step[] {
  const found: Step[] = []
  let older = 0
  for (const step of newestFirst) {
    const { time } = step.revision
    older = time > after ? 0 : older + 1
    if (time <= until && time > after) found.push(step)
    if (found.length === MAX_REVISIONS || older === MAX_REVISIONS) break
  }
  return found
}
