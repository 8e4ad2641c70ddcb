import type { Context } from 'hono'
import { z } from 'zod'
import { parseOffset } from '../../core/page.ts'
import { cancelStage, listJobRuns, listStageRuns, readStageRun } from '../../builds/runs/stages.ts'
import type { StageInstance } from '../../builds/engine/documents.ts'
import { startStage } from '../../builds/runs/start-runs.ts'
import { MessageBody } from '../../wire/action-bodies.ts'
import { JobRunHistoryBody } from '../../wire/job-body.ts'
import { renderStarted, StageBody, StageHistoryBody, StartedBody } from '../../wire/stage-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json } from '../../http/errors.ts'
import { readStageChoice } from './job-choice.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import { renderJobRuns, renderStageHistory, renderStageRun } from './stage-bodies.ts'
import type { LeaderContext } from '../definition/api-context.ts'
import { fieldsBody, jsonAnswer, type Operation, reads } from '../definition/operation.ts'
import { leaderResource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'

type Builds = LeaderContext['builds']

const CONFIGURATION_HEADER = 'X-Cairn-Configuration'

const ChoiceFields = z.strictObject({
  jobs: z.union([z.string(), z.array(z.string())]).optional(),
  rerun: z.literal('failed').optional(),
  configuration: z.literal('then').optional(),
})

/** A reading whose header names the configuration of the run, of the newest one in a list. */
function readsUnder(text: string, schema: z.ZodType): Operation['answers'] {
  const { 200: answer, ...others } = reads(text, schema)
  const digest = 'Digest of the configuration by which the (newest) run was scheduled'
  return {
    ...others,
    200: { ...answer, text, headers: { ...answer?.headers, [CONFIGURATION_HEADER]: digest } },
  }
}

const historyRoute = {
  method: 'GET',
  summary: 'The runs of a stage, newest first, ten from an offset on',
  caller: 'viewer',
  answers: readsUnder('Runs', StageHistoryBody),
  errors: ['malformed-request', 'stage-not-found', 'pipeline-not-found'],
} as const

const jobRunsRoute = {
  method: 'GET',
  tag: 'Agents',
  summary: 'The jobs that an agent ran, most recently finished first, ten from an offset on',
  caller: 'user',
  answers: reads('Jobs', JobRunHistoryBody),
  errors: ['malformed-request', 'agent-not-found'],
} as const

const route = routeWith<Builds>('Pipelines and stages')

/** `/api/stages…`, and what an agent ran: starting, cancelling and reading. */
export const stageResource = leaderResource({
  conditional: true,
  open: ({ builds }: LeaderContext) => builds,
  routes: [
    route({
      method: 'POST',
      path: '/api/stages/:pipeline/:stage/run/:counter',
      summary:
        'Starts a stage of a pipeline run, or reruns some of its jobs; with configuration=then, as it was configured then, by an administrator of the group',
      caller: 'approver',
      audit: 'run-stage',
      body: fieldsBody(ChoiceFields, { required: false }),
      answers: { 202: jsonAnswer('Scheduled', StartedBody) },
      errors: [
        'malformed-request',
        'body-too-large',
        'pipeline-not-found',
        'stage-not-found',
        'job-not-found',
        'not-schedulable',
        'pipeline-locked',
        'pipeline-paused',
      ],
      example: { body: { rerun: 'failed' } },
      handle: async (c, builds) => {
        const { pipeline, stage } = c.req.param()
        const counter = parseWholeNumber(c.req.param('counter'), 'counter')
        const choice = await readStageChoice(c.req.raw)
        const asked = { pipeline, stage, counter, ...choice }
        const run = await startStage(builds, c.env.principal, asked)
        const message = `The run ${run.counter} of the stage ${run.name} is scheduled`
        return json(
          renderStarted(message, { pipeline: run.pipelineName, counter, stage: run }),
          202,
        )
      },
    }),
    route({
      method: 'POST',
      path: '/api/stages/:pipeline/:stage/cancel',
      summary: 'Cancels the newest run of a stage, if it is active',
      caller: 'approver',
      audit: 'cancel-stage',
      answers: {
        200: jsonAnswer('Cancelled, or not active', MessageBody, {
          [CONFIGURATION_HEADER]: 'Digest of the configuration by which the run was scheduled',
        }),
      },
      errors: ['stage-not-found', 'not-authorized'],
      example: {
        answer: {
          message: `The stage ${SAMPLE.stage} of the pipeline ${SAMPLE.pipeline} is cancelled`,
        },
      },
      handle: async (c, builds) => {
        const { pipeline, stage } = c.req.param()
        const cancelled = await cancelStage(builds, c.env.principal, { pipeline, stage })
        const outcome = cancelled === null ? 'is not active' : 'is cancelled'
        const message = `The stage ${stage} of the pipeline ${pipeline} ${outcome}`
        return json({ message }, 200, configurationHeader(cancelled))
      },
    }),
    route({
      method: 'GET',
      path: '/api/stages/:pipeline/:stage/instance/:pipelineCounter/:stageCounter',
      summary: 'One run of a stage',
      caller: 'viewer',
      answers: readsUnder('The run', StageBody),
      errors: ['malformed-request', 'stage-not-found', 'pipeline-not-found'],
      handle: async (c, builds) => {
        const { pipeline, stage } = c.req.param()
        const pipelineCounter = parseWholeNumber(c.req.param('pipelineCounter'), 'pipeline-counter')
        const stageCounter = parseWholeNumber(c.req.param('stageCounter'), 'stage-counter')
        const asked = { pipeline, stage, pipelineCounter, stageCounter }
        const run = await readStageRun(builds, c.env.principal, asked)
        return json(renderStageRun(run), 200, configurationHeader(run.stage))
      },
    }),
    route({
      ...historyRoute,
      path: '/api/stages/:pipeline/:stage/history',
      handle: (c, builds) => answerHistory(builds, c, '0'),
    }),
    route({
      ...historyRoute,
      path: '/api/stages/:pipeline/:stage/history/:offset',
      handle: (c, builds) => answerHistory(builds, c, c.req.param('offset')),
    }),
    route({
      ...jobRunsRoute,
      path: '/api/agents/:uuid/job_run_history',
      handle: (c, builds) => answerJobRuns(builds, c, '0'),
    }),
    route({
      ...jobRunsRoute,
      path: '/api/agents/:uuid/job_run_history/:offset',
      handle: (c, builds) => answerJobRuns(builds, c, c.req.param('offset')),
    }),
  ],
})

/** Names the configuration by which a run was scheduled; nothing for a run that does not say. */
function configurationHeader(
  stage: Pick<StageInstance, 'configuration'> | null | undefined,
): Record<string, string> {
  const digest = stage?.configuration?.digest
  return digest === undefined ? {} : { [CONFIGURATION_HEADER]: digest }
}

async function answerHistory(
  builds: Builds,
  c: Context<RouteEnv, '/:pipeline/:stage'>,
  offset: string,
): Promise<Response> {
  const { pipeline, stage } = c.req.param()
  const asked = { pipeline, stage, offset: parseOffset(offset) }
  const runs = await listStageRuns(builds, c.env.principal, asked)
  return json(renderStageHistory(runs), 200, configurationHeader(runs.items[0]?.stage))
}

async function answerJobRuns(
  builds: Builds,
  c: Context<RouteEnv, '/:uuid'>,
  offset: string,
): Promise<Response> {
  const asked = { uuid: c.req.param('uuid'), offset: parseOffset(offset) }
  return json(renderJobRuns(await listJobRuns(builds, c.env.principal, asked)))
}
