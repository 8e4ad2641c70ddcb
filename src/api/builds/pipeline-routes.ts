import type { Context } from 'hono'
import { z } from 'zod'
import { parseOffset } from '../../core/page.ts'
import { listPipelines, type ListPipelinesDeps } from '../../builds/runs/list-pipelines.ts'
import {
  listPipelineRuns,
  type PipelineRunsDeps,
  readPipelineRun,
} from '../../builds/runs/pipeline-runs.ts'
import {
  pausePipeline,
  type PausingDeps,
  readPipelineStatus,
  unpausePipeline,
} from '../../builds/runs/pausing.ts'
import { releaseLock, startPipeline, type StartRunsDeps } from '../../builds/runs/start-runs.ts'
import { MessageBody } from '../../wire/action-bodies.ts'
import { PipelineBody, PipelineStatusBody } from '../../wire/pipeline-body.ts'
import { PipelineHistoryBody, PipelineRunBody } from '../../wire/pipeline-run-body.ts'
import { StartedBody } from '../../wire/stage-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json } from '../../http/errors.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import { readForm, textField } from '../../http/request-body.ts'
import { readScheduleOptions } from './schedule-options.ts'
import {
  renderPipeline,
  renderPipelineRun,
  renderPipelineRuns,
  renderPipelineStatus,
} from './stage-bodies.ts'
import { started } from '../../http/started.ts'
import { jsonAnswer, reads } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'

const LARGEST_FORM = 65_536

export type PipelineRoutesOptions = PipelineRunsDeps &
  StartRunsDeps &
  ListPipelinesDeps &
  PausingDeps

const tag = 'Pipelines and stages'
/** What a run may be given that others do not have. */
const OptionKind = z.enum(['variables', 'secure_variables', 'materials'])

const historyRoute = {
  method: 'GET',
  tag,
  summary: 'The runs of a pipeline with their changes, newest first, ten from an offset on',
  caller: 'viewer',
  answers: reads('Runs', PipelineHistoryBody),
  errors: ['malformed-request', 'pipeline-not-found'],
} as const

const route = routeWith<PipelineRoutesOptions>()

