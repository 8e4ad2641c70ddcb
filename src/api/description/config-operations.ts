import { z } from 'zod'
import { CommitSha } from '../../core/revision.ts'
import {
  MessageBody,
  PipelineCreatedBody,
  PipelineRefusedBody,
  RefusedFormBody,
  RestoredBody,
  SavedFormBody,
} from '../../wire/action-bodies.ts'
import { ChangesAnswer } from '../../wire/changes.ts'
import { ErrorBody } from '../../wire/error-body.ts'
import { RevisionEntry } from '../../wire/revision-entry.ts'
import { WatchAnswer } from '../../wire/watch.ts'
import {
  type Answer,
  jsonAnswer,
  JSON_TYPE,
  KEPT,
  NOT_MODIFIED,
  type Operation,
  type Operations,
  reads,
} from './operation.ts'

const tag = 'Configuration'
const XML = 'application/xml'
const DIGEST = { 'X-SERVICE-CONFIG-MD5': 'The digest of the document' }
const document: Answer = {
  text: 'The document, byte for byte',
  content: [{ type: XML, schema: null }],
  headers: { ...DIGEST, ...KEPT },
}

const current: Operation = {
  tag,
  summary: 'The current configuration',
  caller: 'administrator',
  query: { md5: { text: 'The digest that the caller takes for current', schema: z.string() } },
  answers: {
    200: document,
    304: NOT_MODIFIED,
    409: jsonAnswer('`md5` is not the current digest', ErrorBody),
  },
}

const revisions: Operation = {
  tag,
  summary: 'The revisions of the configuration, newest first',
  caller: 'administrator',
  query: {
    offset: { text: 'Revisions to skip', schema: z.int().min(0) },
    limit: { text: 'Revisions at most; all when absent', schema: z.int().min(0) },
    q: { text: 'Text to look for in names, subjects, digests and commits', schema: z.string() },
    entity: {
      text: 'Only those that changed it, such as `pipeline/NAME`',
      schema: z.string(),
    },
  },
  answers: reads('Revisions', z.array(RevisionEntry)),
  errors: ['malformed-request', 'entity-not-found'],
}

const saveForm: Operation = {
  tag,
  summary: 'Saves the configuration, by the form of the original',
  caller: 'administrator',
  body: {
    required: true,
    content: ['application/x-www-form-urlencoded', 'multipart/form-data'].map((type) => ({
      type,
      schema: z.object({ xmlFile: z.string(), md5: z.string() }),
    })),
  },
  answers: {
    200: jsonAnswer('Saved', SavedFormBody, DIGEST),
    409: jsonAnswer('Not valid, or changed by somebody else at the same place', RefusedFormBody),
  },
  errors: ['malformed-request', 'body-too-large'],
}

