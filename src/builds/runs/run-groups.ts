import { LRUCache } from 'lru-cache'
import type { PipelineInstance } from '../engine/documents.ts'
import { ENTITY_KINDS, entitiesIn, entityKey } from '../../document/entities/entities.ts'
import { readXml } from '../../document/xml/xml-reader.ts'
import { findInEffectAt } from '../../configuration/read/named-revision.ts'
import type { Digest } from '../../core/digest.ts'
import type { Revision } from '../../core/revision.ts'
import { nameKey } from '../../core/name-key.ts'
import type { History } from '../../history/history.ts'
import type { FormerGroups } from '../../security/permissions.ts'
import { runSync } from '../../lib/cooperative.ts'

type Groups = ReadonlyMap<string, string>

/** The limit of documents with cached groups. */
const MAX_DOCUMENTS = 16

/**
 * The groups of a pipeline during a run of it. Runs record them; for runs of older versions they
 * are read from the document that was in force when the run started.
 */
export class RunGroups {
  readonly #history: History
  readonly #cached = new LRUCache<Digest, Groups>({ max: MAX_DOCUMENTS })

  constructor({ history }: { readonly history: History }) {
    this.#history = history
  }

  /** Null when unknown. */
  async of({ name, groups, createdAt }: PipelineInstance): Promise<FormerGroups> {
    if (groups !== null) return groups
    const revision = findInEffectAt(this.#history, createdAt)
    const group = revision && (await this.#groupsIn(revision)).get(nameKey(name))
    return group == null ? null : [group]
  }

  /** The group of each pipeline, by its name in lower case. */
  async #groupsIn(revision: Revision): Promise<Groups> {
    const cached = this.#cached.get(revision.digest)
    if (cached) return cached
    const groups = groupsIn(await this.#history.readDocument(revision))
    this.#cached.set(revision.digest, groups)
    return groups
  }
}

function groupsIn(document: Uint8Array): Groups {
  const reading = runSync(readXml(document))
  const groups = new Map<string, string>()
  if ('problems' in reading) return groups
  const entities = ENTITY_KINDS.flatMap((kind) => entitiesIn(reading.root, kind))
  const names = new Map(
    entities.flatMap(({ kind, name, element }) =>
      kind.prefix === 'group' ? [[element, name]] : [],
    ),
  )
  for (const entity of entities) {
    if (entity.kind.prefix !== 'pipeline') continue
    const group = entity.element.parent && names.get(entity.element.parent)
    if (group != null) groups.set(entityKey(entity), group)
  }
  return groups
}
