import { type Access, assertMay } from '../../configuration/access/permission.ts'
import type { Principal } from '../../core/principal.ts'
import type { ArtifactQuota } from '../artifacts/artifact-quota.ts'

export interface FreeRoomDeps {
  readonly access: Access
  readonly quota: Pick<ArtifactQuota, 'free'>
}

/**
 * Removes the consoles and artifacts of the oldest runs until so many bytes are free, and returns how many
 * are. The newest run of each stage and what is in progress keep theirs.
 *
 * @throws {ServiceError} `not-permitted` for callers who are not administrators.
 */
export async function freeRoom(
  { access, quota }: FreeRoomDeps,
  principal: Principal,
  bytes: number,
): Promise<number> {
  assertMay(access, principal, { action: 'administer' })
  return quota.free(bytes)
}
