import { type Level, securedDocument } from './secured-document.ts'

export interface PermissionRow {
  /** Method and route, as the description of the interface writes it. */
  readonly call: string
  /** What stands for parameters of the path, where it is not what stands for them everywhere. */
  readonly places?: Readonly<Record<string, string>>
  readonly query?: string
  readonly may: Level
  /** The status for those who may; whether the thing is there is another question. */
  readonly allowed: number
  /** The status for other users. */
  readonly refused?: 401 | 403
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | URLSearchParams
}

/** What stands for the parameters of a path; nothing of it is there but the pipeline and the first revision. */
export const PLACES: Readonly<Record<string, string>> = {
  digest: '0'.repeat(32),
  commit: '0'.repeat(40),
  from: '0'.repeat(40),
  to: '0'.repeat(40),
  uuid: 'none',
  pipeline: 'alpha',
  stage: 'test',
  counter: '1',
  pipelineCounter: '1',
  stageCounter: '1',
  job: '1',
  path: 'x',
  object: 'x',
  offset: '0',
  kind: 'pipeline',
  name: 'alpha',
  time: '2030-01-01',
}

const MATERIAL = 'url=https%3A%2F%2Fexample.org%2Fx'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const DRAFT = new URLSearchParams({ xml: securedDocument(), basedOn: '0'.repeat(32) })
const SAVING = new URLSearchParams({ xmlFile: securedDocument(), md5: '0'.repeat(32) })
const CONTACT = JSON.stringify({
  instance: 'i',
  hostname: 'h',
  ip_address: '127.0.0.1',
  sandbox: '/s',
  operating_system: 'Linux',
  free_space: 1,
  version: '1',
  runtime_status: 'Idle',
  job_id: null,
  stopping: false,
})

