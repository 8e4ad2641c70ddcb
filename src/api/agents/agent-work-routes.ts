import { Hono, type Context } from 'hono'
import { JobReport } from '../../core/builds/job.ts'
import { assertToken } from '../../agents/contact.ts'
import type { JobPlace } from '../../builds/artifacts/job-folders.ts'
import { type FilesDeps, listArtifacts } from '../../builds/runs/files.ts'
import {
  appendConsole,
  type JobCallsDeps,
  reportJob,
  uploadArtifact,
} from '../../builds/dispatch/job-calls.ts'
import type { JobDispatcher } from '../../builds/dispatch/job-dispatcher.ts'
import {
  type ArtifactListing,
  CONSOLE_BATCH,
  type ConsoleReply,
} from '../../wire/agent-job-report.ts'
import { parseAgentMessage } from '../../wire/agent-message.ts'
import { AGENT_PATTERNS } from '../../wire/agent-paths.ts'
import { ArtifactKind, type WorkReply, WorkRequest } from '../../wire/agent-work.ts'
import { answer, textOf, tokenOf } from './agent-protocol-routes.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json } from '../../http/errors.ts'
import { malformed, parseWholeNumber } from '../../http/parameters.ts'
import { readBody } from '../../http/request-body.ts'

export interface AgentWorkOptions extends JobCallsDeps, FilesDeps {
  readonly desk: JobDispatcher
}

/** The calls of the agents about work and jobs. They carry the agent's token, not a user. */
export function agentWorkRoutes(options: AgentWorkOptions) {
  return new Hono<RouteEnv>()
    .post(AGENT_PATTERNS.work, async (c) => {
      const { uuid, token } = callerOf(options, c)
      const { instance } = parseAgentMessage(WorkRequest, await textOf(c))
      const { signal } = c.req.raw
      const assignment = await options.desk.ask({ uuid, token, instance, signal })
      return answer({ assignment } satisfies WorkReply)
    })
    .post(AGENT_PATTERNS.report, async (c) => {
      const call = callOf(options, c)
      const report = parseAgentMessage(JobReport, await textOf(c))
      await reportJob(options, { ...call, report })
      return json({ message: `The state ${report.state} is noted` })
    })
    .put(AGENT_PATTERNS.console, async (c) => {
      const call = callOf(options, c)
      const offset = parseWholeNumber(c.req.query('offset') ?? '', 'offset')
      const bytes = await readBody(c.req.raw, CONSOLE_BATCH.most)
      const has = await appendConsole(options, { ...call, offset, bytes })
      return answer({ offset: has } satisfies ConsoleReply)
    })
    .put(AGENT_PATTERNS.artifact, async (c) => {
      const call = callOf(options, c)
      const kind = ArtifactKind.safeParse(c.req.query('kind'))
      if (!kind.success) throw malformed('kind is neither artifact nor test', 'kind')
      const size = parseWholeNumber(c.req.header('content-length') ?? '', 'Content-Length')
      const body = c.req.raw.body ?? nothing()
      const path = c.req.param('path')
      await uploadArtifact(options, { ...call, path, body, size })
      return json({ message: `The file ${path} is kept` }, 201)
    })
    .get(AGENT_PATTERNS.listArtifacts, async (c) => {
      const caller = callerOf(options, c)
      const job = parseLocator(c.req.query('job') ?? '')
      const path = c.req.query('path') ?? ''
      const files = [...(await listArtifacts(options, { ...caller, job, path }))]
      return answer({ files } satisfies ArtifactListing)
    })
}

/** The agent whose token the call carries; nothing of the call is read before that is known. */
function callerOf({ directory }: AgentWorkOptions, c: Context<RouteEnv, '/:uuid'>) {
  const caller = { uuid: c.req.param('uuid'), token: tokenOf(c) }
  assertToken(directory.find(caller.uuid), caller)
  return caller
}

function callOf(options: AgentWorkOptions, c: Context<RouteEnv, '/:uuid/:job'>) {
  return { ...callerOf(options, c), jobId: Number(c.req.param('job')) }
}

/** `pipeline/counter/stage/counter/job`. */
function parseLocator(text: string): JobPlace {
  const [pipelineName = '', pipelineCounter = '', stageName = '', stageCounter = '', ...job] =
    text.split('/')
  return {
    pipelineName,
    pipelineCounter: parseWholeNumber(pipelineCounter, 'pipeline counter'),
    stageName,
    stageCounter: parseWholeNumber(stageCounter, 'stage counter'),
    jobName: job.join('/'),
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
