import { SAMPLE } from '../../../../src/api/definition/sample.ts'
import { securedDocument } from '../secured-document.ts'
import type { Exception } from './permission-row.ts'

/** The example names something that is not there: an agent, a revision, a run, a file. */
const NOT_THERE: Exception = { allowed: 404 }
/** No user has the token of an agent: every caller is refused. */
const NO_TOKEN: Exception = { allowed: 401 }
/** The base of the example is not the configuration of the test. */
const STALE: Exception = { allowed: 409 }
/** The example would take away what the other examples are about. */
const NOT_THIS: Exception = { allowed: 412, headers: { 'if-match': `"${'0'.repeat(32)}"` } }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** By call; several for a call that is made in several ways. */
export const EXCEPTIONS: Readonly<Record<string, Exception | readonly Exception[]>> = {
  'DELETE /api/tokens/{id}': NOT_THERE,
  // The same name is sent again and again.
  'POST /api/users': { allowed: 400, body: '{"name":""}' },
  'PUT /api/users/{name}/password': NOT_THERE,
  'POST /api/users/{name}/disable': NOT_THERE,
  'POST /api/users/{name}/enable': NOT_THERE,
  'DELETE /api/users/{name}': NOT_THERE,
  'DELETE /api/agent-invitations/{id}': NOT_THERE,
  'GET /api/webhooks/{name}/deliveries': NOT_THERE,
  'POST /api/webhooks/{name}/deliveries/{number}/send': NOT_THERE,
  'GET /assets/{name}': NOT_THERE,
  'GET /api/admin/config/{digest}.xml': NOT_THERE,
  'GET /api/admin/rules.yaml': NOT_THERE,
  'PUT /api/admin/rules.yaml': NOT_THIS,
  'GET /api/config/diff/{from}/{to}': NOT_THERE,
  'GET /api/config/changes/{from}/{to}': NOT_THERE,
  'GET /api/config/revisions': [
    { may: 'group administrator' },
    { target: '/api/config/revisions', may: 'administrator' },
  ],
  'POST /api/config/revisions/{commit}/tags': NOT_THERE,
  'DELETE /api/config/revisions/{commit}/tags/{name}': NOT_THERE,
  'GET /api/config/watch': [
    { target: '/api/config/watch' },
    { target: `/api/config/watch?entity=pipeline/${SAMPLE.pipeline}`, may: 'group administrator' },
  ],
  'GET /config/compare/{from}/{to}.patch': NOT_THERE,
  'GET /config/entity/{kind}/{name}/compare/{from}/{to}.patch': NOT_THERE,
  'POST /config/edit/check': { allowed: 412 },
  'POST /api/admin/config.xml': STALE,
  'POST /admin/restful/configuration/file/POST/xml': STALE,
  'POST /admin/restful/configuration/group/POST/xml': STALE,
  'POST /admin/restful/configuration/pipeline/POST/xml': STALE,
  'POST /admin/restful/configuration/stage/POST/xml': STALE,
  'POST /admin/restful/configuration/build/POST/xml': STALE,
  'POST /admin/configuration/{pipelineGroup}.xml': STALE,
  'POST /admin/configuration/{pipelineGroup}/{pipelineIndex}.xml': STALE,
  'POST /admin/configuration/{pipelineGroup}/{pipelineName}/{stageIndex}.xml': STALE,
  'POST /admin/configuration/{pipelineGroup}/{pipelineName}/{stageName}/{buildIndex}.xml': STALE,
  'PUT /api/admin/config.xml': { headers: { 'if-match': '*' }, body: securedDocument() },
  'PUT /api/config/entities/{kind}/{name}': NOT_THIS,
  'DELETE /api/config/entities/{kind}/{name}': NOT_THIS,
  'PUT /api/config/entities/server': NOT_THIS,
  'DELETE /api/config/entities/server': NOT_THIS,
  'GET /api/config/revisions/{commit}/runs': NOT_THERE,
  'POST /api/config/revisions/{commit}/restore': NOT_THERE,
  'POST /api/config/revisions/{commit}/undo': NOT_THERE,
  'POST /api/config/entities/{kind}/{name}/restore': NOT_THERE,
  'GET /api/proposals/{number}': NOT_THERE,
  'POST /api/proposals/{number}/approve': NOT_THERE,
  'POST /api/proposals/{number}/reject': NOT_THERE,
  'POST /api/proposals/{number}/comment': NOT_THERE,
  'POST /api/proposals/{number}/update': NOT_THERE,
  'POST /api/proposals/{number}/merge': NOT_THERE,
  'POST /api/proposals/{number}/close': NOT_THERE,
  'POST /api/config/revisions/{commit}/acknowledge-secrets': NOT_THERE,
  'POST /api/config/revisions/{commit}/acknowledge-override': NOT_THERE,
  'POST /tab/admin/pipelines/{name}.json': [
    { allowed: 409 },
    {
      may: 'administrator',
      allowed: 409,
      headers: FORM,
      body: 'url=https%3A%2F%2Fexample.org%2Fx&pipelineGroup=fresh',
    },
  ],
  'GET /git/config.git/objects/{object}': [
    {},
    { target: '/git/config.git/objects/x', allowed: 404 },
  ],

  'POST /api/agents/{uuid}/enable': NOT_THERE,
  'POST /api/agents/{uuid}/disable': NOT_THERE,
  'POST /api/agents/{uuid}/delete': NOT_THERE,
  'PATCH /api/agents/{uuid}': NOT_THERE,
  'GET /api/agents/{uuid}/job_run_history': NOT_THERE,
  'GET /api/agents/{uuid}/job_run_history/{offset}': NOT_THERE,
  'POST /api/agents-protocol/register': { allowed: 400, body: null },
  'POST /api/agents-protocol/{uuid}/work': NO_TOKEN,
  'POST /api/agents-protocol/{uuid}/jobs/{job}/report': NO_TOKEN,
  'PUT /api/agents-protocol/{uuid}/jobs/{job}/console': NO_TOKEN,
  'PUT /api/agents-protocol/{uuid}/jobs/{job}/artifacts/{path}': NO_TOKEN,
  'GET /api/agents-protocol/{uuid}/artifacts': NO_TOKEN,

  // Its material was never looked at.
  'POST /api/pipelines/{name}/schedule': { allowed: 409, body: null },
  'POST /api/stages/{pipeline}/{stage}/run/{counter}': NOT_THERE,
  'GET /api/stages/{pipeline}/{stage}/instance/{pipelineCounter}/{stageCounter}': NOT_THERE,
  'GET /files/{pipeline}/{pipelineCounter}/{stage}/{stageCounter}/{job}': NOT_THERE,
  'GET /files/{pipeline}/{pipelineCounter}/{stage}/{stageCounter}/{job}/{path}': NOT_THERE,
  'GET /api/pipelines/{name}/instance/{counter}': NOT_THERE,
  'GET /api/pipelines/{name}/compare/{from}/{to}': NOT_THERE,
}
