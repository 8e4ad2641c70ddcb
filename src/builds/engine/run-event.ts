import { stageNameKey } from '../../core/name-key.ts'
import { appendEvent, type RunEventType } from '../../core/service-event.ts'
import type { StageResult } from '../../core/builds/stage.ts'
import type { BuildChange } from './change.ts'
import { PIPELINE, STAGE_OUTCOME, type StageInstance } from './documents.ts'
import { pipelineKey } from './keys.ts'

type Outcome = 'Passed' | 'Failed'

/** Records the end of a run of a stage as an event, in the same change. */
export async function recordEnd(
  change: BuildChange,
  stage: StageInstance,
  result: StageResult,
): Promise<void> {
  const { tx, now: time } = change
  if (result === 'Unknown') return
  const { pipelineName: pipeline, pipelineCounter, name, counter: stageCounter } = stage
  const type =
    result === 'Cancelled' ? 'run.cancelled' : typeOf(result, await before(change, stage, result))
  const run = await tx.find(PIPELINE, pipelineKey({ pipeline, counter: pipelineCounter }))
  const { approvedBy, cancelledBy, configuration } = stage
  const label = run?.label ?? `${pipelineCounter}`
  const place = { pipeline, pipelineCounter, label, stage: name, stageCounter }
  await appendEvent(tx, { type, time, ...place, approvedBy, cancelledBy, configuration })
}

/** The outcome of the run before, which this one replaces; null when unknown. A rerun of an older run replaces nothing. */
async function before(
  { tx }: BuildChange,
  { pipelineName: pipeline, name: stage, pipelineCounter }: StageInstance,
  result: Outcome,
): Promise<Outcome | null> {
  const key = stageNameKey({ pipeline, stage })
  const known = await tx.find(STAGE_OUTCOME, key)
  if (known !== null && known.pipelineCounter > pipelineCounter) return null
  await tx.put(STAGE_OUTCOME, key, { pipelineCounter, result })
  return known?.result ?? null
}

function typeOf(result: Outcome, previous: Outcome | null): RunEventType {
  if (result === 'Passed') return previous === 'Failed' ? 'run.fixed' : 'run.passed'
  return previous === 'Passed' ? 'run.broken' : 'run.failed'
}
