import type { Context } from 'hono'
import { z } from 'zod'
import { parseOffset } from '../../core/page.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import { listPipelines } from '../../builds/runs/list-pipelines.ts'
import {
  listPipelineRuns,
  listRunsByRevision,
  readPipelineRun,
} from '../../builds/runs/pipeline-runs.ts'
import { pausePipeline, readPipelineStatus, unpausePipeline } from '../../builds/runs/pausing.ts'
import { releaseLock, startPipeline } from '../../builds/runs/start-runs.ts'
import { MessageBody } from '../../wire/action-bodies.ts'
import { PipelineBody, PipelineStatusBody } from '../../wire/pipeline-body.ts'
import { PipelineHistoryBody, PipelineRunBody } from '../../wire/pipeline-run-body.ts'
import { renderStarted, StartedBody } from '../../wire/stage-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json } from '../../http/errors.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import { readFields, textField } from '../../http/request-body.ts'
import { commitNamed } from '../configuration/named-commit.ts'
import { readScheduleOptions } from './schedule-options.ts'
import {
  renderPipeline,
  renderPipelineRuns,
  renderWaitingRun,
  renderPipelineStatus,
} from './stage-bodies.ts'
import type { LeaderContext } from '../definition/api-context.ts'
import { fieldsBody, FORM_TYPE, JSON_TYPE, jsonAnswer, reads } from '../definition/operation.ts'
import { leaderResource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'

const MAX_FORM_BYTES = 65_536

type Builds = LeaderContext['builds']

const PauseFields = z.strictObject({ pauseCause: z.string().optional() })
/** The kinds of options of a single run. */
const OptionKind = z.enum(['variables', 'secure_variables', 'materials'])
const OptionField = z.union([
  z.templateLiteral([OptionKind, '[', z.string(), ']']),
  z.literal('configuration'),
])

const historyRoute = {
  method: 'GET',
  summary: 'The runs of a pipeline with their changes, newest first, ten from an offset on',
  caller: 'viewer',
  answers: reads('Runs', PipelineHistoryBody),
  errors: ['malformed-request', 'pipeline-not-found'],
} as const

const route = routeWith<Builds>('Pipelines and stages')

/** `/api/pipelines…`: starting a run, what keeps runs from starting, and reading runs. */
export const pipelineResource = leaderResource({
  conditional: true,
  open: ({ builds }: LeaderContext) => builds,
  routes: [
    route({
      method: 'GET',
      path: '/api/pipelines',
      summary: 'The pipelines that the caller may view, each with its newest run',
      tools: [{ name: 'pipelines' }],
      caller: 'user',
      answers: reads('Pipelines', z.array(PipelineBody)),
      handle: async (c, builds) =>
        json((await listPipelines(builds, c.env.principal)).map(renderPipeline)),
    }),
    route({
      method: 'GET',
      path: '/api/pipelines/:name/instance/:counter',
      summary: 'One run of a pipeline, with the changes since the previous run',
      tools: [{ name: 'run' }],
      caller: 'viewer',
      answers: reads('The run', PipelineRunBody),
      errors: ['malformed-request', 'pipeline-not-found'],
      handle: async (c, builds) => {
        const counter = parseWholeNumber(c.req.param('counter'), 'counter')
        const asked = { pipeline: c.req.param('name'), counter }
        const run = await readPipelineRun(builds, c.env.principal, asked)
        return json(renderWaitingRun(run, builds.waiting))
      },
    }),
    route({
      ...historyRoute,
      path: '/api/pipelines/:name/history',
      handle: (c, builds) => answerHistory(builds, c, '0'),
    }),
    route({
      ...historyRoute,
      path: '/api/pipelines/:name/history/:offset',
      tools: [{ name: 'runs' }],
      handle: (c, builds) => answerHistory(builds, c, c.req.param('offset')),
    }),
    route({
      method: 'GET',
      path: '/api/config/revisions/:commit/runs',
      summary:
        'The runs that a revision of the configuration scheduled, newest first, ten at a time',
      caller: 'administrator',
      query: { offset: { text: 'Runs to skip', schema: z.int().min(0) } },
      answers: reads('Runs', PipelineHistoryBody),
      errors: ['malformed-request', 'revision-not-found'],
      handle: async (c, builds) => {
        assertMay(builds.access, c.env.principal, { action: 'administer' })
        const commit = await commitNamed(builds, ['commit', c.req.param('commit')])
        const asked = { commit, offset: parseOffset(c.req.query('offset') ?? '0') }
        return json(renderPipelineRuns(await listRunsByRevision(builds, c.env.principal, asked)))
      },
    }),
    route({
      method: 'POST',
      path: '/api/pipelines/:name/schedule',
      summary:
        'Starts a run of a pipeline with the newest revisions and the configured variables, except those given as variables[NAME], secure_variables[NAME] and materials[NAME or fingerprint]; with configuration=REVISION, as it was configured then, by an administrator of the group',
      caller: 'approver',
      audit: 'schedule-pipeline',
      body: fieldsBody(z.record(OptionField, z.string()), { required: false, types: [FORM_TYPE] }),
      answers: { 202: jsonAnswer('Scheduled', StartedBody) },
      errors: [
        'malformed-request',
        'body-too-large',
        'pipeline-not-found',
        'variable-not-found',
        'material-not-found',
        'material-revision-not-found',
        'revision-not-found',
        'not-schedulable',
        'pipeline-locked',
        'pipeline-paused',
      ],
      example: { body: { 'variables[GREETING]': 'good morning' } },
      handle: async (c, builds) => {
        const pipeline = c.req.param('name')
        const asked = { pipeline, options: await readScheduleOptions(c.req.raw) }
        const run = await startPipeline(builds, c.env.principal, asked)
        const message = `The run ${run.counter} of the pipeline ${run.name} is scheduled`
        const stage = run.stages[0] ?? { name: '', counter: 1 }
        return json(
          renderStarted(message, { pipeline: run.name, counter: run.counter, stage }),
          202,
        )
      },
    }),
    route({
      method: 'GET',
      path: '/api/pipelines/:name/status',
      summary: 'Whether a pipeline is paused, locked, and could start a run now',
      caller: 'viewer',
      answers: reads('The status', PipelineStatusBody),
      errors: ['pipeline-not-found'],
      handle: async (c, builds) => {
        const status = await readPipelineStatus(builds, c.env.principal, c.req.param('name'))
        return json(renderPipelineStatus(status))
      },
    }),
    route({
      method: 'POST',
      path: '/api/pipelines/:name/pause',
      summary: 'Pauses a pipeline: no run starts, running stages finish',
      caller: 'operator',
      audit: 'pause-pipeline',
      body: fieldsBody(PauseFields, { required: false, types: [FORM_TYPE, JSON_TYPE] }),
      answers: { 200: jsonAnswer('Paused', MessageBody) },
      errors: ['malformed-request', 'body-too-large', 'pipeline-not-found'],
      example: {
        body: { pauseCause: 'release freeze' },
        answer: { message: `The pipeline ${SAMPLE.pipeline} is paused` },
      },
      handle: async (c, builds) => {
        const pipeline = c.req.param('name')
        const cause =
          textField(await readFields(c.req.raw, MAX_FORM_BYTES, PauseFields), 'pauseCause') ?? ''
        await pausePipeline(builds, c.env.principal, { pipeline, cause })
        return json({ message: `The pipeline ${pipeline} is paused` })
      },
    }),
    route({
      method: 'POST',
      path: '/api/pipelines/:name/unpause',
      summary: 'Unpauses a pipeline; changes made meanwhile are built in one run',
      caller: 'operator',
      audit: 'unpause-pipeline',
      answers: { 200: jsonAnswer('Unpaused, or not paused', MessageBody) },
      errors: ['pipeline-not-found'],
      example: { answer: { message: `The pipeline ${SAMPLE.pipeline} is no longer paused` } },
      handle: async (c, builds) => {
        const pipeline = c.req.param('name')
        const wasPaused = await unpausePipeline(builds, c.env.principal, pipeline)
        const outcome = wasPaused ? 'is no longer paused' : 'is not paused'
        return json({ message: `The pipeline ${pipeline} ${outcome}` })
      },
    }),
    route({
      method: 'POST',
      path: '/api/pipelines/:name/releaseLock',
      summary: 'Releases the lock of a pipeline, unless its run is in progress',
      caller: 'operator',
      audit: 'release-lock',
      answers: { 200: jsonAnswer('Released, or not locked', MessageBody) },
      errors: ['pipeline-not-found', 'pipeline-locked'],
      example: {
        answer: { message: `The pipeline ${SAMPLE.pipeline} is no longer locked by its run 1` },
      },
      handle: async (c, builds) => {
        const name = c.req.param('name')
        const counter = await releaseLock(builds, c.env.principal, name)
        const change =
          counter === null ? 'is not locked' : `is no longer locked by its run ${counter}`
        return json({ message: `The pipeline ${name} ${change}` })
      },
    }),
  ],
})

async function answerHistory(
  builds: Builds,
  c: Context<RouteEnv, '/:name'>,
  offset: string,
): Promise<Response> {
  const asked = { pipeline: c.req.param('name'), offset: parseOffset(offset) }
  return json(renderPipelineRuns(await listPipelineRuns(builds, c.env.principal, asked)))
}
