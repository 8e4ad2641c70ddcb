import { CONTACT_BODY } from '../../agents/contact-body.ts'
import type { WrittenRow } from './permission-row.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Agents, for users and for themselves. */
export const AGENTS_ROWS: readonly WrittenRow[] = [
  { call: 'GET /api/agents', allowed: 200 },
  { call: 'POST /api/agents/{uuid}/enable', allowed: 404 },
  { call: 'POST /api/agents/{uuid}/disable', allowed: 404 },
  { call: 'POST /api/agents/{uuid}/delete', allowed: 404 },
  {
    call: 'PATCH /api/agents/{uuid}',
    allowed: 404,
    headers: { 'content-type': 'application/json' },
    body: '{"resources":["linux"]}',
  },
  { call: 'GET /api/agents/{uuid}/job_run_history', allowed: 404 },
  { call: 'GET /api/agents/{uuid}/job_run_history/{offset}', allowed: 404 },

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
  {
    call: 'GET /agents/remove',
    query: '?agent=none',
    may: 'administrator',
    allowed: 200,
    refused: 401,
  },
  {
    call: 'POST /agents/remove',
    query: '?agent=none',
    may: 'administrator',
    allowed: 200,
    refused: 401,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'step=delete',
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

  // No user has the token of an agent: whoever calls is refused, but for what needs none.
  { call: 'POST /api/agents-protocol/register', allowed: 400 },
  {
    call: 'POST /api/agents-protocol/{uuid}/contact',
    allowed: 200,
    body: CONTACT_BODY,
  },
  {
    call: 'POST /api/agents-protocol/{uuid}/work',
    allowed: 401,
    body: '{"instance":"i"}',
  },
  {
    call: 'POST /api/agents-protocol/{uuid}/jobs/{job}/report',
    allowed: 401,
    body: '{"state":"Preparing"}',
  },
  {
    call: 'PUT /api/agents-protocol/{uuid}/jobs/{job}/console',
    query: '?offset=0',
    allowed: 401,
    body: 'x',
  },
  {
    call: 'PUT /api/agents-protocol/{uuid}/jobs/{job}/artifacts/{path}',
    query: '?kind=artifact',
    allowed: 401,
    body: 'x',
  },
  {
    call: 'GET /api/agents-protocol/{uuid}/artifacts',
    query: '?job=alpha/1/test/1/unit&path=x',
    allowed: 401,
  },
]
