import type { Context } from 'hono'
import { z } from 'zod'
import { digestOf } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import { parseOffset } from '../../core/page.ts'
import type { Revision } from '../../core/revision.ts'
import { parseEntityKey } from '../../configuration/changes/config-changes.ts'
import {
  EVERYTHING,
  findRevisions,
  type ListPart,
} from '../../configuration/search/find-revisions.ts'
import { needsIndex, type RevisionFilter } from '../../configuration/search/revision-filter.ts'
import { unfinished } from '../../index/index-progress.ts'
import {
  findCurrent,
  findSnapshot,
  readDiff,
  readSnapshot,
} from '../../configuration/read/config-reading.ts'
import { ErrorBody } from '../../wire/error-body.ts'
import { assertKind } from '../../configuration/entities/read-entity.ts'
import { diffEffective } from '../../configuration/entities/effective-pipeline.ts'
import { diffEntity } from '../../configuration/entities/compare-entity.ts'
import { ENTITY_QUERY, pairAnswers } from './pair-answers.ts'
import { revisionInAddress } from './named-commit.ts'
import { renderListed } from './listed-revision.ts'
import { DIGEST_DESCRIBED, digestHeaders } from './digest-header.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json, renderError } from '../../http/errors.ts'
import { firstMomentOf, lastMomentOf } from '../../lib/moments.ts'
import {
  parseDigest,
  parseMoment,
  parseSearchedText,
  parseWholeNumber,
  parseWord,
} from '../../http/parameters.ts'
import { ResponseCache } from '../../http/response-cache.ts'
import { answerWith, CachedResponse } from '../../http/cached-response.ts'
import type { ApiContext } from '../definition/api-context.ts'
import {
  type Answer,
  jsonAnswer,
  CACHE_HEADERS,
  NOT_MODIFIED,
  type Parameter,
} from '../definition/operation.ts'
import { type ClientNames, INDEXED_HEADER, ListedRevision } from '../../wire/revision-bodies.ts'
import { resource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const PAGE = 10
/** How many bytes of responses of each kind are kept. */
const CACHE_BYTES = 64 * 1_048_576

/** Whether an address stands for the snapshot for ever or for a while. */
type SnapshotKind = 'mutable' | 'immutable'

/** The requested part of the revisions that a filter selects, newest first. */
interface RevisionQuery extends ListPart {
  readonly filter: RevisionFilter
}

/** The caches that the routes of one service share. */
interface ConfigState {
  readonly configuration: ApiContext['configuration']
  readonly clientNames: ClientNames
  readonly snapshots: ReturnType<typeof snapshotAnswers>
  readonly lists: ReturnType<typeof listAnswers>
  readonly diffs: ReturnType<typeof diffAnswers>
}

const route = routeWith<ConfigState>('Configuration')

const documentAnswer = {
  text: 'The document, byte for byte',
  content: [{ type: 'application/xml', schema: null }],
  headers: { ...DIGEST_DESCRIBED, ...CACHE_HEADERS },
} as const satisfies Answer

/** The current configuration, on each of its three paths. */
const currentRoute = {
  method: 'GET',
  summary: 'The current configuration',
  caller: 'administrator',
  query: { md5: { text: 'The digest that the caller considers current', schema: z.string() } },
  answers: {
    200: documentAnswer,
    304: NOT_MODIFIED,
    409: jsonAnswer('`md5` is not the current digest', ErrorBody, DIGEST_DESCRIBED),
  },
  example: { answer: SAMPLE.document },
  handle: (c: Context<RouteEnv>, { configuration, clientNames, snapshots }: ConfigState) => {
    const revision = findCurrent(configuration, c.env.principal)
    const asked = c.req.query('md5')
    return asked === undefined || asked.toLowerCase() === revision.digest
      ? snapshots(c, revision, 'mutable')
      : notCurrent(asked, revision, clientNames)
  },
} as const

const entityQuery: Parameter = {
  text: 'Only those that changed it, such as `pipeline/NAME`; of a group also those that changed its pipelines. Administrators of the entity can ask for it',
  schema: z.string(),
}

const CHANGED_WORDS = ['created', 'changed', 'removed', 'renamed'] as const

/** A list of revisions, by query or by offset. */
const revisionsRoute = {
  method: 'GET',
  caller: 'administrator',
  answers: {
    200: jsonAnswer('Revisions', z.array(ListedRevision), {
      ...CACHE_HEADERS,
      [INDEXED_HEADER]:
        'How many revisions were searched of how many, such as `418/5218`; absent when all were',
    }),
    304: NOT_MODIFIED,
  },
  errors: ['malformed-request'],
} as const

/** `/api/admin/config…` and `/api/config…`: snapshots, the revision list and diffs. */
export const configResource = resource({
  open: (context: ApiContext): ConfigState => ({
    configuration: context.configuration,
    clientNames: context.site.clientNames,
    snapshots: snapshotAnswers(context),
    lists: listAnswers(context),
    diffs: diffAnswers(context),
  }),
  routes: [
    route({ ...currentRoute, path: '/api/admin/config.xml' }),
    route({ ...currentRoute, path: '/api/admin/config/current.xml' }),
    route({ ...currentRoute, path: '/admin/restful/configuration/file/GET/xml' }),
    route({
      method: 'GET',
      path: '/api/admin/config/:file{.+\\.xml}',
      summary: 'A past configuration by its digest',
      tools: [{ name: 'snapshot', isXml: true }],
      caller: 'administrator',
      rename: { file: 'digest' },
      answers: { 200: documentAnswer, 304: NOT_MODIFIED },
      errors: ['malformed-request', 'snapshot-not-found', 'secrets-in-plain-text'],
      example: { answer: SAMPLE.document },
      handle: async (c, { configuration, snapshots }) => {
        const digest = parseDigest(c.req.param('file').slice(0, -'.xml'.length), 'digest')
        const revision = await findSnapshot(configuration, c.env.principal, digest)
        return snapshots(c, revision, 'immutable')
      },
    }),
    route({
      ...revisionsRoute,
      path: '/api/config/revisions',
      summary:
        'The revisions of the configuration, newest first; those of one entity also for those who administer it',
      caller: 'entityReader',
      query: {
        offset: { text: 'Revisions to skip', schema: z.int().min(0) },
        limit: { text: 'Revisions at most; all when absent', schema: z.int().min(0) },
        q: {
          text: 'Text to look for in names, subjects, messages, digests, commits and summaries of changes, in any case',
          schema: z.string(),
        },
        text: {
          text: 'Only those that changed how often this text occurs in the configuration, as `git log -S`',
          schema: z.string().max(1_000),
        },
        user: { text: 'Only those of this user', schema: z.string() },
        since: {
          text: 'Only those from this day or time on, such as `2015-06-05`',
          schema: z.string(),
        },
        until: { text: 'Only those up to this day or time', schema: z.string() },
        changed: {
          text: 'Only those that created, changed, removed or renamed an entity',
          schema: z.enum(CHANGED_WORDS),
        },
        kind: {
          text: 'Only those that changed an entity of this kind, such as `pipeline`; in that way with `changed`',
          schema: z.string(),
        },
        entity: entityQuery,
      },
      tools: [
        {
          name: 'history',
          query: ['offset', 'limit', 'q', 'user', 'since', 'until', 'changed', 'kind', 'entity'],
          defaults: { limit: '100' },
        },
        {
          name: 'search',
          about: 'The revisions that added or removed a text, newest first',
          query: ['text', 'offset', 'limit', 'user', 'since', 'until'],
          required: ['text'],
          defaults: { limit: '100' },
        },
      ],
      example: { query: { limit: '1', entity: `pipeline/${SAMPLE.pipeline}` } },
      handle: (c, { lists }) => lists(c, () => readQuery(c.req.query())),
    }),
    route({
      ...revisionsRoute,
      path: '/api/config/revisions/:offset',
      summary: 'Ten revisions from an offset on, newest first',
      query: { entity: entityQuery },
      handle: (c, { lists }) =>
        lists(c, () => ({
          offset: parseOffset(c.req.param('offset')),
          limit: PAGE,
          filter: { ...EVERYTHING, entity: entityOf(c.req.query()) },
        })),
    }),
    route({
      method: 'GET',
      path: '/api/config/diff/:from/:to',
      summary: 'The unified diff of two revisions: hunks, or nothing when they are equal',
      caller: 'entityReader',
      query: {
        ...ENTITY_QUERY,
        effective: {
          text: '`1`: of a pipeline as it runs, with its template and params filled in, a line for each value',
          schema: z.literal('1'),
        },
      },
      answers: {
        200: {
          text: 'Hunks',
          content: [{ type: 'text/plain', schema: null }],
          headers: CACHE_HEADERS,
        },
        304: NOT_MODIFIED,
      },
      errors: ['malformed-request', 'revision-not-found', 'entity-not-found', 'config-invalid'],
      example: { answer: SAMPLE.diff },
      handle: (c, { diffs }) => diffs(c),
    }),
    route({
      method: 'GET',
      path: '/config/diff/:from/:to',
      summary: 'The same address without `api`',
      caller: 'user',
      answers: { 301: { text: 'To the address with `api`', headers: { Location: 'It' } } },
      errors: ['malformed-request'],
      example: {},
      handle: async (c, { configuration }) => {
        const addressOf = (side: 'from' | 'to') =>
          revisionInAddress(configuration, c.env.principal, [side, c.req.param(side)])
        const from = await addressOf('from')
        const to = await addressOf('to')
        const { search } = new URL(c.req.url)
        return c.redirect(`${c.env.basePath}/api/config/diff/${from}/${to}${search}`, 301)
      },
    }),
  ],
})

function snapshotAnswers({ configuration, site }: ApiContext) {
  const cache = new ResponseCache(CACHE_BYTES)
  return (c: Context<RouteEnv>, revision: Revision, kind: SnapshotKind) => {
    const make = async () => {
      const document = await readSnapshot(configuration, revision)
      return new CachedResponse(document, {
        type: 'application/xml; charset=utf-8',
        etag: revision.digest,
        immutable: kind === 'immutable',
        headers: digestHeaders(revision.digest, site.clientNames),
      })
    }
    const when = kind === 'immutable' ? 'asked-again' : 'at-once'
    return answerWith(cache.take(`${kind} ${revision.digest}`, make, when), c)
  }
}

/** Lists are kept by their address, which is read only when the list is made. */
function listAnswers({ configuration, site }: ApiContext) {
  const cache = new ResponseCache(CACHE_BYTES)
  const { history } = configuration
  const answer = (c: Context<RouteEnv>, query: () => RevisionQuery) => {
    const { principal } = c.env
    const isAdministrator = configuration.access.may(principal, { action: 'administer' })
    const indexed = unfinished(configuration.entities.progress())?.indexed ?? ''
    const state = [history.current().commit, history.size(), history.tags.version, indexed]
    const key = [...state, targetOf(c)].join(' ')
    const make = async () => {
      const { filter, ...part } = query()
      const { revisions } = await findRevisions(configuration, principal, filter, part)
      const entries = revisions.map((each) => renderListed(history, each, site.clientNames))
      const bytes = Buffer.from(JSON.stringify(entries))
      return new CachedResponse(bytes, {
        type: JSON_TYPE,
        etag: `list-${digestOf(bytes)}`,
        immutable: false,
        headers: needsIndex(filter) ? indexedHeader(configuration) : {},
      })
    }
    // The visible part of the history differs from caller to caller.
    return answerWith(isAdministrator ? cache.take(key, make) : make(), c)
  }
  return (c: Context<RouteEnv>, query: () => RevisionQuery) =>
    history.tags.refresh()?.then(() => answer(c, query)) ?? answer(c, query)
}

function indexedHeader({ entities }: ApiContext['configuration']): Record<string, string> {
  const indexing = unfinished(entities.progress())
  return indexing === null ? {} : { [INDEXED_HEADER]: `${indexing.indexed}/${indexing.of}` }
}

/** Path and query as they are in the request. */
function targetOf({ req: { url } }: Context<RouteEnv>): string {
  return url.slice(url.indexOf('/', url.indexOf('://') + '://'.length))
}

function diffAnswers({ configuration }: ApiContext) {
  const type = 'text/plain; charset=utf-8'
  return pairAnswers(configuration, CACHE_BYTES, {
    whole: async ({ from, to }, pair) => {
      const bytes = await readDiff(configuration, pair)
      return new CachedResponse(bytes, { type, etag: `${from}..${to}`, immutable: true })
    },
    narrowed: async (range, principal, place) => {
      const compare = place.isEffective ? diffEffective : diffEntity
      const bytes = await compare(configuration, principal, { ...range, place })
      return new CachedResponse(bytes, { type, etag: digestOf(bytes), immutable: false })
    },
  })
}

function readQuery(query: Readonly<Record<string, string>>): RevisionQuery {
  const { offset, limit, q = '', text = '', user = '', since, until, changed, kind } = query
  return {
    offset: offset === undefined ? 0 : parseOffset(offset),
    limit: limit === undefined ? null : parseWholeNumber(limit, 'limit'),
    filter: {
      ...EVERYTHING,
      mentions: q,
      text: parseSearchedText(text, 'text'),
      username: user,
      entity: entityOf(query),
      changed: changed === undefined ? null : parseWord(changed, 'changed', CHANGED_WORDS),
      entityKind: kind === undefined ? null : parseKind(kind),
      since: since === undefined ? null : parseMoment(since, 'since', firstMomentOf),
      until: until === undefined ? null : parseMoment(until, 'until', lastMomentOf),
    },
  }
}

function parseKind(kind: string): string {
  assertKind(kind)
  return kind
}

function entityOf({ entity }: Readonly<Record<string, string>>): string {
  return entity === undefined ? '' : parseEntityKey(entity)
}

export function notCurrent(asked: string, current: Revision, names: ClientNames): Response {
  const message = `The configuration has changed: ${asked} is not the current digest`
  const error = new ServiceError('config-stale', message, { current: current.digest, problems: [] })
  return json(renderError(error), 409, digestHeaders(current.digest, names))
}
