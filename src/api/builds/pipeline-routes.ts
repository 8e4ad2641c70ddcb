import { Hono, type Context } from 'hono'
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

const LARGEST_FORM = 65_536

export type PipelineRoutesOptions = PipelineRunsDeps &
  StartRunsDeps &
  ListPipelinesDeps &
  PausingDeps

/** `/api/pipelines…`: starting a run, what keeps runs from starting, and reading runs. */
export function pipelineRoutes(options: PipelineRoutesOptions) {
  const history = async (c: Context<RouteEnv, '/:name'>, offset: string) => {
    const asked = { pipeline: c.req.param('name'), offset: parseOffset(offset) }
    return json(renderPipelineRuns(await listPipelineRuns(options, c.env.principal, asked)))
  }
  return new Hono<RouteEnv>()
    .get('/api/pipelines', async (c) =>
      json((await listPipelines(options, c.env.principal)).map(renderPipeline)),
    )
    .get('/api/pipelines/:name/instance/:counter', async (c) => {
      const counter = parseWholeNumber(c.req.param('counter'), 'counter')
      const asked = { pipeline: c.req.param('name'), counter }
      return json(renderPipelineRun(await readPipelineRun(options, c.env.principal, asked)))
    })
    .get('/api/pipelines/:name/history', (c) => history(c, '0'))
    .get('/api/pipelines/:name/history/:offset', (c) => history(c, c.req.param('offset')))
    .post('/api/pipelines/:name/schedule', async (c) => {
      const asked = { pipeline: c.req.param('name'), options: await readScheduleOptions(c.req.raw) }
      const run = await startPipeline(options, c.env.principal, asked)
      const message = `The run ${run.counter} of the pipeline ${run.name} is scheduled`
      const stage = run.stages[0] ?? { name: '', counter: 1 }
      return started(message, { pipeline: run.name, counter: run.counter, stage })
    })
    .get('/api/pipelines/:name/status', async (c) => {
      const status = await readPipelineStatus(options, c.env.principal, c.req.param('name'))
      return json(renderPipelineStatus(status))
    })
    .post('/api/pipelines/:name/pause', async (c) => {
      const pipeline = c.req.param('name')
      const cause = textField(await readForm(c.req.raw, LARGEST_FORM), 'pauseCause') ?? ''
      await pausePipeline(options, c.env.principal, { pipeline, cause })
      return json({ message: `The pipeline ${pipeline} is paused` })
    })
    .post('/api/pipelines/:name/unpause', async (c) => {
      const pipeline = c.req.param('name')
      const wasPaused = await unpausePipeline(options, c.env.principal, pipeline)
      const outcome = wasPaused ? 'is no longer paused' : 'is not paused'
      return json({ message: `The pipeline ${pipeline} ${outcome}` })
    })
    .post('/api/pipelines/:name/releaseLock', async (c) => {
      const name = c.req.param('name')
      const counter = await releaseLock(options, c.env.principal, name)
      const told = counter === null ? 'is not locked' : `is no longer locked by its run ${counter}`
      return json({ message: `The pipeline ${name} ${told}` })
    })
}
