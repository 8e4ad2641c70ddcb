import type { Context } from 'hono'
import { z } from 'zod'
import { KIND_PARAMETER } from './restoring-calls.ts'
import { Digest, digestOf } from '../../core/digest.ts'
import { CommitSha } from '../../core/revision.ts'
import {
  type EntityOfRevision,
  listChanged,
  listEntities,
} from '../../configuration/entities/list-entities.ts'
import { readEffective } from '../../configuration/entities/effective-pipeline.ts'
import { readEntity, type ReadEntity } from '../../configuration/entities/read-entity.ts'
import {
  deleteEntity,
  type EntityBase,
  saveEntity,
} from '../../configuration/entities/save-entity.ts'
import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import { firstMomentOf, lastMomentOf } from '../../lib/moments.ts'
import { SavedBody, savedBody } from '../../wire/action-bodies.ts'
import type { ClientNames } from '../../wire/revision-bodies.ts'
import { CachedResponse } from '../../http/cached-response.ts'
import { messageOf } from '../../http/change-message.ts'
import { json } from '../../http/errors.ts'
import { malformed, parseDigest, parseMoment, parseWord } from '../../http/parameters.ts'
import { readBody } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { DIGEST_DESCRIBED, digestHeaders, editBaseOf } from './digest-header.ts'
import type { ApiContext } from '../definition/api-context.ts'
import {
  type Answer,
  CACHE_HEADERS,
  jsonAnswer,
  MESSAGE_HEADER,
  NOT_MODIFIED,
  type Operation,
  reads,
} from '../definition/operation.ts'
import {
  PREFER_HEADER,
  prefersProposal,
  PROPOSED,
  proposedEntity,
  saveOrPropose,
} from './prefer-propose.ts'
import { resource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'

const ChangedWord = z.enum(['created', 'changed', 'removed'])

/** An entity of the current configuration, or one that a revision has changed. */
const EntityEntry = z.object({
  kind: z.string(),
  name: z.string(),
  label: z.string(),
  group: z.string().exactOptional(),
  digest: Digest.exactOptional(),
  changed: ChangedWord.exactOptional(),
  commitSHA: CommitSha.exactOptional(),
  username: z.string().exactOptional(),
  time: z.int().exactOptional(),
})
type EntityEntry = z.infer<typeof EntityEntry>

const route = routeWith<ApiContext>('Configuration')

const XML: Answer = {
  text: 'The element, byte for byte',
  content: [{ type: 'application/xml', schema: null }],
  headers: { ...DIGEST_DESCRIBED, ...CACHE_HEADERS },
}

const CONDITIONS = {
  'If-Match': {
    text: 'The digest of the text that the edit is based on, or `*` for any',
    schema: z.string(),
  },
} as const satisfies Operation['headers']

const PUT_CONDITIONS = {
  ...CONDITIONS,
  'If-None-Match': { text: '`*`: the entity must not be there yet', schema: z.literal('*') },
} as const satisfies Operation['headers']

const EXAMPLE_XML = SAMPLE.document.slice(
  SAMPLE.document.indexOf('<pipeline name'),
  SAMPLE.document.indexOf('</pipeline>') + '</pipeline>'.length,
)
const EXAMPLE_MATCH = { 'If-Match': `"${digestOf(Buffer.from(EXAMPLE_XML))}"` }

const Place = { entity: z.string(), line: z.int() }

/** A pipeline as it runs. */
const EffectiveBody = z.object({
  pipeline: z.string(),
  group: z.string(),
  template: z.string().nullable(),
  values: z
    .array(
      z.object({
        /** Such as `stages/build/jobs/unit/tasks/1/command`. */
        path: z.string(),
        value: z.string(),
        /** With its params, where it has some. */
        written: z.string().exactOptional(),
        /** The element that has it, in the pipeline or its template. */
        from: z.object(Place),
        params: z
          .array(z.object({ name: z.string(), ...Place }))
          .readonly()
          .exactOptional(),
      }),
    )
    .readonly(),
})
type EffectiveBody = z.infer<typeof EffectiveBody>

const XML_OR_EFFECTIVE: Answer = {
  ...XML,
  content: [...(XML.content ?? []), { type: 'application/json', schema: EffectiveBody }],
}

const EFFECTIVE = {
  text: '`1`: a pipeline as it runs, with its template and params filled in and the place of each value, as JSON',
  schema: z.literal('1'),
} as const

/** The one entity without a name. */
const SERVER_PLACE: EntityPlace = { kind: 'server', name: '' }

const getRoute = {
  method: 'GET',
  summary: 'One entity: its XML, byte for byte',
  caller: 'groupAdministrator',
  parameters: KIND_PARAMETER,
  query: {
    at: {
      text: 'The revision: `r` and its number, commit, digest, tag, or time; the current one when absent',
      schema: z.string(),
    },
  },
  answers: { 200: XML, 304: NOT_MODIFIED },
  errors: ['malformed-request', 'entity-not-found', 'revision-not-found', 'config-invalid'],
} as const

const putRoute = {
  method: 'PUT',
  summary: 'Replaces or adds one entity; no other line of the configuration changes',
  caller: 'groupAdministrator',
  audit: 'save-entity',
  parameters: KIND_PARAMETER,
  query: { group: { text: 'The group of a new pipeline', schema: z.string() } },
  headers: { ...PUT_CONDITIONS, ...MESSAGE_HEADER, ...PREFER_HEADER },
  needs: prefersProposal,
  body: { required: true, content: [{ type: 'application/xml', schema: null }] },
  answers: {
    200: jsonAnswer('Saved', SavedBody, { ...DIGEST_DESCRIBED, ETag: 'Of the new text' }),
    ...PROPOSED,
  },
  errors: [
    'malformed-request',
    'base-missing',
    'body-too-large',
    'entity-not-found',
    'config-invalid',
    'config-stale',
  ],
} as const

const deleteRoute = {
  method: 'DELETE',
  summary: 'Removes one entity; no other line of the configuration changes',
  caller: 'groupAdministrator',
  audit: 'remove-entity',
  parameters: KIND_PARAMETER,
  headers: { ...CONDITIONS, ...MESSAGE_HEADER, ...PREFER_HEADER },
  needs: prefersProposal,
  answers: { 200: jsonAnswer('Removed', SavedBody, DIGEST_DESCRIBED), ...PROPOSED },
  errors: [
    'malformed-request',
    'base-missing',
    'entity-not-found',
    'config-invalid',
    'config-stale',
  ],
} as const

/** `/api/config/entities…`: pipelines, templates and other entities, one at a time. */
export const entityResource = resource({
  open: (context: ApiContext) => context,
  routes: [
    route({
      method: 'GET',
      path: '/api/config/entities',
      tools: [{ name: 'entities' }],
      summary:
        'The entities that the caller administers; for administrators of the server also those that revisions have changed',
      caller: 'groupAdministrator',
      query: {
        kind: { text: 'Only those of this kind', schema: z.string() },
        changed: {
          text: 'Those that revisions have created, changed or removed, the newest first, in the place of those that are there',
          schema: ChangedWord,
        },
        since: { text: 'Only revisions from this day or time on', schema: z.string() },
        until: { text: 'Only revisions up to this day or time', schema: z.string() },
      },
      answers: reads('Entities', z.array(EntityEntry)),
      errors: ['malformed-request', 'config-invalid'],
      example: {
        query: { kind: 'pipeline' },
        answer: [
          {
            kind: 'pipeline',
            name: SAMPLE.pipeline,
            label: SAMPLE.pipeline,
            group: SAMPLE.group,
            digest: digestOf(Buffer.from(EXAMPLE_XML)),
          },
        ],
      },
      handle: answerList,
    }),
    route({
      ...getRoute,
      path: '/api/config/entities/:kind/:name',
      tools: [{ name: 'entity', query: ['at'], isXml: true }],
      query: { ...getRoute.query, effective: EFFECTIVE },
      answers: { ...getRoute.answers, 200: XML_OR_EFFECTIVE },
      example: { answer: EXAMPLE_XML },
      handle: (c, context) =>
        c.req.query('effective') === '1'
          ? answerEffective(c, context, c.req.param())
          : answerEntity(c, context, c.req.param()),
    }),
    route({
      ...putRoute,
      path: '/api/config/entities/:kind/:name',
      example: {
        headers: EXAMPLE_MATCH,
        body: EXAMPLE_XML,
        answer: { message: 'The pipeline hello is saved' },
      },
      handle: (c, context) => put(c, context, c.req.param()),
    }),
    route({
      ...deleteRoute,
      path: '/api/config/entities/:kind/:name',
      example: { headers: EXAMPLE_MATCH, answer: { message: 'The pipeline hello is removed' } },
      handle: (c, context) => remove(c, context, c.req.param()),
    }),
    route({
      ...getRoute,
      path: '/api/config/entities/server',
      summary: 'The server element, which has no name: its XML, byte for byte',
      caller: 'administrator',
      parameters: {},
      example: {},
      handle: (c, context) => answerEntity(c, context, SERVER_PLACE),
    }),
    route({
      ...putRoute,
      path: '/api/config/entities/server',
      summary: 'Replaces or adds the server element',
      caller: 'administrator',
      parameters: {},
      query: {},
      example: {
        headers: { 'If-Match': '*' },
        body: '<server serverId="one" />',
        answer: { message: 'The server is saved' },
      },
      handle: (c, context) => put(c, context, SERVER_PLACE),
    }),
    route({
      ...deleteRoute,
      path: '/api/config/entities/server',
      summary: 'Removes the server element',
      caller: 'administrator',
      parameters: {},
      example: { headers: { 'If-Match': '*' }, answer: { message: 'The server is removed' } },
      handle: (c, context) => remove(c, context, SERVER_PLACE),
    }),
  ],
})

async function answerList(c: Context<RouteEnv>, { configuration }: ApiContext): Promise<Response> {
  const { kind = null, changed, since, until } = c.req.query()
  const { principal } = c.env
  const bounds = {
    since: since === undefined ? null : parseMoment(since, 'since', firstMomentOf),
    until: until === undefined ? null : parseMoment(until, 'until', lastMomentOf),
  }
  const entries =
    changed === undefined
      ? await listEntities(configuration, principal, unbounded(kind, bounds))
      : (
          await listChanged(configuration, principal, {
            kind,
            changed: parseWord(changed, 'changed', ChangedWord.options),
            ...bounds,
          })
        ).map(renderChanged)
  const bytes = Buffer.from(JSON.stringify(entries satisfies readonly EntityEntry[]))
  const etag = `entities-${digestOf(bytes)}`
  const type = 'application/json; charset=utf-8'
  return new CachedResponse(bytes, { type, etag, immutable: false }).answer(c)
}

function unbounded(
  kind: string | null,
  { since, until }: { readonly since: number | null; readonly until: number | null },
): string | null {
  if (since === null && until === null) return kind
  throw malformed('since and until are about changes: changed is missing', 'changed')
}

function renderChanged({ revision, ...entity }: EntityOfRevision): EntityEntry {
  const { commit: commitSHA, username, time } = revision
  return { ...entity, commitSHA, username, time }
}

async function answerEntity(
  c: Context<RouteEnv>,
  { configuration, site }: ApiContext,
  place: EntityPlace,
): Promise<Response> {
  const at = c.req.query('at') ?? null
  const read = await readEntity(configuration, c.env.principal, { place, at })
  return elementResponse(read, site.clientNames).answer(c)
}

/** The XML of an element, with the digest of its document. */
export function elementResponse(
  { revision, text }: ReadEntity,
  names: ClientNames,
): CachedResponse {
  return new CachedResponse(text, {
    type: 'application/xml; charset=utf-8',
    etag: digestOf(text),
    immutable: false,
    headers: digestHeaders(revision.digest, names),
  })
}

async function answerEffective(
  c: Context<RouteEnv>,
  { configuration, site }: ApiContext,
  place: EntityPlace,
): Promise<Response> {
  const at = c.req.query('at') ?? null
  const { principal } = c.env
  const { revision, pipeline } = await readEffective(configuration, principal, { place, at })
  const { name, ...effective } = pipeline
  const body: EffectiveBody = { pipeline: name, ...effective }
  const bytes = Buffer.from(JSON.stringify(body))
  return new CachedResponse(bytes, {
    type: 'application/json; charset=utf-8',
    etag: `effective-${digestOf(bytes)}`,
    immutable: false,
    headers: digestHeaders(revision.digest, site.clientNames),
  }).answer(c)
}

async function put(
  c: Context<RouteEnv>,
  context: ApiContext,
  place: EntityPlace,
): Promise<Response> {
  const { configuration, site } = context
  const { principal } = c.env
  const base = baseOf(c)
  const message = messageOf(c.req.raw)
  const group = c.req.query('group') ?? null
  const xml = await readBody(c.req.raw, site.maxBody)
  const request = { place, base, message, group, xml }
  const save = async () => {
    const saved = await saveEntity(configuration, principal, request)
    const body = savedBody(`The ${nameOf(place)} is saved`, saved.setAside)
    const headers = digestHeaders(saved.revision.digest, site.clientNames)
    return json(body, 200, { ...headers, etag: `"${saved.digest}"` })
  }
  const text = Buffer.from(xml).toString('utf8')
  const entity = { ...place, xml: text, ...(group === null ? {} : { group }) }
  return saveOrPropose(c, context, save, () =>
    proposedEntity(c, context, { change: request, entity, what: nameOf(place) }),
  )
}

async function remove(
  c: Context<RouteEnv>,
  context: ApiContext,
  place: EntityPlace,
): Promise<Response> {
  const { configuration, site } = context
  const message = messageOf(c.req.raw)
  const request = { place, base: baseOf(c), message }
  const save = async () => {
    const { revision, setAside } = await deleteEntity(configuration, c.env.principal, request)
    const body = savedBody(`The ${nameOf(place)} is removed`, setAside)
    return json(body, 200, digestHeaders(revision.digest, site.clientNames))
  }
  const entity = { ...place, xml: null }
  return saveOrPropose(c, context, save, () =>
    proposedEntity(c, context, { change: request, entity, what: nameOf(place) }),
  )
}

function nameOf({ kind, name }: EntityPlace): string {
  return `${kind} ${name}`.trimEnd()
}

/** @throws {ServiceError} `base-missing` without either header, `malformed-request`. */
function baseOf(c: Context<RouteEnv>): EntityBase {
  const base = editBaseOf(c, 'entity')
  return typeof base === 'string' ? base : base.map((tag) => parseDigest(tag, 'If-Match'))
}
