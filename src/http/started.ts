import type { StartedBody } from '../wire/stage-body.ts'
import { json } from './errors.ts'

/** The answer to what started a run of a stage. */
export function started(
  message: string,
  run: { pipeline: string; counter: number; stage: { name: string; counter: number } },
): Response {
  const body: StartedBody = {
    message,
    pipeline_name: run.pipeline,
    pipeline_counter: run.counter,
    stage_name: run.stage.name,
    stage_counter: String(run.stage.counter),
  }
  return json(body, 202)
}
