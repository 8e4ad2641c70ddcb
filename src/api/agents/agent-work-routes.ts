import type { Context } from 'hono'
import { z } from 'zod'
import { JobReport } from '../../core/builds/job.ts'
import { assertToken } from '../../agents/contact.ts'
import type { JobPlace } from '../../builds/artifacts/job-folders.ts'
import { listArtifacts } from '../../builds/runs/files.ts'
import { appendConsole, reportJob, uploadArtifact } from '../../builds/dispatch/job-calls.ts'
import { parseAgentMessage } from '../../wire/agent/message.ts'
import { AGENT_PATTERNS } from '../../wire/agent/paths.ts'
import {
  ArtifactKind,
  type JobAssignment,
  WorkReply,
  WorkRequest,
  ArtifactListing,
  CONSOLE_BATCH,
  ConsoleReply,
} from '../../wire/agent/work.ts'
import { AGENT_TAG, agentMessage, agentReply, answer, textOf } from './agent-protocol-routes.ts'
import { tokenOf } from './agent-token.ts'
import { MessageBody } from '../../wire/action-bodies.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json } from '../../http/errors.ts'
import { malformed, parseWholeNumber } from '../../http/parameters.ts'
import { assertNotCoded } from '../../http/content-coding.ts'
import { readBody } from '../../http/request-body.ts'
import type { LeaderContext } from '../definition/api-context.ts'
import { jsonAnswer } from '../definition/operation.ts'
import { QUIET } from '../definition/route-rules.ts'
import { leaderResource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'

type Builds = LeaderContext['builds']

const BYTES = { required: true, content: [{ type: '*/*', schema: null }] }

/** Agents call their jobs by number. */
const JOB = { job: { text: 'The number of a job', schema: z.int().positive(), example: '1' } }

/** A job, as an agent is given it. */
const ASSIGNMENT: JobAssignment = {
  jobId: 1,
  pipelineName: SAMPLE.pipeline,
  pipelineCounter: 1,
  pipelineLabel: '1',
  stageName: SAMPLE.stage,
  stageCounter: '1',
  jobName: SAMPLE.job,
  triggerUser: 'admin',
  agentResources: ['linux'],
  cleanWorkingDir: false,
  fetchMaterials: true,
  silenceTimeoutMs: 600_000,
  materials: [
    {
      type: 'git',
      name: null,
      dest: null,
      revision: SAMPLE.change,
      fromRevision: SAMPLE.change,
      url: `https://example.org/${SAMPLE.pipeline}.git`,
      branch: 'master',
    },
  ],
  environmentVariables: [{ name: 'GREETING', value: 'hello', secure: false }],
  tasks: [
    {
      run: { type: 'exec', command: 'make', args: ['test'], workingDir: null, timeoutMs: null },
      runIf: ['passed'],
      onCancel: null,
    },
  ],
  artifacts: [{ kind: 'artifact', src: 'out/*.txt', dest: 'out' }],
  maskedTexts: [],
}

const route = routeWith<Builds>(AGENT_TAG)

/** The calls of the agents about work and jobs. They carry the agent's token, not a user. */
export const agentWorkResource = leaderResource({
  open: ({ builds }: LeaderContext) => builds,
  routes: [
    route({
      method: 'POST',
      path: AGENT_PATTERNS.work,
      isHeld: true,
      summary: 'Requests a job for an agent; waits about 15 seconds for one',
      caller: 'agent',
      audit: QUIET,
      body: agentMessage(WorkRequest),
      answers: { 200: agentReply('A job, or none', WorkReply) },
      errors: ['malformed-request', 'body-too-large', 'agent-taken', 'not-permitted'],
      example: { body: { instance: 'c0ffee12' }, answer: { assignment: ASSIGNMENT } },
      handle: async (c, builds) => {
        const { uuid, token } = callerOf(builds, c)
        const { instance, attempt = null } = parseAgentMessage(WorkRequest, await textOf(c))
        const { dispatcher } = builds
        const asking = { uuid, token, instance }
        c.env.credential = { assertGood: async () => dispatcher.assertMayAsk(asking) }
        const signal = AbortSignal.any([c.req.raw.signal, c.env.ended])
        const assignment = await dispatcher.ask({ ...asking, attempt, signal })
        return answer({ assignment } satisfies WorkReply)
      },
    }),
    route({
      method: 'POST',
      path: AGENT_PATTERNS.report,
      summary: 'Reports the state of a job',
      caller: 'agent',
      parameters: JOB,
      audit: QUIET,
      body: agentMessage(JobReport),
      answers: { 200: jsonAnswer('Noted', MessageBody) },
      errors: ['malformed-request', 'body-too-large', 'job-not-found', 'job-not-yours'],
      example: {
        body: { state: 'Completed', result: 'Passed' },
        answer: { message: 'The state Completed is noted' },
      },
      handle: async (c, builds) => {
        const call = callOf(builds, c)
        const report = parseAgentMessage(JobReport, await textOf(c))
        await reportJob(builds, { ...call, report })
        return json({ message: `The state ${report.state} is noted` })
      },
    }),
    route({
      method: 'PUT',
      path: AGENT_PATTERNS.console,
      summary: 'Appends to the console of a job',
      caller: 'agent',
      parameters: JOB,
      audit: QUIET,
      query: {
        offset: { text: 'Bytes that the server has', schema: z.int().min(0), required: true },
      },
      body: BYTES,
      answers: { 200: agentReply('Bytes that the server has now', ConsoleReply) },
      errors: [
        'malformed-request',
        'body-too-large',
        'job-not-found',
        'job-not-yours',
        'disk-full',
      ],
      example: { query: { offset: '0' }, body: 'hello\n', answer: { offset: 6 } },
      handle: async (c, builds) => {
        const call = callOf(builds, c)
        const offset = parseWholeNumber(c.req.query('offset') ?? '', 'offset')
        const bytes = await readBody(c.req.raw, CONSOLE_BATCH.most)
        const has = await appendConsole(builds, { ...call, offset, bytes })
        return answer({ offset: has } satisfies ConsoleReply)
      },
    }),
    route({
      method: 'PUT',
      path: AGENT_PATTERNS.artifact,
      summary: 'Uploads a file of a job',
      caller: 'agent',
      parameters: {
        ...JOB,
        path: {
          text: 'Where the job keeps it',
          schema: z.string().min(1),
          example: 'out/report.txt',
        },
      },
      audit: QUIET,
      query: { kind: { text: 'What the file is', schema: ArtifactKind, required: true } },
      body: BYTES,
      answers: { 201: jsonAnswer('Kept', MessageBody) },
      errors: [
        'malformed-request',
        'body-too-large',
        'job-not-found',
        'job-not-yours',
        'disk-full',
      ],
      example: {
        query: { kind: 'artifact' },
        body: 'All is well\n',
        answer: { message: 'The file out/report.txt is kept' },
      },
      handle: async (c, builds) => {
        const call = callOf(builds, c)
        const kind = ArtifactKind.safeParse(c.req.query('kind'))
        if (!kind.success) throw malformed('kind is neither artifact nor test', 'kind')
        const size = parseWholeNumber(c.req.header('content-length') ?? '', 'Content-Length')
        assertNotCoded(c.req.raw)
        const body = c.req.raw.body ?? nothing()
        const path = c.req.param('path')
        await uploadArtifact(builds, { ...call, path, body, size })
        return json({ message: `The file ${path} is kept` }, 201)
      },
    }),
    route({
      method: 'GET',
      path: AGENT_PATTERNS.listArtifacts,
      summary: 'The files of a job, for the agent whose job fetches them',
      caller: 'agent',
      query: {
        job: {
          text: '`pipeline/counter/stage/counter/job`',
          schema: z.string(),
          required: true,
        },
        path: { text: 'A file or a folder of it', schema: z.string(), required: true },
      },
      answers: { 200: agentReply('Files', ArtifactListing) },
      errors: ['malformed-request', 'file-not-found', 'not-permitted'],
      example: {
        query: { job: SAMPLE.locator, path: 'out' },
        answer: { files: [{ path: 'out/report.txt', size: 12 }] },
      },
      handle: async (c, builds) => {
        const caller = callerOf(builds, c)
        const job = parseLocator(c.req.query('job') ?? '')
        const path = c.req.query('path') ?? ''
        const files = [...(await listArtifacts(builds, { ...caller, job, path }))]
        return answer({ files } satisfies ArtifactListing)
      },
    }),
  ],
})

/** The agent whose token the call carries; nothing of the call is read before that is known. */
function callerOf({ directory }: Builds, c: Context<RouteEnv, '/:uuid'>) {
  const caller = { uuid: c.req.param('uuid'), token: tokenOf(c) }
  const assertGood = async () => assertToken(directory.find(caller.uuid), caller)
  assertToken(directory.find(caller.uuid), caller)
  c.env.credential = { assertGood }
  return caller
}

function callOf(builds: Builds, c: Context<RouteEnv, '/:uuid/:job'>) {
  return { ...callerOf(builds, c), jobId: Number(c.req.param('job')) }
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
