import type { DocumentCache } from '../../configuration/current/document-cache.ts'
import {
  type ConfigSavingDeps,
  saveDocument,
  type SaveRequest,
} from '../../configuration/save/config-saving.ts'
import type { SavedChange } from '../../configuration/save/save-group.ts'
import type { ConfigDocument } from '../../document/document.ts'
import { nameKey } from '../../core/name-key.ts'
import type { Principal } from '../../core/principal.ts'
import type { Builds } from '../engine/builds.ts'

export interface HoldingDeps {
  readonly cache: DocumentCache
  readonly builds: Builds
}

const CAUSE = 'Held by the save that added it'

/**
 * Saves a document, and pauses the pipelines that it adds before anything can start them. Whether
 * the caller may do that is asked by `saveDocument`, before anything is paused.
 *
 * @throws {ServiceError} as `saveDocument`; then nothing is paused.
 */
export async function saveAndHold(
  deps: ConfigSavingDeps & HoldingDeps,
  principal: Principal,
  request: SaveRequest,
): Promise<SavedChange> {
  const { cache, builds } = deps
  const held = new Set<string>()
  const beforeCommit = async (
    document: Uint8Array<ArrayBuffer>,
    before: Uint8Array<ArrayBuffer>,
  ) => {
    for (const pipeline of await listAdded(cache, { document, before })) {
      await builds.pausePipeline({ pipeline, by: principal.username, cause: CAUSE })
      held.add(pipeline)
    }
  }
  try {
    return await saveDocument(deps, principal, { ...request, beforeCommit })
  } catch (error) {
    for (const pipeline of held) await builds.unpausePipeline(pipeline)
    throw error
  }
}

/** The pipelines that a document has and the one before it has not. */
async function listAdded(
  cache: DocumentCache,
  { document, before }: Record<'document' | 'before', Uint8Array<ArrayBuffer>>,
): Promise<string[]> {
  const known = new Set(pipelinesOf(await cache.read(before)).map(nameKey))
  return pipelinesOf(await cache.read(document)).filter((name) => !known.has(nameKey(name)))
}

function pipelinesOf({ configuration }: ConfigDocument): readonly string[] {
  return configuration.groups.flatMap((group) => group.pipelines.map(({ name }) => name))
}
