import { malformedRequest } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import {
  effectivePipeline,
  type EffectiveForm,
  renderEffective,
} from '../../document/effective/effective-values.ts'
import type { DocumentCache } from '../current/document-cache.ts'
import {
  type EntityDiffDeps,
  type EntityDiffRequest,
  findComparedEntity,
} from './compare-entity.ts'
import { entityMissing, type EntityReadingDeps, readEntity } from './read-entity.ts'

export interface EffectiveDeps extends EntityReadingDeps {
  readonly cache: DocumentCache
}

/**
 * A pipeline as it runs by a revision, with its template and its params filled in and the place of each
 * value. Those who may read the pipeline may see what its template gives it.
 *
 * @throws {ServiceError} as `readEntity`; `malformed-request` for another kind, `config-invalid` for a
 * revision that is not valid today.
 */
export async function readEffective(
  deps: EffectiveDeps,
  principal: Principal,
  { place, at }: { readonly place: EntityPlace; readonly at: string | null },
): Promise<{ readonly revision: Revision; readonly pipeline: EffectiveForm }> {
  assertPipeline(place)
  const { revision } = await readEntity(deps, principal, { place, at })
  const pipeline = await effectiveIn(deps, revision, place.name)
  if (pipeline === null) throw entityMissing(place, at)
  return { revision, pipeline }
}

/**
 * The unified diff of a pipeline as it runs by two revisions, with a line for each value: a change of its
 * template is in it.
 *
 * @throws {ServiceError} as {@link readEffective}.
 */
export async function diffEffective(
  deps: EffectiveDeps & EntityDiffDeps,
  principal: Principal,
  comparison: EntityDiffRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  assertPipeline(comparison.place)
  const { pair, entities } = await findComparedEntity(deps, principal, comparison)
  const textOf = async (revision: Revision, name: string | undefined) => {
    const pipeline = name === undefined ? null : await effectiveIn(deps, revision, name)
    return Buffer.from(pipeline === null ? '' : renderEffective(pipeline))
  }
  const [before, after] = entities
  return deps.diff(await textOf(pair.before, before?.name), await textOf(pair.after, after?.name))
}

/** A pipeline as it runs by a revision, for callers that have checked the permission; null where it has none of that name. */
export async function effectiveIn(
  { history, cache }: Pick<EffectiveDeps, 'history' | 'cache'>,
  revision: Revision,
  name: string,
): Promise<EffectiveForm | null> {
  const document = await cache.read(await history.readDocument(revision))
  return effectivePipeline(document, name)
}

function assertPipeline({ kind }: EntityPlace): void {
  if (kind === 'pipeline') return
  throw malformedRequest(`Only a pipeline has an effective form, and no ${kind}`, 'effective')
}
