import { Hono, type Context } from 'hono'
import { parseOffset } from '../../core/page.ts'
import {
  cancelStage,
  listJobRuns,
  listStageRuns,
  readStageRun,
  type StagesDeps,
} from '../../builds/runs/stages.ts'
import { startStage, type StartRunsDeps } from '../../builds/runs/start-runs.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json } from '../../http/errors.ts'
import { readJobChoice } from './job-choice.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import { renderJobRuns, renderStageHistory, renderStageRun } from './stage-bodies.ts'
import { started } from '../../http/started.ts'

export type StageRoutesOptions = StagesDeps & StartRunsDeps

/** `/api/stages…`, and what an agent ran: starting, cancelling and reading. */
export function stageRoutes(options: StageRoutesOptions) {
  const history = async (c: Context<RouteEnv, '/:pipeline/:stage'>, offset: string) => {
    const { pipeline, stage } = c.req.param()
    const asked = { pipeline, stage, offset: parseOffset(offset) }
    return json(renderStageHistory(await listStageRuns(options, c.env.principal, asked)))
  }
  const jobRuns = async (c: Context<RouteEnv, '/:uuid'>, offset: string) => {
    const asked = { uuid: c.req.param('uuid'), offset: parseOffset(offset) }
    return json(renderJobRuns(await listJobRuns(options, c.env.principal, asked)))
  }
  return new Hono<RouteEnv>()
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
    .get('/api/agents/:uuid/job_run_history', (c) => jobRuns(c, '0'))
    .get('/api/agents/:uuid/job_run_history/:offset', (c) => jobRuns(c, c.req.param('offset')))
}
