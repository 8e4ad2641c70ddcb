import { type Access, assertMay } from '../../configuration/access/permission.ts'
import type { Principal } from '../../core/principal.ts'
import type { MaterialPoller } from '../materials/material-poller.ts'
import { SourceFailed } from '../../sources/modification.ts'
import type { ArtifactQuota } from '../artifacts/artifact-quota.ts'

export interface RetryMaterialDeps {
  readonly access: Access
  readonly poller: Pick<MaterialPoller, 'problems' | 'poll'>
}

/**
 * Polls a material that could not be read, and returns whether it can be read now. The refusal names no pipeline
 * that the caller may not view.
 *
 * @throws {ServiceError} `not-permitted` for callers who may operate no pipeline that uses it.
 */
export async function retryMaterial(
  { access, poller }: RetryMaterialDeps,
  principal: Principal,
  fingerprint: string,
): Promise<boolean> {
  const problem = poller.problems().find((each) => each.fingerprint === fingerprint)
  if (!problem) return true
  const firstThat = (action: 'operate-pipeline' | 'view-pipeline') =>
    problem.pipelines.find((pipeline) => access.may(principal, { action, pipeline }))
  const pipeline = firstThat('operate-pipeline') ?? firstThat('view-pipeline')
  const needed =
    pipeline === undefined
      ? ({ action: 'administer' } as const)
      : ({ action: 'operate-pipeline', pipeline } as const)
  assertMay(access, principal, needed)
  try {
    await poller.poll(fingerprint)
    return true
  } catch (error) {
    if (!(error instanceof SourceFailed)) throw error
    return false
  }
}

/**
 * Removes the consoles and artifacts of the oldest runs until so many bytes are free, and returns how many
 * are. The newest run of each stage and what is in progress keep theirs.
 *
 * @throws {ServiceError} `not-permitted` for callers who are not administrators.
 */
export async function freeRoom(
  { access, quota }: { readonly access: Access; readonly quota: Pick<ArtifactQuota, 'free'> },
  principal: Principal,
  bytes: number,
): Promise<number> {
  assertMay(access, principal, { action: 'administer' })
  return quota.free(bytes)
}