/** Reading, saving and comparing the configuration. */
export const CONFIG_OPERATIONS: Operations = {
  'GET /api/admin/config.xml': current,
  'GET /api/admin/config/current.xml': current,
  'GET /admin/restful/configuration/file/GET/xml': current,
  'GET /api/admin/config/:file{.+\\.xml}': {
    tag,
    summary: 'Any configuration that ever was, by its digest',
    caller: 'administrator',
    rename: { file: 'digest' },
    answers: { 200: document, 304: NOT_MODIFIED },
    errors: ['malformed-request', 'snapshot-not-found', 'secrets-in-plain-text'],
  },
  'POST /api/admin/config.xml': saveForm,
  'POST /admin/restful/configuration/file/POST/xml': saveForm,
  'PUT /api/admin/config.xml': {
    tag,
    summary: 'Saves the configuration',
    caller: 'administrator',
    headers: {
      'If-Match': { text: 'The digest that the edit began from, or `*`', schema: z.string() },
    },
    body: { required: true, content: [{ type: XML, schema: null }] },
    answers: { 200: jsonAnswer('Saved', MessageBody, { ...DIGEST, ETag: 'The new digest' }) },
    errors: [
      'malformed-request',
      'base-missing',
      'body-too-large',
      'config-invalid',
      'config-stale',
    ],
  },
  'GET /api/config/revisions': revisions,
  'GET /api/config/revisions/:offset': {
    ...revisions,
    summary: 'Ten revisions from an offset on, newest first',
    query: revisions.query?.['entity'] ? { entity: revisions.query['entity'] } : {},
  },
  'GET /api/config/watch': {
    tag,
    summary: 'Waits for revisions newer than one, and answers with them or with none',
    caller: 'administrator',
    query: {
      since: {
        text: 'The commit that the caller has; the newest one when absent',
        schema: CommitSha,
      },
      wait: { text: 'Seconds to wait at most, up to 15', schema: z.int().min(0) },
    },
    headers: {
      'Last-Event-ID': { text: 'Of a stream: the last event that arrived', schema: z.string() },
    },
    answers: {
      200: {
        text: 'Newest first; events `revision` and `rewritten` for who accepts `text/event-stream`',
        content: [
          { type: JSON_TYPE, schema: WatchAnswer },
          { type: 'text/event-stream', schema: null },
        ],
      },
    },
    errors: ['malformed-request', 'revision-not-found'],
  },
  'POST /api/config/revisions/:commit/restore': {
    tag,
    summary: 'Makes an older revision current again, as a new one',
    caller: 'administrator',
    headers: {
      'If-Match': { text: 'The digest that the caller takes for current', schema: z.string() },
    },
    body: {
      required: false,
      content: ['application/json', 'application/x-www-form-urlencoded'].map((type) => ({
        type,
        schema: z.object({ reason: z.string().max(500).optional() }),
      })),
    },
    answers: {
      200: jsonAnswer('Restored', RestoredBody, DIGEST),
      409: jsonAnswer('The revision is not valid any more', ErrorBody),
    },
    errors: ['malformed-request', 'revision-not-found', 'config-stale', 'body-too-large'],
  },
  'POST /api/config/revisions/:commit/acknowledge-secrets': {
    tag,
    summary:
      'Ends the alarm about the secrets that a commit and those before it have in plain text',
    caller: 'administrator',
    answers: { 200: jsonAnswer('Acknowledged', MessageBody) },
    errors: ['malformed-request', 'revision-not-found'],
  },
  'GET /api/config/diff/:from/:to': {
    tag,
    summary: 'The unified diff of two revisions: hunks, or nothing when they are equal',
    caller: 'administrator',
    answers: {
      200: { text: 'Hunks', content: [{ type: 'text/plain', schema: null }], headers: KEPT },
      304: NOT_MODIFIED,
    },
    errors: ['malformed-request', 'revision-not-found'],
  },
  'GET /config/diff/:from/:to': {
    tag,
    summary: 'The same address without `api`',
    caller: 'user',
    answers: { 301: { text: 'To the address with `api`', headers: { Location: 'It' } } },
    errors: ['malformed-request'],
  },
  'GET /api/config/changes/:from/:to': {
    tag,
    summary: 'What is otherwise between two revisions, in words',
    caller: 'administrator',
    answers: reads('The changes', ChangesAnswer),
    errors: ['malformed-request', 'revision-not-found'],
  },
  'POST /tab/admin/pipelines/:file{.+\\.json}': {
    tag,
    summary: 'Creates a pipeline with one material and one task',
    caller: 'groupAdministrator',
    rename: { file: 'name' },
    body: {
      required: true,
      content: [{ type: 'application/x-www-form-urlencoded', schema: PipelineForm() }],
    },
    answers: {
      201: jsonAnswer('Created', PipelineCreatedBody),
      400: jsonAnswer('Not valid', PipelineRefusedBody),
      403: jsonAnswer('The caller may not do this', z.union([PipelineRefusedBody, ErrorBody])),
      409: jsonAnswer('The name is in use', PipelineRefusedBody),
    },
    errors: ['body-too-large'],
  },
}

function PipelineForm() {
  const Text = z.string().optional()
  return z.object({
    scm: z.enum(['svn', 'hg', 'git', 'p4', 'tfs']).optional(),
    url: z.string(),
    pipelineGroup: Text,
    builder: z.enum(['ant', 'nant', 'rake', 'exec']).optional(),
    buildfile: Text,
    target: Text,
    command: Text,
    arguments: Text,
    source: Text,
    dest: Text,
    artifactType: Text,
    branch: Text,
    username: Text,
    password: Text,
    useTickets: z.enum(['true', 'false']).optional(),
    view: Text,
    domain: Text,
    projectPath: Text,
  })
}
