import { z } from 'zod'
import type { JobChoice } from '../../builds/runs/start-runs.ts'
import { malformed } from '../../http/parameters.ts'
import { readFields, textsIn } from '../../http/request-body.ts'

const MAX_BODY_BYTES = 1_048_576
const Names = z.union([z.string(), z.array(z.string())]).optional()
/** Programs write a list in a form in either way. */
const ChoiceFields = z.strictObject({
  jobs: Names,
  'jobs[]': Names,
  rerun: z.string().optional(),
  configuration: z.string().optional(),
})

/** The jobs of a stage to run, and whether they are made from the configuration of then. */
export interface StageChoice {
  readonly jobs: JobChoice
  readonly isAsThen: boolean
}

/**
 * Reads the jobs to run again: those in `jobs`, separated by commas or one a field; those that did
 * not pass when `rerun` is `failed`; all when neither is given. With `configuration` `then`, they are
 * made from the configuration of the last run of the stage. Fields are in the body or in the address.
 */
export async function readStageChoice(request: Request): Promise<StageChoice> {
  const form = await readFields(request, MAX_BODY_BYTES, ChoiceFields)
  const address = new URL(request.url).searchParams
  const texts = (name: keyof typeof ChoiceFields.shape) => [
    ...address.getAll(name),
    ...textsIn(form, name),
  ]
  const [rerun, configuration] = [texts('rerun').at(-1), texts('configuration').at(-1)]
  if (configuration !== undefined && configuration !== 'then') {
    throw malformed(`configuration "${configuration}" is not "then"`, 'configuration')
  }
  if (rerun !== undefined && rerun !== 'failed') {
    throw malformed(`rerun "${rerun}" is not "failed"`, 'rerun')
  }
  const isChosen = (['jobs', 'jobs[]'] as const).some((name) => form.has(name) || address.has(name))
  const chosen = isChosen ? namesIn([...texts('jobs'), ...texts('jobs[]')]) : null
  return { jobs: chosen ?? rerun ?? 'all', isAsThen: configuration === 'then' }
}

function namesIn(given: readonly string[]): readonly string[] {
  const names = given.flatMap((text) => text.split(',')).map((name) => name.trim())
  const named = names.filter((name) => name !== '')
  if (named.length > 0) return named
  throw malformed('"jobs" names no job', 'jobs')
}