/** Every route of the service, and who may call it. */
export const PERMISSIONS: readonly PermissionRow[] = [
  { call: 'GET /health', may: 'anybody', allowed: 200 },
  { call: 'GET /log-out', may: 'anybody', allowed: 401 },
  { call: 'GET /assets/{name}', may: 'anybody', allowed: 404 },
  { call: 'GET /', may: 'user', allowed: 302 },
  { call: 'POST /colours', may: 'user', allowed: 303, headers: FORM, body: 'colours=green-red' },
  { call: 'GET /api', may: 'user', allowed: 200 },
  { call: 'GET /api/openapi.json', may: 'user', allowed: 200 },

  { call: 'GET /api/admin/config.xml', may: 'administrator', allowed: 200 },
  { call: 'GET /api/admin/config/current.xml', may: 'administrator', allowed: 200 },
  { call: 'GET /admin/restful/configuration/file/GET/xml', may: 'administrator', allowed: 200 },
  { call: 'GET /api/admin/config/{digest}.xml', may: 'administrator', allowed: 404 },
  { call: 'GET /api/config/revisions', may: 'administrator', allowed: 200 },
  {
    call: 'GET /api/config/revisions',
    query: '?entity=pipeline/alpha',
    may: 'administrator',
    allowed: 200,
  },
  { call: 'GET /api/config/revisions/{offset}', may: 'administrator', allowed: 200 },
  { call: 'GET /api/config/watch', may: 'administrator', allowed: 200 },
  { call: 'GET /api/config/diff/{from}/{to}', may: 'administrator', allowed: 404 },
  { call: 'GET /config/diff/{from}/{to}', may: 'user', allowed: 301 },
  { call: 'GET /api/config/changes/{from}/{to}', may: 'administrator', allowed: 404 },
  { call: 'POST /api/admin/config.xml', may: 'administrator', allowed: 409, body: SAVING },
  {
    call: 'POST /admin/restful/configuration/file/POST/xml',
    may: 'administrator',
    allowed: 409,
    body: SAVING,
  },
  {
    call: 'PUT /api/admin/config.xml',
    may: 'administrator',
    allowed: 200,
    headers: { 'if-match': '*' },
    body: securedDocument(),
  },
  { call: 'POST /api/config/revisions/{commit}/restore', may: 'administrator', allowed: 404 },
  {
    call: 'POST /tab/admin/pipelines/{name}.json',
    may: 'group administrator',
    allowed: 409,
    headers: FORM,
    body: `${MATERIAL}&pipelineGroup=first`,
  },
  {
    call: 'POST /tab/admin/pipelines/{name}.json',
    may: 'administrator',
    allowed: 409,
    headers: FORM,
    body: `${MATERIAL}&pipelineGroup=fresh`,
  },

  { call: 'GET /git/config.git/info/refs', may: 'administrator', allowed: 200 },
  { call: 'GET /git/config.git/HEAD', may: 'administrator', allowed: 200 },
  { call: 'GET /git/config.git/objects/{object}', may: 'administrator', allowed: 404 },
  {
    call: 'POST /git/config.git/git-upload-pack',
    may: 'administrator',
    allowed: 200,
    headers: { 'content-type': 'application/x-git-upload-pack-request' },
    body: '0000',
  },
  {
    call: 'POST /git/config.git/git-receive-pack',
    may: 'administrator',
    allowed: 200,
    headers: { 'content-type': 'application/x-git-receive-pack-request' },
    body: '0000',
  },

  { call: 'GET /config', may: 'administrator', allowed: 200 },
  { call: 'GET /config/feed.atom', may: 'administrator', allowed: 200 },
  { call: 'GET /config/feed.json', may: 'administrator', allowed: 200 },
  { call: 'GET /config/at', query: '?time=2030-01-01', may: 'administrator', allowed: 302 },
  { call: 'GET /config/at/{time}', may: 'administrator', allowed: 302 },
  { call: 'GET /config/compare', query: '?a=r1&b=r1', may: 'user', allowed: 303 },
  { call: 'GET /config/compare/{from}/{to}', may: 'administrator', allowed: 404 },
  { call: 'GET /config/compare/{from}/{to}.patch', may: 'administrator', allowed: 404 },
  { call: 'GET /config/edit', may: 'administrator', allowed: 200 },
  { call: 'POST /config/edit/check', may: 'administrator', allowed: 412, body: DRAFT },
  { call: 'POST /config/edit', may: 'administrator', allowed: 412, body: DRAFT },
  {
    call: 'GET /config/entity/{kind}',
    places: { kind: 'server' },
    may: 'administrator',
    allowed: 200,
  },
  { call: 'GET /config/entity/{kind}/{name}', may: 'viewer', allowed: 200 },
  {
    call: 'GET /config/entity/{kind}/compare/{from}/{to}',
    places: { kind: 'server' },
    may: 'administrator',
    allowed: 404,
  },
  {
    call: 'GET /config/entity/{kind}/{name}/compare/{from}/{to}',
    may: 'viewer',
    allowed: 404,
  },
  { call: 'GET /config/{name}', may: 'administrator', allowed: 404 },
  { call: 'GET /config/{name}/restore', may: 'administrator', allowed: 404 },
  {
    call: 'POST /config/{name}/restore',
    may: 'administrator',
    allowed: 404,
    headers: FORM,
    body: `basedOn=${'0'.repeat(32)}`,
  },

  { call: 'GET /api/agents', may: 'user', allowed: 200 },
  { call: 'POST /api/agents/{uuid}/enable', may: 'administrator', allowed: 404 },
  { call: 'POST /api/agents/{uuid}/disable', may: 'administrator', allowed: 404 },
  { call: 'POST /api/agents/{uuid}/delete', may: 'administrator', allowed: 404, refused: 401 },
  { call: 'GET /api/agents/{uuid}/job_run_history', may: 'user', allowed: 404 },
  { call: 'GET /api/agents/{uuid}/job_run_history/{offset}', may: 'user', allowed: 404 },

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
  { call: 'GET /agents', may: 'user', allowed: 200 },
  { call: 'GET /agents/{uuid}', may: 'user', allowed: 404 },
  {
    call: 'POST /agents',
    may: 'administrator',
    allowed: 200,
    headers: FORM,
    body: 'action=enable&agent=none',
  },
  {
    call: 'POST /agents/{uuid}',
    may: 'administrator',
    allowed: 404,
    headers: FORM,
    body: 'action=enable',
  },
  { call: 'GET /agents/{uuid}/remove', may: 'administrator', allowed: 404, refused: 401 },
  {
    call: 'POST /agents/{uuid}/remove',
    may: 'administrator',
    allowed: 404,
    refused: 401,
    headers: FORM,
    body: 'action=delete',
  },

  { call: 'GET /api/pipelines', may: 'user', allowed: 200 },
  { call: 'POST /api/pipelines/{name}/schedule', may: 'operator', allowed: 409 },
  { call: 'POST /api/stages/{pipeline}/{stage}/run/{counter}', may: 'approver', allowed: 404 },
  {
    call: 'POST /api/stages/{pipeline}/{stage}/cancel',
    may: 'approver',
    allowed: 200,
    refused: 401,
  },
  {
    call: 'GET /api/stages/{pipeline}/{stage}/instance/{pipelineCounter}/{stageCounter}',
    may: 'viewer',
    allowed: 404,
  },
  { call: 'GET /api/stages/{pipeline}/{stage}/history', may: 'viewer', allowed: 200 },
  { call: 'GET /api/stages/{pipeline}/{stage}/history/{offset}', may: 'viewer', allowed: 200 },
  {
    call: 'GET /files/{pipeline}/{pipelineCounter}/{stage}/{stageCounter}/{job}',
    may: 'viewer',
    allowed: 404,
  },
  {
    call: 'GET /files/{pipeline}/{pipelineCounter}/{stage}/{stageCounter}/{job}/{path}',
    may: 'viewer',
    allowed: 404,
  },

  // No user has the token of an agent: whoever calls is refused, but for what needs none.
  { call: 'POST /api/agents-protocol/register', may: 'anybody', allowed: 400 },
  {
    call: 'POST /api/agents-protocol/{uuid}/contact',
    may: 'anybody',
    allowed: 200,
    body: CONTACT,
  },
  {
    call: 'POST /api/agents-protocol/{uuid}/work',
    may: 'anybody',
    allowed: 401,
    body: '{"instance":"i"}',
  },
  {
    call: 'POST /api/agents-protocol/{uuid}/jobs/{job}/report',
    may: 'anybody',
    allowed: 401,
    body: '{"state":"Preparing"}',
  },
  {
    call: 'PUT /api/agents-protocol/{uuid}/jobs/{job}/console',
    query: '?offset=0',
    may: 'anybody',
    allowed: 401,
    body: 'x',
  },
  {
    call: 'PUT /api/agents-protocol/{uuid}/jobs/{job}/artifacts/{path}',
    query: '?kind=artifact',
    may: 'anybody',
    allowed: 401,
    body: 'x',
  },
  {
    call: 'GET /api/agents-protocol/{uuid}/artifacts',
    query: '?job=alpha/1/test/1/unit&path=x',
    may: 'anybody',
    allowed: 401,
  },
]
