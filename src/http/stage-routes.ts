import { Hono, type Context } from 'hono'
import { parseOffset } from '../core/page.ts'
import { listPipelines, type ListPipelinesDeps } from '../services/builds/list-pipelines.ts'
import { listPipelineRuns, readPipelineRun } from '../services/builds/pipeline-runs.ts'
import {
  cancelStage,
  listJobRuns,
  listStageRuns,
  readStageRun,
  type StagesDeps,
} from '../services/builds/stages.ts'
import {
  releaseLock,
  startPipeline,
  startStage,
  type StartRunsDeps,
} from '../services/builds/start-runs.ts'
import type { StartedBody } from '../wire/stage-body.ts'
import type { RouteEnv } from './door.ts'
import { json } from './errors.ts'
import { readJobChoice } from './job-choice.ts'
import { parseWholeNumber } from './parameters.ts'
import {
  renderJobRuns,
  renderPipeline,
  renderPipelineRun,
  renderPipelineRuns,
  renderStageHistory,
  renderStageRun,
} from './stage-bodies.ts'

export type StageRoutesOptions = StagesDeps & StartRunsDeps & ListPipelinesDeps

/** Runs of pipelines and stages: starting, cancelling and reading them. */
export function stageRoutes(options: StageRoutesOptions) {
  const history = async (c: Context<RouteEnv, '/:pipeline/:stage'>, offset: string) => {
    const { pipeline, stage } = c.req.param()
    const asked = { pipeline, stage, offset: parseOffset(offset) }
    return json(renderStageHistory(await listStageRuns(options, c.env.principal, asked)))
  }
  const pipelineHistory = async (c: Context<RouteEnv, '/:name'>, offset: string) => {
    const asked = { pipeline: c.req.param('name'), offset: parseOffset(offset) }
    return json(renderPipelineRuns(await listPipelineRuns(options, c.env.principal, asked)))
  }
  const jobRuns = async (uuid: string, offset: string) =>
    json(renderJobRuns(await listJobRuns(options, uuid, parseOffset(offset))))
  return new Hono<RouteEnv>()
    .get('/api/pipelines', async (c) =>
      json((await listPipelines(options, c.env.principal)).map(renderPipeline)),
    )
    .get('/api/pipelines/:name/instance/:counter', async (c) => {
      const counter = parseWholeNumber(c.req.param('counter'), 'counter')
      const asked = { pipeline: c.req.param('name'), counter }
      return json(renderPipelineRun(await readPipelineRun(options, c.env.principal, asked)))
    })
    .get('/api/pipelines/:name/history', (c) => pipelineHistory(c, '0'))
    .get('/api/pipelines/:name/history/:offset', (c) => pipelineHistory(c, c.req.param('offset')))
    .post('/api/pipelines/:name/schedule', async (c) => {
      const run = await startPipeline(options, c.env.principal, c.req.param('name'))
      const message = `The run ${run.counter} of the pipeline ${run.name} is scheduled`
      const stage = run.stages[0] ?? { name: '', counter: 1 }
      return started(message, { pipeline: run.name, counter: run.counter, stage })
    })
    .post('/api/pipelines/:name/releaseLock', async (c) => {
      const name = c.req.param('name')
      const counter = await releaseLock(options, c.env.principal, name)
      const told = counter === null ? 'is not locked' : `is no longer locked by its run ${counter}`
      return json({ message: `The pipeline ${name} ${told}` })
    })
    .post('/api/stages/:pipeline/:stage/run/:counter', async (c) => {
      const { pipeline, stage } = c.req.param()
      const counter = parseWholeNumber(c.req.param('counter'), 'counter')
      const jobs = await readJobChoice(c.req.raw)
      const run = await startStage(options, c.env.principal, { pipeline, stage, counter, jobs })
      const message = `The run ${run.counter} of the stage ${run.name} is scheduled`
      return started(message, { pipeline: run.pipelineName, counter, stage: run })
    })
    .post('/api/stages/:pipeline/:stage/cancel', async (c) => {
      const { pipeline, stage } = c.req.param()
      const outcome = await cancelStage(options, c.env.principal, { pipeline, stage })
      const told = outcome === 'cancelled' ? 'is cancelled' : 'is not active'
      return json({ message: `The stage ${stage} of the pipeline ${pipeline} ${told}` })
    })
    .get('/api/stages/:pipeline/:stage/instance/:pipelineCounter/:stageCounter', async (c) => {
      const { pipeline, stage } = c.req.param()
      const pipelineCounter = parseWholeNumber(c.req.param('pipelineCounter'), 'pipeline-counter')
      const stageCounter = parseWholeNumber(c.req.param('stageCounter'), 'stage-counter')
      const asked = { pipeline, stage, pipelineCounter, stageCounter }
      return json(renderStageRun(await readStageRun(options, c.env.principal, asked)))
    })
    .get('/api/stages/:pipeline/:stage/history', (c) => history(c, '0'))
    .get('/api/stages/:pipeline/:stage/history/:offset', (c) => history(c, c.req.param('offset')))
    .get('/api/agents/:uuid/job_run_history', (c) => jobRuns(c.req.param('uuid'), '0'))
    .get('/api/agents/:uuid/job_run_history/:offset', (c) =>
      jobRuns(c.req.param('uuid'), c.req.param('offset')),
    )
}

function started(
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
