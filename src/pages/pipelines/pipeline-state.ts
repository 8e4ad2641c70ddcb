import type { ListedPipeline } from '../../builds/runs/list-pipelines.ts'
import type { Pipeline } from '../../document/model/model.ts'
import { isSameName } from '../../core/name-key.ts'

/** The states of a pipeline by its newest run, and what keeps it from running; with their words. */
export const PIPELINE_STATES = {
  failed: 'failed',
  building: 'building',
  waiting: 'waiting for an agent',
  approval: 'waiting for approval',
  cancelled: 'cancelled',
  passed: 'passed',
  'not-run': 'not run yet',
  paused: 'paused',
  locked: 'locked',
} as const
export type PipelineState = keyof typeof PIPELINE_STATES
export type RunState = Exclude<PipelineState, 'paused' | 'locked'>

/** The statuses, what needs somebody first. */
export const STATE_ORDER: readonly PipelineState[] = [
  'failed',
  'building',
  'waiting',
  'approval',
  'cancelled',
  'passed',
  'not-run',
  'paused',
  'locked',
]

export function isPipelineState(text: string): text is PipelineState {
  return Object.hasOwn(PIPELINE_STATES, text)
}

/** The status of a pipeline; a run whose next stage could not start counts as failed. */
export function pipelineState(
  { stages: planned }: Pick<Pipeline, 'stages'>,
  latest: ListedPipeline['latest'],
): RunState {
  if (latest === null) return 'not-run'
  const { run, stages } = latest
  const active = stages.filter((stage) => stage.active)
  if (active.some(({ state }) => state === 'Failing')) return 'failed'
  if (active.length > 0) return active.every(({ isWaiting }) => isWaiting) ? 'waiting' : 'building'
  const results = stages.map(({ result }) => result)
  if (run.blocked !== null || results.includes('Failed')) return 'failed'
  if (results.includes('Cancelled')) return 'cancelled'
  const next = planned.find(({ name }) => !stages.some(({ stage }) => isSameName(stage.name, name)))
  return next?.approval?.type === 'manual' ? 'approval' : 'passed'
}
