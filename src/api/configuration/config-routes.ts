import { Hono, type Context } from 'hono'
import { digestOf } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Revision } from '../../core/revision.ts'
import {
  type ConfigChangesDeps,
  listEntityRevisions,
} from '../../configuration/changes/config-changes.ts'
import {
  type ConfigReadingDeps,
  findPair,
  findSnapshot,
  listRevisions,
  readDiff,
  readSnapshot,
  type RevisionPair,
  type RevisionQuery,
  selectRevisions,
} from '../../configuration/read/config-reading.ts'
import { type ClientNames, renderRevision } from '../../wire/revision-entry.ts'
import { digestHeaders } from './digest-header.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json, renderError } from '../../http/errors.ts'
import { parseDigest, parseSha, parseWholeNumber } from '../../http/parameters.ts'
import { ResponseCache } from '../../http/response-cache.ts'
import { CachedResponse } from '../../http/cached-response.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const PAGE = 10
/** How many bytes of responses of each kind are kept. */
const KEPT = 64 * 1_048_576

/** Whether an address stands for the snapshot for ever or for a while. */
type SnapshotKind = 'mutable' | 'immutable'

export interface ConfigRoutesOptions extends ConfigReadingDeps, ConfigChangesDeps {
  readonly clientNames: ClientNames
  readonly basePath: string
}

/** `/api/admin/config…` and `/api/config…`: snapshots, the revision list and diffs. */
export function configRoutes(options: ConfigRoutesOptions) {
  const snapshots = snapshotAnswers(options)
  const lists = listAnswers(options)
  const diffs = diffAnswers(options)
  const current = (c: Context<RouteEnv>) => {
    const revision = findSnapshot(options, c.env.principal, null)
    const asked = c.req.query('md5')
    return asked === undefined || asked === revision.digest
      ? snapshots(c, revision, 'mutable')
      : notCurrent(asked, revision)
  }
  return new Hono<RouteEnv>()
    .get('/api/admin/config.xml', current)
    .get('/api/admin/config/current.xml', current)
    .get('/admin/restful/configuration/file/GET/xml', current)
    .get('/api/admin/config/:file{.+\\.xml}', (c) => {
      const digest = parseDigest(c.req.param('file').slice(0, -'.xml'.length))
      return snapshots(c, findSnapshot(options, c.env.principal, digest), 'immutable')
    })
    .get('/api/config/revisions', (c) => lists(c, () => readQuery(c.req.query())))
    .get('/api/config/revisions/:offset', (c) =>
      lists(c, () => ({
        offset: parseWholeNumber(c.req.param('offset'), 'offset'),
        limit: PAGE,
        text: '',
      })),
    )
    .get('/api/config/diff/:from/:to', (c) => {
      const range = { from: parseSha(c.req.param('from')), to: parseSha(c.req.param('to')) }
      return diffs(c, findPair(options, c.env.principal, range))
    })
    .get('/config/diff/:from/:to', (c) => {
      const [from, to] = [parseSha(c.req.param('from')), parseSha(c.req.param('to'))]
      return c.redirect(`${options.basePath}/api/config/diff/${from}/${to}`, 301)
    })
}

function snapshotAnswers(options: ConfigRoutesOptions) {
  const kept = new ResponseCache(KEPT)
  return (c: Context<RouteEnv>, revision: Revision, kind: SnapshotKind) => {
    const make = async () => {
      const document = await readSnapshot(options, revision)
      return new CachedResponse(document, {
        type: 'application/xml; charset=utf-8',
        etag: revision.digest,
        immutable: kind === 'immutable',
        headers: digestHeaders(revision.digest, options.clientNames),
      })
    }
    const when = kind === 'immutable' ? 'asked-again' : 'at-once'
    return answerWith(kept.take(`${kind} ${revision.digest}`, make, when), c)
  }
}

/** Lists are kept by their address, which is read only when the list is made. */
function listAnswers(options: ConfigRoutesOptions) {
  const kept = new ResponseCache(KEPT)
  return (c: Context<RouteEnv>, query: () => RevisionQuery) => {
    const revision = findSnapshot(options, c.env.principal, null)
    const key = `${revision.commit} ${options.history.size()} ${targetOf(c)}`
    const body = kept.take(key, async () => {
      const revisions = await revisionsFor(options, c, query())
      const entries = revisions.map((each) => renderRevision(each, options.clientNames))
      const bytes = Buffer.from(JSON.stringify(entries))
      return new CachedResponse(bytes, {
        type: JSON_TYPE,
        etag: `list-${digestOf(bytes)}`,
        immutable: false,
      })
    })
    return answerWith(body, c)
  }
}

/** Path and query as they stand in the request. */
function targetOf({ req: { url } }: Context<RouteEnv>): string {
  return url.slice(url.indexOf('/', url.indexOf('://') + '://'.length))
}

async function revisionsFor(
  options: ConfigRoutesOptions,
  c: Context<RouteEnv>,
  query: RevisionQuery,
): Promise<readonly Revision[]> {
  const entity = c.req.query('entity')
  const { principal } = c.env
  if (entity === undefined) return listRevisions(options, principal, query)
  return selectRevisions(await listEntityRevisions(options, principal, entity), query)
}

function answerWith(body: CachedResponse | Promise<CachedResponse>, c: Context<RouteEnv>) {
  if (body instanceof CachedResponse) return body.answer(c)
  return body.then((made) => made.answer(c))
}

function diffAnswers(options: ConfigRoutesOptions) {
  const kept = new ResponseCache(KEPT)
  return (c: Context<RouteEnv>, pair: RevisionPair) => {
    const key = `${pair.before.commit}..${pair.after.commit}`
    const body = kept.take(key, async () => {
      const text = await readDiff(options, pair)
      return new CachedResponse(text, {
        type: 'text/plain; charset=utf-8',
        etag: key,
        immutable: true,
      })
    })
    return answerWith(body, c)
  }
}

function readQuery(query: Readonly<Record<string, string>>): RevisionQuery {
  const { offset, limit, q } = query
  return {
    offset: offset === undefined ? 0 : parseWholeNumber(offset, 'offset'),
    limit: limit === undefined ? null : parseWholeNumber(limit, 'limit'),
    text: q ?? '',
  }
}

function notCurrent(asked: string, current: Revision): Response {
  const message = `The configuration has changed: ${asked} is not the current digest`
  const error = new ServiceError('config-stale', message, { current: current.digest, problems: [] })
  return json(renderError(error), 409)
}
