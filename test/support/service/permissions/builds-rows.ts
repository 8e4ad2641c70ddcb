import type { WrittenRow } from './permission-row.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Pipelines, stages, jobs and their files. */
export const BUILDS_ROWS: readonly WrittenRow[] = [
  { call: 'GET /pipelines', may: 'user', allowed: 200 },
  {
    call: 'POST /pipelines',
    may: 'operator',
    allowed: 303,
    headers: FORM,
    body: 'action=unlock&pipeline=alpha',
  },
  { call: 'GET /pipelines/{name}', may: 'viewer', allowed: 200 },
  {
    call: 'POST /pipelines/{name}',
    may: 'operator',
    allowed: 303,
    headers: FORM,
    body: 'action=unlock',
  },
  { call: 'GET /stages/{pipeline}/{stage}', may: 'viewer', allowed: 200 },
  {
    call: 'GET /stages/{pipeline}/{stage}/{pipelineCounter}/{stageCounter}',
    may: 'viewer',
    allowed: 404,
  },
  {
    call: 'POST /stages/{pipeline}/{stage}/{pipelineCounter}/{stageCounter}',
    may: 'approver',
    allowed: 404,
    refused: 401,
    headers: FORM,
    body: 'action=cancel',
  },
  {
    call: 'GET /stages/{pipeline}/{stage}/{pipelineCounter}/{stageCounter}/{job}',
    may: 'viewer',
    allowed: 404,
  },
  {
    call: 'GET /stages/{pipeline}/{stage}/{pipelineCounter}/{stageCounter}/{job}/console',
    may: 'viewer',
    allowed: 404,
  },

  { call: 'GET /api/pipelines', allowed: 200 },
  { call: 'POST /api/pipelines/{name}/schedule', allowed: 409 },
  { call: 'POST /api/stages/{pipeline}/{stage}/run/{counter}', allowed: 404 },
  {
    call: 'POST /api/stages/{pipeline}/{stage}/cancel',
    allowed: 200,
  },
  {
    call: 'GET /api/stages/{pipeline}/{stage}/instance/{pipelineCounter}/{stageCounter}',
    allowed: 404,
  },
  { call: 'GET /api/stages/{pipeline}/{stage}/history', allowed: 200 },
  { call: 'GET /api/stages/{pipeline}/{stage}/history/{offset}', allowed: 200 },
  {
    call: 'GET /files/{pipeline}/{pipelineCounter}/{stage}/{stageCounter}/{job}',
    allowed: 404,
  },
  {
    call: 'GET /files/{pipeline}/{pipelineCounter}/{stage}/{stageCounter}/{job}/{path}',
    allowed: 404,
  },
  { call: 'POST /api/pipelines/{name}/releaseLock', allowed: 200 },
  { call: 'GET /api/pipelines/{name}/status', allowed: 200 },
  { call: 'POST /api/pipelines/{name}/pause', allowed: 200 },
  { call: 'POST /api/pipelines/{name}/unpause', allowed: 200 },
  { call: 'GET /api/pipelines/{name}/history', allowed: 200 },
  { call: 'GET /api/pipelines/{name}/history/{offset}', allowed: 200 },
  { call: 'GET /api/pipelines/{name}/instance/{counter}', allowed: 404 },
]
