import { z } from 'zod'
import { RestoredBody } from '../../wire/action-bodies.ts'
import { fieldsBody, jsonAnswer, MESSAGE_HEADER, type Operation } from '../definition/operation.ts'
import type { RouteFacts } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'
import { DIGEST_DESCRIBED } from './digest-header.ts'
import { PREFER_HEADER, PROPOSED } from './prefer-propose.ts'

/** The words of a restore or an undo. */
export const RestoringFields = z.strictObject({ message: z.string().optional() })

export const RESTORING_HEADERS = {
  'If-Match': { text: 'The digest that the caller considers current', schema: z.string() },
  ...MESSAGE_HEADER,
  ...PREFER_HEADER,
} as const satisfies Operation['headers']

export const KIND_PARAMETER = {
  kind: {
    text: 'The kind: `pipeline`, `template`, `group`, `environment`, `role`, `agent` and so on',
    schema: z.string().min(1),
    example: 'pipeline',
  },
} as const satisfies Operation['parameters']

const facts = {
  method: 'POST',
  tag: 'Configuration',
  caller: 'groupAdministrator',
  headers: RESTORING_HEADERS,
  body: fieldsBody(RestoringFields, { required: false }),
  errors: [
    'malformed-request',
    'revision-not-found',
    'entity-not-found',
    'config-stale',
    'config-invalid',
    'body-too-large',
  ],
} as const

const ANSWER = {
  md5: SAMPLE.before.digest,
  commitSHA: '10b0bd9c70418e8e31dcf96649947ad2ca0bd92a',
} as const

/**
 * The calls that pages carry out, since they have the thread that merges documents: taking the
 * changes of one revision back, and one entity to an older revision.
 */
export const RESTORING_CALLS = {
  undo: {
    ...facts,
    path: '/api/config/revisions/:commit/undo',
    summary: 'Undoes the changes of one revision, as a new one; later changes stay',
    audit: 'undo-revision',
    query: {
      rest: {
        text: '`1`: skips what was changed again since, instead of refusing',
        schema: z.literal('1'),
      },
      entity: {
        text: 'Undoes only what the revision changed of this entity, such as `pipeline/shop`; a group includes its pipelines',
        schema: z.string(),
      },
    },
    answers: { 200: jsonAnswer('Undone', RestoredBody, DIGEST_DESCRIBED), ...PROPOSED },
    example: {
      body: { message: 'The new agents are not ready' },
      answer: { message: 'The changes of r12 are undone', ...ANSWER },
    },
  },
  restoreEntity: {
    ...facts,
    path: '/api/config/entities/:kind/:name/restore',
    summary: 'Restores one entity from an older revision, as a new one; everything else stays',
    audit: 'restore-entity',
    parameters: KIND_PARAMETER,
    query: {
      to: {
        text: 'The revision: `r` and its number, commit, digest, tag, or time',
        schema: z.string(),
        required: true,
      },
    },
    answers: { 200: jsonAnswer('Restored', RestoredBody, DIGEST_DESCRIBED), ...PROPOSED },
    example: {
      query: { to: 'r11' },
      body: { message: 'The label was better' },
      answer: { message: 'The pipeline hello is restored', ...ANSWER },
    },
  },
} as const satisfies Readonly<Record<string, RouteFacts>>
