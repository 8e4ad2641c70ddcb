import { z } from 'zod'
import { AuditOutcome } from '../../core/audit.ts'
import { AuditBody } from '../../wire/audit-body.ts'
import {
  HealthBody,
  HealthSummaryBody,
  LivenessBody,
  ReadinessBody,
} from '../../wire/health-body.ts'
import { RevisionEntry } from '../../wire/revision-entry.ts'
import { ErrorBody } from '../../wire/error-body.ts'
import { json, NOT_MODIFIED, type Operations, reads } from './operation.ts'

const tag = 'Service'
const PAGES = 'Pages'

/** The service itself, and what of the pages is not a page. */
export const SERVICE_OPERATIONS: Operations = {
  'GET /health': {
    tag,
    summary: 'Whether the service can serve, and for administrators what they should look at',
    caller: 'anybody',
    answers: {
      200: json(
        'It can; numbers alone without an administrator',
        z.union([HealthBody, HealthSummaryBody]),
      ),
    },
  },
  'GET /health/live': {
    tag,
    summary: 'Whether the process answers: what does not should be started again',
    caller: 'anybody',
    answers: { 200: json('It does', LivenessBody) },
  },
  'GET /health/ready': {
    tag,
    summary: 'Whether configuration and state can be read: else no requests should be sent here',
    caller: 'anybody',
    answers: { 200: json('They can', ReadinessBody), 503: json('Why not', ReadinessBody) },
  },
  'GET /metrics': {
    tag,
    summary: 'Numbers for Prometheus',
    caller: 'user',
    answers: {
      200: { text: 'The text format', content: [{ type: 'text/plain', schema: null }] },
    },
  },
  'GET /api/audit': {
    tag,
    summary: 'Who did what, from where, and how it ended; newest first',
    caller: 'administrator',
    query: {
      before: { text: 'Only entries with a smaller id', schema: z.int().min(0) },
      limit: { text: 'Entries at most: 100, or up to 1000', schema: z.int().min(0) },
      user: { text: 'Only those of this user', schema: z.string() },
      action: { text: 'Only this action, such as `enable-agent`', schema: z.string() },
      outcome: { text: 'Only those that ended so', schema: AuditOutcome },
      address: { text: 'Only those from this address', schema: z.string() },
    },
    answers: reads('Entries', AuditBody),
    errors: ['malformed-request'],
  },
  'GET /api/openapi.json': {
    tag,
    summary: 'This description',
    caller: 'user',
    answers: reads('OpenAPI 3.1', z.object({ openapi: z.string() }).loose()),
  },
  'GET /api': {
    tag,
    summary: 'The same for people',
    caller: 'user',
    answers: {
      200: { text: 'A page', content: [{ type: 'text/html', schema: null }] },
      304: NOT_MODIFIED,
    },
  },
  'GET /assets/:name': {
    tag: PAGES,
    summary: 'What pages load',
    caller: 'anybody',
    answers: {
      200: { text: 'The file', content: [{ type: '*/*', schema: null }] },
      304: NOT_MODIFIED,
      404: json('There is none', ErrorBody),
    },
  },
  'GET /config/feed.atom': {
    tag: PAGES,
    summary: 'The newest revisions as a feed; filters as on the page',
    caller: 'administrator',
    answers: {
      200: { text: 'Atom', content: [{ type: 'application/atom+xml', schema: null }] },
    },
    errors: ['malformed-request'],
  },
  'GET /config/feed.json': {
    tag: PAGES,
    summary: 'The newest revisions as JSON; filters as on the page',
    caller: 'administrator',
    answers: {
      200: json(
        'Revisions',
        z.array(RevisionEntry.extend({ number: z.int(), kind: z.string(), subject: z.string() })),
      ),
    },
    errors: ['malformed-request'],
  },
  'POST /config/edit/check': {
    tag: PAGES,
    summary: 'What is wrong with a text that is being typed',
    caller: 'administrator',
    body: {
      required: true,
      content: [
        {
          type: 'application/x-www-form-urlencoded',
          schema: z.object({ xml: z.string(), basedOn: z.string(), entity: z.string().optional() }),
        },
      ],
    },
    answers: { 200: json('Problems', z.object({ problems: z.array(z.unknown()) }).loose()) },
    errors: ['malformed-request', 'body-too-large', 'entity-not-found', 'config-stale'],
  },
  'GET /config/compare/:from/:file{.+\\.patch}': {
    tag: PAGES,
    summary: 'The difference of two revisions as a patch for git',
    caller: 'administrator',
    rename: { file: 'to' },
    answers: {
      200: { text: 'A patch', content: [{ type: 'text/x-patch', schema: null }] },
      304: NOT_MODIFIED,
    },
    errors: ['malformed-request', 'revision-not-found'],
  },
}
