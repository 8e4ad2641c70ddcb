import type { Act } from '../../exchange.ts'

/** The start of a run of a stage, as the audit log names it. */
export function runAct(run: {
  readonly pipeline: string
  readonly stage: string
  readonly counter: number
}): Act {
  const [pipeline, stage] = [run.pipeline, run.stage].map(encodeURIComponent)
  return { action: 'run-stage', target: `/api/stages/${pipeline}/${stage}/run/${run.counter}` }
}
