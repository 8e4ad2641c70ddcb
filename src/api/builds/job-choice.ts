import { z } from 'zod'
import type { JobChoice } from '../../builds/runs/start-runs.ts'
import { malformed } from '../../http/parameters.ts'
import { assertKnownFields, type Form, readForm, readJson } from '../../http/request-body.ts'

const MAX_BODY_BYTES = 1_048_576
const Names = z.union([z.string(), z.array(z.string())])
const JobsBody = z.strictObject({
  jobs: Names.optional(),
  rerun: z.string().optional(),
  configuration: z.string().optional(),
})
/** Programs write a list in a form in either way. */
const JobsForm = JobsBody.extend({ 'jobs[]': Names.optional() })

/** The jobs of a stage to run, and whether they are made from the configuration of then. */
export interface StageChoice {
  readonly jobs: JobChoice
  readonly isAsThen: boolean
}

/**
 * Reads the jobs to run again: those in `jobs`, separated by commas or one a field; those that did
 * not pass when `rerun` is `failed`; all when neither is given. With `configuration` `then`, they are
 * made from the configuration of the last run of the stage.
 */
export async function readStageChoice(request: Request): Promise<StageChoice> {
  const type = request.headers.get('content-type') ?? ''
  const isJson = /\bjson\b/i.test(type)
  const isForm = /urlencoded|form-data/i.test(type)
  if (isJson) return choiceOf(await readJson(request, MAX_BODY_BYTES, JobsBody))
  return choiceOf(isForm ? fieldsOf(await readForm(request, MAX_BODY_BYTES)) : {})
}

function choiceOf({ configuration, ...choice }: z.infer<typeof JobsBody>): StageChoice {
  if (configuration !== undefined && configuration !== 'then') {
    throw malformed(`configuration "${configuration}" is not "then"`, 'configuration')
  }
  return { jobs: jobsOf(choice), isAsThen: configuration === 'then' }
}

function jobsOf({ jobs, rerun }: z.infer<typeof JobsBody>): JobChoice {
  const names = [jobs ?? []].flat().flatMap((text) => text.split(','))
  const named = names.map((name) => name.trim()).filter((name) => name !== '')
  if (rerun !== undefined && rerun !== 'failed') {
    throw malformed(`rerun "${rerun}" is not "failed"`, 'rerun')
  }
  if (rerun === 'failed' && named.length === 0) return 'failed'
  return named.length > 0 ? named : 'all'
}

function fieldsOf(form: Form): z.infer<typeof JobsBody> {
  assertKnownFields(form, JobsForm)
  const texts = (name: string) =>
    (form.get(name) ?? []).map((bytes) => Buffer.from(bytes).toString('utf8'))
  const [rerun, configuration] = [texts('rerun').at(-1), texts('configuration').at(-1)]
  const jobs = [...texts('jobs'), ...texts('jobs[]')]
  return {
    jobs,
    ...(rerun !== undefined && { rerun }),
    ...(configuration !== undefined && { configuration }),
  }
}
