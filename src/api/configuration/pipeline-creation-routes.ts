import type { Context } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../core/errors.ts'
import type { Problem } from '../../core/problem.ts'
import {
  addPipeline,
  assertMayAddTo,
  composePipeline,
} from '../../configuration/save/pipeline-creation.ts'
import { readPipelineRequest } from '../../document/create-pipeline/pipeline-request.ts'
import { PipelineCreatedBody, PipelineRefusedBody } from '../../wire/action-bodies.ts'
import { ErrorBody } from '../../wire/error-body.ts'
import { messageOf } from '../../http/change-message.ts'
import { json, renderError, statusOf } from '../../http/errors.ts'
import { SOURCE_KINDS } from '../../core/source-address.ts'
import { BUILDERS } from '../../document/create-pipeline/task-request.ts'
import { assertKnownFields, type Form, readForm } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { fieldsBody, FORM_TYPE, jsonAnswer, MESSAGE_HEADER } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'
import { PREFER_HEADER, prefersProposal, PROPOSED, saveOrPropose } from './prefer-propose.ts'
import { SAMPLE } from '../definition/sample.ts'

const Text = z.string().optional()
const PipelineForm = z.strictObject({
  scm: z.enum(SOURCE_KINDS).optional(),
  url: z.string(),
  pipelineGroup: Text,
  builder: z.enum(BUILDERS).optional(),
  buildfile: Text,
  target: Text,
  command: Text,
  arguments: Text,
  source: Text,
  dest: Text,
  artifactType: Text,
  branch: Text,
  username: Text,
  password: Text,
  useTickets: z.enum(['true', 'false']).optional(),
  view: Text,
  domain: Text,
  projectPath: Text,
  message: Text,
})

const route = routeWith<ApiContext>('Configuration')

/** `POST /tab/admin/pipelines/[name].json`, with the keys and texts that clients of the original read. */
export const pipelineCreationResource = resource({
  open: (context: ApiContext) => context,
  routes: [
    route({
      method: 'POST',
      path: '/tab/admin/pipelines/:file{[^]*\\.json}',
      summary: 'Creates a pipeline with one material and one task',
      caller: 'groupAdministrator',
      audit: 'create-pipeline',
      rename: { file: 'name' },
      headers: { ...MESSAGE_HEADER, ...PREFER_HEADER },
      needs: prefersProposal,
      body: fieldsBody(PipelineForm, { types: [FORM_TYPE] }),
      answers: {
        201: jsonAnswer('Created', PipelineCreatedBody),
        ...PROPOSED,
        400: jsonAnswer('Not valid', PipelineRefusedBody),
        403: jsonAnswer(
          'The caller lacks the permission',
          z.union([PipelineRefusedBody, ErrorBody]),
        ),
        409: jsonAnswer('The name is in use', PipelineRefusedBody),
      },
      errors: ['body-too-large'],
      example: {
        body: {
          scm: 'git',
          url: `https://example.org/${SAMPLE.pipeline}.git`,
          pipelineGroup: SAMPLE.group,
          builder: 'exec',
          command: 'make test',
        },
        answer: { isValid: 'true', error: '', messageId: 'Pipeline successfully created.' },
      },
      handle: async (c, context) => {
        const name = c.req.param('file').slice(0, -'.json'.length)
        try {
          return await create(c, context, name)
        } catch (error) {
          return refusedBy(c, error)
        }
      },
    }),
  ],
})

async function create(c: Context<RouteEnv>, context: ApiContext, name: string): Promise<Response> {
  const { configuration, site } = context
  const { principal } = c.env
  const form = await readForm(c.req.raw, site.maxBody)
  const reading = readPipelineRequest(name, entriesOf(form))
  const { group } = reading.ok ? reading.request : reading
  if (!prefersProposal(c.req.raw)) assertMayAddTo(configuration, principal, group)
  assertKnownFields(form, PipelineForm)
  if (!reading.ok) return refusal(c, reading.problems)
  const message = messageOf(c.req.raw, form)
  const { request } = reading
  const save = async () => {
    const { setAside } = await addPipeline(configuration, principal, request, message)
    const body = { isValid: 'true', error: '', messageId: 'Pipeline successfully created.' }
    return json({ ...body, ...(setAside !== null && { setAside }) }, 201)
  }
  return saveOrPropose(c, context, save, () => ({
    content: { document: composePipeline(configuration, request) },
    base: null,
    message,
    summary: `Add pipeline ${request.name}`,
  }))
}

function refusal(c: Context<RouteEnv>, problems: readonly Problem[]): Response {
  c.env.reason = 'malformed-request'
  const message = problems.map((problem) => problem.message).join('; ')
  return json({ isValid: 'false', error: message, message, errors: problems }, 400)
}

/** A document that the new pipeline would make invalid is the request's fault: 400. */
function refusedBy(c: Context<RouteEnv>, error: unknown): Response {
  if (!(error instanceof ServiceError)) throw error
  c.env.reason = error.code
  const status = error.code === 'config-invalid' ? 400 : statusOf(error)
  const { message } = error
  const errors = [{ message, ...(error.code === 'name-in-use' && { path: 'name' }) }]
  return json({ isValid: 'false', error: message, errors, ...renderError(error) }, status)
}

function* entriesOf(form: Form): Generator<readonly [string, string]> {
  for (const [name, values] of form) {
    for (const value of values) yield [name, Buffer.from(value).toString('utf8')]
  }
}
