import type { DocumentCache } from '../../configuration/current/document-cache.ts'
import {
  type ConfigSavingDeps,
  saveDocument,
  type SaveRequest,
} from '../../configuration/save/config-saving.ts'
import type { SavedChange } from '../../configuration/save/configuration-writer.ts'
import { unavailable } from '../../core/errors.ts'
import { nameKey } from '../../core/name-key.ts'
import type { Principal } from '../../core/principal.ts'
import type { Builds } from '../engine/builds.ts'
import type { EffectivePipelines } from '../runs/effective-pipelines.ts'

export interface HoldingDeps {
  readonly cache: DocumentCache
  /** Null on a server that does not have the duties. */
  readonly holding: {
    readonly builds: Builds
    readonly pipelines: EffectivePipelines
  } | null
}

export interface HoldingRequest extends SaveRequest {
  /** Whether the pipelines that the save adds are paused, so that nothing of them starts. */
  readonly holds: boolean
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
  { holds, ...request }: HoldingRequest,
): Promise<SavedChange> {
  if (!holds) return saveDocument(deps, principal, request)
  const { cache, holding } = deps
  if (holding === null) throw unavailable('The server that has the duties holds pipelines')
  const { builds, pipelines } = holding
  const held = new Set<string>()
  const beforeCommit = async (document: Uint8Array<ArrayBuffer>) => {
    for (const pipeline of await listAdded({ cache, pipelines }, document)) {
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

async function listAdded(
  { cache, pipelines }: { readonly cache: DocumentCache; readonly pipelines: EffectivePipelines },
  document: Uint8Array<ArrayBuffer>,
): Promise<string[]> {
  const { configuration } = await cache.read(document)
  return configuration.groups
    .flatMap((group) => group.pipelines.map(({ name }) => name))
    .filter((name) => pipelines.find(nameKey(name)) === null)
}
