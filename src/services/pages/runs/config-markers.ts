import { foldEntity } from '../../../config/changes/entities.ts'
import type { Change } from '../../../config/changes/change.ts'
import type { Principal } from '../../../core/principal.ts'
import type { Revision } from '../../../core/revision.ts'
import type { History } from '../../../history/history.ts'
import type { EntityIndex } from '../../entity-index.ts'
import type { Access } from '../../permission.ts'
import { numbered, type NumberedRevision } from '../numbered-revision.ts'

export interface ConfigMarkersDeps {
  readonly access: Access
  readonly history: History
  readonly entities: EntityIndex
}

/** A revision that changed a pipeline, between its runs. */
export interface ConfigMarker {
  readonly revision: NumberedRevision
  /** What it changed about the pipeline; null for a caller who may not see that. */
  readonly changes: readonly Change[] | null
}

/** Whose runs they are. */
export interface MarkedPipeline {
  readonly name: string
  readonly group: string | null
}

/** Times, the later first: the first is still in, the second is out. */
export interface TimeSpan {
  readonly until: number
  readonly after: number
}

/** When more revisions than this are not known yet, a page does not wait for them. */
const FEW = 20
/** As many revisions are looked into at most; the history of the pipeline tells of all. */
const MOST = 60

/**
 * The revisions of a time that changed a pipeline, newest first, each with that part of its changes
 * alone. Who may view a pipeline may see them; of one that is gone, administrators alone.
 */
export async function configMarkers(
  deps: ConfigMarkersDeps,
  principal: Principal,
  { name, group }: MarkedPipeline,
  { until, after }: TimeSpan,
): Promise<readonly ConfigMarker[]> {
  const { access, history, entities } = deps
  const { told, of } = entities.progress()
  if (of - told > FEW) return []
  const maySee = group !== null || access.may(principal, { action: 'administer' })
  const all = await entities.revisionsOf(`pipeline/${name}`)
  const wanted = all.filter(({ revision: { time } }) => time <= until && time > after)
  return wanted.slice(0, MOST).map(({ revision, entity }) => ({
    revision: numbered(history, revision),
    changes: maySee ? changesAbout(entities, revision, entity) : null,
  }))
}

/** The revision that was current at a time, or null before the first. */
export function revisionAt(history: History, time: number): NumberedRevision | null {
  const revisions = history.list({ offset: 0, limit: history.size() })
  const revision = revisions.find((each) => each.time <= time)
  return revision ? numbered(history, revision) : null
}

function changesAbout(entities: EntityIndex, revision: Revision, entity: string): Change[] {
  const changes = entities.find(revision) ?? []
  return changes.filter((change) => foldEntity(change.entity) === entity)
}
