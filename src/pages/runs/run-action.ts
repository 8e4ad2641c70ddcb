import type { AuditAction } from '../../http/request-context.ts'

/** The entry of the audit log for a started run of a stage. */
export function runAction(run: {
  readonly pipeline: string
  readonly stage: string
  readonly counter: number
}): AuditAction {
  const [pipeline, stage] = [run.pipeline, run.stage].map(encodeURIComponent)
  return { action: 'run-stage', target: `/api/stages/${pipeline}/${stage}/run/${run.counter}` }
}
