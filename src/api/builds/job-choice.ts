import { z } from 'zod'
import type { JobChoice } from '../../builds/runs/start-runs.ts'
import { malformed, malformedBy } from '../../http/parameters.ts'
import {
  assertKnownFields,
  type Form,
  parseJson,
  readBody,
  readForm,
} from '../../http/request-body.ts'

const MAX_BODY_BYTES = 1_048_576
const Names = z.union([z.string(), z.array(z.string())])
const JobsBody = z.strictObject({ jobs: Names.optional(), rerun: z.string().optional() })
/** Programs write a list in a form in either way. */
const JobsForm = JobsBody.extend({ 'jobs[]': Names.optional() })

/**
 * Reads the jobs to run again: those in `jobs`, separated by commas or one a field; those that did
 * not pass when `rerun` is `failed`; all when neither is given.
 */
export async function readJobChoice(request: Request): Promise<JobChoice> {
  const type = request.headers.get('content-type') ?? ''
  const isJson = /\bjson\b/i.test(type)
  const isForm = /urlencoded|form-data/i.test(type)
  if (isJson) return choiceOf(readJobs(await readBody(request, MAX_BODY_BYTES)))
  return isForm ? choiceOf(fieldsOf(await readForm(request, MAX_BODY_BYTES))) : 'all'
}

function choiceOf({ jobs, rerun }: z.infer<typeof JobsBody>): JobChoice {
  const names = [jobs ?? []].flat().flatMap((text) => text.split(','))
  const named = names.map((name) => name.trim()).filter((name) => name !== '')
  if (rerun !== undefined && rerun !== 'failed') {
    throw malformed(`rerun "${rerun}" is not "failed"`, 'rerun')
  }
  if (rerun === 'failed' && named.length === 0) return 'failed'
  return named.length > 0 ? named : 'all'
}

/** An empty body says nothing, whatever type it has. */
function readJobs(body: Uint8Array): z.infer<typeof JobsBody> {
  const text = Buffer.from(body).toString('utf8').trim()
  if (text === '') return {}
  const read = JobsBody.safeParse(parseJson(text))
  if (read.success) return read.data
  throw malformedBy(read.error)
}

function fieldsOf(form: Form): z.infer<typeof JobsBody> {
  assertKnownFields(form, JobsForm)
  const texts = (name: string) =>
    (form.get(name) ?? []).map((bytes) => Buffer.from(bytes).toString('utf8'))
  const rerun = texts('rerun').at(-1)
  const jobs = [...texts('jobs'), ...texts('jobs[]')]
  return rerun === undefined ? { jobs } : { jobs, rerun }
}
