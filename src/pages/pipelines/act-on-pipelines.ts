import { pausePipeline, unpausePipeline } from '../../builds/runs/pausing.ts'
import { releaseLock, startPipeline, type StartRunsDeps } from '../../builds/runs/start-runs.ts'
import { type ErrorCode, ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { AuditAction } from '../../http/request-context.ts'
import { mapInTurns } from '../../lib/cooperative.ts'

export const PIPELINE_ACTIONS = ['trigger', 'pause', 'unpause', 'unlock'] as const
export type PipelineAction = (typeof PIPELINE_ACTIONS)[number]

export interface PipelinesRequest {
  readonly action: PipelineAction
  readonly pipelines: readonly string[]
  /** The reason of a pause. */
  readonly cause: string
}

/** The result of an action for one of several pipelines. */
export interface PipelineOutcome {
  readonly pipeline: string
  readonly isDone: boolean
  /** The run that was started or unlocked; null for none, and where nothing changed. */
  readonly run: number | null
  /** Whether there was nothing to do. */
  readonly isUnchanged: boolean
  /** The code of the refusal, and its message. */
  readonly reason: ErrorCode | null
  readonly message: string
}

/** Most of the time is a wait for the disk, or for repositories of materials. */
const AT_ONCE = 10

/** Applies one action to several pipelines. A refusal for one does not stop the others. */
export function actOnPipelines(
  deps: StartRunsDeps,
  principal: Principal,
  { pipelines, ...request }: PipelinesRequest,
): Promise<readonly PipelineOutcome[]> {
  const actOnOne = async (pipeline: string): Promise<PipelineOutcome> => {
    try {
      const run = await actOnPipeline(deps, principal, { pipeline, ...request })
      const isUnchanged = run === 'unchanged'
      const done = { isDone: true, isUnchanged, reason: null, message: '' }
      return { pipeline, run: isUnchanged ? null : run, ...done }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const refused = { isDone: false, isUnchanged: true, reason: error.code }
      return { pipeline, run: null, ...refused, message: error.message }
    }
  }
  return mapInTurns(pipelines, actOnOne, AT_ONCE)
}

/**
 * Applies an action to one pipeline. Returns the run that it started or unlocked, null where there
 * is none, `unchanged` where there was nothing to do.
 *
 * @throws {ServiceError} as the action.
 */
export async function actOnPipeline(
  deps: StartRunsDeps,
  principal: Principal,
  of: { readonly action: PipelineAction; readonly pipeline: string; readonly cause: string },
): Promise<number | null | 'unchanged'> {
  const { action, pipeline, cause } = of
  switch (action) {
    case 'trigger':
      return (await startPipeline(deps, principal, { pipeline })).counter
    case 'unlock':
      return (await releaseLock(deps, principal, pipeline)) ?? 'unchanged'
    case 'pause':
      await pausePipeline(deps, principal, { pipeline, cause })
      return null
    case 'unpause':
      return (await unpausePipeline(deps, principal, pipeline)) ? null : 'unchanged'
  }
}

const AUDITED = {
  trigger: ['schedule-pipeline', 'schedule'],
  unlock: ['release-lock', 'releaseLock'],
  pause: ['pause-pipeline', 'pause'],
  unpause: ['unpause-pipeline', 'unpause'],
} as const satisfies Record<PipelineAction, readonly [action: string, call: string]>

/** The entry of the audit log for an action on a pipeline. */
export function pipelineAuditAction(action: PipelineAction, pipeline: string): AuditAction {
  const [name, call] = AUDITED[action]
  return { action: name, target: `/api/pipelines/${encodeURIComponent(pipeline)}/${call}` }
}