/** `/api/pipelines…`: starting a run, what keeps runs from starting, and reading runs. */
export const pipelineResource = resource({
  conditional: true,
  open: (options: PipelineRoutesOptions) => options,
  routes: [
    route({
      method: 'GET',
      path: '/api/pipelines',
      tag,
      summary: 'Every pipeline that the caller may view, with its newest run',
      caller: 'user',
      answers: reads('Pipelines', z.array(PipelineBody)),
      handle: async (c, options) =>
        json((await listPipelines(options, c.env.principal)).map(renderPipeline)),
    }),
    route({
      method: 'GET',
      path: '/api/pipelines/:name/instance/:counter',
      tag,
      summary: 'One run of a pipeline, and what had changed since the run before it',
      caller: 'viewer',
      answers: reads('The run', PipelineRunBody),
      errors: ['malformed-request', 'pipeline-not-found'],
      handle: async (c, options) => {
        const counter = parseWholeNumber(c.req.param('counter'), 'counter')
        const asked = { pipeline: c.req.param('name'), counter }
        return json(renderPipelineRun(await readPipelineRun(options, c.env.principal, asked)))
      },
    }),
    route({
      ...historyRoute,
      path: '/api/pipelines/:name/history',
      handle: (c, options) => answerHistory(options, c, '0'),
    }),
    route({
      ...historyRoute,
      path: '/api/pipelines/:name/history/:offset',
      handle: (c, options) => answerHistory(options, c, c.req.param('offset')),
    }),
    route({
      method: 'POST',
      path: '/api/pipelines/:name/schedule',
      tag,
      summary:
        'Starts a run of a pipeline, with the newest of its materials and the variables of the configuration but for those given as variables[NAME], secure_variables[NAME] and materials[NAME or fingerprint]',
      caller: 'operator',
      audit: 'schedule-pipeline',
      body: {
        required: false,
        content: [
          {
            type: 'application/x-www-form-urlencoded',
            schema: z.record(z.templateLiteral([OptionKind, '[', z.string(), ']']), z.string()),
          },
        ],
      },
      answers: { 202: jsonAnswer('Scheduled', StartedBody) },
      errors: [
        'malformed-request',
        'body-too-large',
        'pipeline-not-found',
        'variable-not-found',
        'material-not-found',
        'material-revision-not-found',
        'not-schedulable',
        'pipeline-locked',
        'pipeline-paused',
      ],
      handle: async (c, options) => {
        const pipeline = c.req.param('name')
        const asked = { pipeline, options: await readScheduleOptions(c.req.raw) }
        const run = await startPipeline(options, c.env.principal, asked)
        const message = `The run ${run.counter} of the pipeline ${run.name} is scheduled`
        const stage = run.stages[0] ?? { name: '', counter: 1 }
        return started(message, { pipeline: run.name, counter: run.counter, stage })
      },
    }),
    route({
      method: 'GET',
      path: '/api/pipelines/:name/status',
      tag,
      summary: 'Whether a pipeline is paused, locked, and could start a run now',
      caller: 'viewer',
      answers: reads('The status', PipelineStatusBody),
      errors: ['pipeline-not-found'],
      handle: async (c, options) => {
        const status = await readPipelineStatus(options, c.env.principal, c.req.param('name'))
        return json(renderPipelineStatus(status))
      },
    }),
    route({
      method: 'POST',
      path: '/api/pipelines/:name/pause',
      tag,
      summary:
        'Keeps runs of a pipeline from starting, by whatever or whomever; what is in progress goes on',
      caller: 'operator',
      audit: 'pause-pipeline',
      body: {
        required: false,
        content: [
          {
            type: 'application/x-www-form-urlencoded',
            schema: z.object({ pauseCause: z.string().optional() }),
          },
        ],
      },
      answers: { 200: jsonAnswer('Paused', MessageBody) },
      errors: ['malformed-request', 'body-too-large', 'pipeline-not-found'],
      handle: async (c, options) => {
        const pipeline = c.req.param('name')
        const cause = textField(await readForm(c.req.raw, LARGEST_FORM), 'pauseCause') ?? ''
        await pausePipeline(options, c.env.principal, { pipeline, cause })
        return json({ message: `The pipeline ${pipeline} is paused` })
      },
    }),
    route({
      method: 'POST',
      path: '/api/pipelines/:name/unpause',
      tag,
      summary: 'Lets runs of a pipeline start again; what changed meanwhile is built in one run',
      caller: 'operator',
      audit: 'unpause-pipeline',
      answers: { 200: jsonAnswer('Unpaused, or not paused', MessageBody) },
      errors: ['pipeline-not-found'],
      handle: async (c, options) => {
        const pipeline = c.req.param('name')
        const wasPaused = await unpausePipeline(options, c.env.principal, pipeline)
        const outcome = wasPaused ? 'is no longer paused' : 'is not paused'
        return json({ message: `The pipeline ${pipeline} ${outcome}` })
      },
    }),
    route({
      method: 'POST',
      path: '/api/pipelines/:name/releaseLock',
      tag,
      summary: 'Takes the lock from the run that holds it, unless that is in progress',
      caller: 'operator',
      audit: 'release-lock',
      answers: { 200: jsonAnswer('Released, or not locked', MessageBody) },
      errors: ['pipeline-not-found', 'pipeline-locked'],
      handle: async (c, options) => {
        const name = c.req.param('name')
        const counter = await releaseLock(options, c.env.principal, name)
        const change =
          counter === null ? 'is not locked' : `is no longer locked by its run ${counter}`
        return json({ message: `The pipeline ${name} ${change}` })
      },
    }),
  ],
})

async function answerHistory(
  options: PipelineRoutesOptions,
  c: Context<RouteEnv, '/:name'>,
  offset: string,
): Promise<Response> {
  const asked = { pipeline: c.req.param('name'), offset: parseOffset(offset) }
  return json(renderPipelineRuns(await listPipelineRuns(options, c.env.principal, asked)))
}
