import { z } from 'zod'
import { MessageBody } from '../../wire/action-bodies.ts'
import { AgentChangesBody, AgentEntry } from '../../wire/agent-entry.ts'
import { FolderEntryBody } from '../../wire/folder-entry.ts'
import { JobRunHistoryBody } from '../../wire/job-body.ts'
import { PipelineBody, PipelineStatusBody } from '../../wire/pipeline-body.ts'
import { PipelineHistoryBody, PipelineRunBody } from '../../wire/pipeline-run-body.ts'
import { StageBody, StageHistoryBody, StartedBody } from '../../wire/stage-body.ts'
import { jsonAnswer, NOT_MODIFIED, type Operation, type Operations, reads } from './operation.ts'

const AGENTS = 'Agents'
const STAGES = 'Pipelines and stages'
/** What a run may be given that others do not have. */
const OptionKind = z.enum(['variables', 'secure_variables', 'materials'])

const stageHistory: Operation = {
  tag: STAGES,
  summary: 'The runs of a stage, newest first, ten from an offset on',
  caller: 'viewer',
  answers: reads('Runs', StageHistoryBody),
  errors: ['malformed-request', 'stage-not-found', 'pipeline-not-found'],
}

const pipelineHistory: Operation = {
  tag: STAGES,
  summary: 'The runs of a pipeline with their changes, newest first, ten from an offset on',
  caller: 'viewer',
  answers: reads('Runs', PipelineHistoryBody),
  errors: ['malformed-request', 'pipeline-not-found'],
}

const jobRuns: Operation = {
  tag: AGENTS,
  summary: 'The jobs that an agent ran, newest end first, ten from an offset on',
  caller: 'user',
  answers: reads('Jobs', JobRunHistoryBody),
  errors: ['malformed-request', 'agent-not-found'],
}

const files: Operation = {
  tag: 'Files',
  summary: 'A file that a job made, its console, or what is in a folder',
  caller: 'viewerOrAgent',
  query: {
    startLineNumber: {
      text: 'Of a console: the line to begin with, from 0',
      schema: z.int().min(0),
    },
  },
  answers: {
    200: {
      text: 'The bytes of a file; the entries of a folder as JSON; all of it with .zip after its name',
      content: [
        { type: 'application/json', schema: z.array(FolderEntryBody) },
        { type: '*/*', schema: null },
      ],
      headers: { ETag: 'Names the bytes', 'X-Next-Line': 'Of a console: the line to go on with' },
    },
    206: { text: 'The part of a file that a Range header asks for' },
    304: NOT_MODIFIED,
    416: { text: 'The file ends before the part that is asked for' },
  },
  errors: ['malformed-request', 'file-not-found'],
}

function decision(summary: string): Operation {
  return {
    tag: AGENTS,
    summary,
    caller: 'administrator',
    answers: { 200: jsonAnswer('Done, or nothing to do', MessageBody) },
    errors: ['agent-not-found'],
  }
}

