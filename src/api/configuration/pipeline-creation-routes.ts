import { Hono } from 'hono'
import { ServiceError } from '../../core/errors.ts'
import type { Problem } from '../../core/problem.ts'
import {
  addPipeline,
  type PipelineCreationDeps,
} from '../../configuration/save/pipeline-creation.ts'
import { readPipelineRequest } from '../../document/create-pipeline/pipeline-request.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json, renderError, statusOf } from '../../http/errors.ts'
import { type Form, readForm } from '../../http/request-body.ts'

export interface PipelineCreationOptions extends PipelineCreationDeps {
  readonly maxBody: number
}

/** `POST /tab/admin/pipelines/[name].json`, with the keys and texts that clients of the original read. */
export function pipelineCreationRoutes(options: PipelineCreationOptions) {
  return new Hono<RouteEnv>().post('/tab/admin/pipelines/:file{.+\\.json}', async (c) => {
    const name = c.req.param('file').slice(0, -'.json'.length)
    const form = await readForm(c.req.raw, options.maxBody)
    const reading = readPipelineRequest(name, entriesOf(form))
    if (!reading.ok) return refusal(reading.problems)
    try {
      await addPipeline(options, c.env.principal, reading.request)
    } catch (error) {
      return refusedBy(error)
    }
    const body = { isValid: 'true', error: '', messageId: 'Pipeline successfully created.' }
    return json(body, 201)
  })
}

function refusal(problems: readonly Problem[]): Response {
  const message = problems.map((problem) => problem.message).join('; ')
  return json({ isValid: 'false', error: message, message, errors: problems }, 400)
}

/** A document that the new pipeline would make invalid is the request's fault: 400. */
function refusedBy(error: unknown): Response {
  if (!(error instanceof ServiceError)) throw error
  const status = error.code === 'config-invalid' ? 400 : statusOf(error)
  return json({ isValid: 'false', error: error.message, ...renderError(error) }, status)
}

function* entriesOf(form: Form): Generator<readonly [string, string]> {
  for (const [name, values] of form) {
    for (const value of values) yield [name, Buffer.from(value).toString('utf8')]
  }
}