/** Agents, runs of pipelines and stages, and what jobs left. */
export const BUILD_OPERATIONS: Operations = {
  'GET /api/agents': {
    tag: AGENTS,
    summary: 'Every agent',
    caller: 'user',
    answers: reads('Agents by name', z.array(AgentEntry)),
  },
  'POST /api/agents/:uuid/enable': decision('Enables an agent, or approves a pending one'),
  'POST /api/agents/:uuid/disable': decision('Disables an agent'),
  'PATCH /api/agents/:uuid': {
    ...decision('Changes the resources, environments or host name that are listed of an agent'),
    body: {
      required: true,
      content: ['application/json', 'application/x-www-form-urlencoded'].map((type) => ({
        type,
        schema: AgentChangesBody,
      })),
    },
    errors: ['agent-not-found', 'agent-not-listed', 'malformed-request', 'body-too-large'],
  },
  'POST /api/agents/:uuid/delete': {
    ...decision('Deletes an agent that is disabled and builds nothing'),
    errors: ['agent-not-found', 'agent-not-deletable', 'not-authorized'],
  },
  'GET /api/agents/:uuid/job_run_history': jobRuns,
  'GET /api/agents/:uuid/job_run_history/:offset': jobRuns,
  'GET /api/pipelines': {
    tag: STAGES,
    summary: 'Every pipeline that the caller may view, with its newest run',
    caller: 'user',
    answers: reads('Pipelines', z.array(PipelineBody)),
  },
  'GET /api/pipelines/:name/instance/:counter': {
    tag: STAGES,
    summary: 'One run of a pipeline, and what had changed since the run before it',
    caller: 'viewer',
    answers: reads('The run', PipelineRunBody),
    errors: ['malformed-request', 'pipeline-not-found'],
  },
  'GET /api/pipelines/:name/history': pipelineHistory,
  'GET /api/pipelines/:name/history/:offset': pipelineHistory,
  'POST /api/pipelines/:name/schedule': {
    tag: STAGES,
    summary:
      'Starts a run of a pipeline, with the newest of its materials and the variables of the configuration but for those given as variables[NAME], secure_variables[NAME] and materials[NAME or fingerprint]',
    caller: 'operator',
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
  },
  'GET /api/pipelines/:name/status': {
    tag: STAGES,
    summary: 'Whether a pipeline is paused, locked, and could start a run now',
    caller: 'viewer',
    answers: reads('The status', PipelineStatusBody),
    errors: ['pipeline-not-found'],
  },
  'POST /api/pipelines/:name/pause': {
    tag: STAGES,
    summary:
      'Keeps runs of a pipeline from starting, by whatever or whomever; what is in progress goes on',
    caller: 'operator',
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
  },
  'POST /api/pipelines/:name/unpause': {
    tag: STAGES,
    summary: 'Lets runs of a pipeline start again; what changed meanwhile is built in one run',
    caller: 'operator',
    answers: { 200: jsonAnswer('Unpaused, or not paused', MessageBody) },
    errors: ['pipeline-not-found'],
  },
  'POST /api/pipelines/:name/releaseLock': {
    tag: STAGES,
    summary: 'Takes the lock from the run that holds it, unless that is in progress',
    caller: 'operator',
    answers: { 200: jsonAnswer('Released, or not locked', MessageBody) },
    errors: ['pipeline-not-found', 'pipeline-locked'],
  },
  'POST /api/stages/:pipeline/:stage/run/:counter': {
    tag: STAGES,
    summary: 'Starts a stage of a run of a pipeline, or some of its jobs again',
    caller: 'operator',
    body: {
      required: false,
      content: ['application/json', 'application/x-www-form-urlencoded'].map((type) => ({
        type,
        schema: z.object({
          jobs: z.union([z.string(), z.array(z.string())]).optional(),
          rerun: z.literal('failed').optional(),
        }),
      })),
    },
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
  },
  'POST /api/stages/:pipeline/:stage/cancel': {
    tag: STAGES,
    summary: 'Cancels the newest run of a stage that is active',
    caller: 'operator',
    answers: { 200: jsonAnswer('Cancelled, or not active', MessageBody) },
    errors: ['stage-not-found', 'not-authorized'],
  },
  'GET /api/stages/:pipeline/:stage/instance/:pipelineCounter/:stageCounter': {
    tag: STAGES,
    summary: 'One run of a stage',
    caller: 'viewer',
    answers: reads('The run', StageBody),
    errors: ['malformed-request', 'stage-not-found', 'pipeline-not-found'],
  },
  'GET /api/stages/:pipeline/:stage/history': stageHistory,
  'GET /api/stages/:pipeline/:stage/history/:offset': stageHistory,
  'GET /files/:pipeline/:pipelineCounter/:stage/:stageCounter/:job': files,
  'GET /files/:pipeline/:pipelineCounter/:stage/:stageCounter/:job/:path{.+}': files,
}
