import { Hono, type Context } from 'hono'
import { digestOf } from '../core/digest.ts'
import { ServiceError } from '../core/errors.ts'
import type { Revision } from '../core/revision.ts'
import { type ConfigChangesDeps, listEntityRevisions } from '../services/config-changes.ts'
import {
  type ConfigReadingDeps,
  findPair,
  findSnapshot,
  listRevisions,
  readDiff,
  readSnapshot,
  type RevisionQuery,
  selectRevisions,
} from '../services/config-reading.ts'
import { type ClientNames, renderRevision } from '../wire/revision-entry.ts'
import { digestHeaders } from './digest-header.ts'
import type { RouteEnv } from './door.ts'
import { json, renderError } from './errors.ts'
import { parseDigest, parseSha, parseWholeNumber } from './parameters.ts'
import { ReadyBodies } from './ready-bodies.ts'
import { ReadyBody } from './ready-body.ts'
import type { ReadyAnswers } from './ready-door.ts'

const REVISIONS = '/api/config/revisions'
const CURRENT: readonly string[] = ['/api/admin/config.xml', '/api/admin/config/current.xml']
const SNAPSHOTS = '/api/admin/config/:file{.+\\.xml}'
const JSON_TYPE = 'application/json; charset=utf-8'
const PAGE = 10
/** Ready answers that are kept in memory, in bytes, for each kind. */
const KEPT = 64 * 1_048_576

/** Whether an address stands for the snapshot for ever or for a while. */
type SnapshotKind = 'mutable' | 'immutable'

export interface ConfigRoutesOptions extends ConfigReadingDeps, ConfigChangesDeps {
  readonly clientNames: ClientNames
  readonly basePath: string
}

/** `/api/admin/config…` and `/api/config…`: snapshots, the revision list and diffs. */
export function configRoutes(options: ConfigRoutesOptions) {
  const [keptSnapshots, keptLists] = [new ReadyBodies(KEPT), new ReadyBodies(KEPT)]
  const takeSnapshot = snapshotTaker(options, keptSnapshots)
  const snapshots = (c: Context<RouteEnv>, revision: Revision, kind: SnapshotKind) =>
    answerWith(takeSnapshot(revision, kind), c)
  const lists = listAnswers(options, keptLists)
  const diffs = diffAnswers(options)
  const current = (c: Context<RouteEnv>) => {
    const revision = findSnapshot(options, c.env.principal, null)
    const asked = c.req.query('md5')
    return asked === undefined || asked === revision.digest
      ? snapshots(c, revision, 'mutable')
      : notCurrent(asked, revision)
  }
  const routes = new Hono<RouteEnv>()
    .get('/api/admin/config.xml', current)
    .get('/api/admin/config/current.xml', current)
    .get('/admin/restful/configuration/file/GET/xml', current)
    .get(SNAPSHOTS, (c) => {
      const digest = parseDigest(c.req.param('file').slice(0, -'.xml'.length))
      return snapshots(c, findSnapshot(options, c.env.principal, digest), 'immutable')
    })
    .get(REVISIONS, (c) => lists(c, () => readQuery(c.req.query())))
    .get('/api/config/revisions/:offset', (c) =>
      lists(c, () => ({
        offset: parseWholeNumber(c.req.param('offset'), 'offset'),
        limit: PAGE,
        text: '',
      })),
    )
    .get('/api/config/diff/:from/:to', diffs)
    .get('/config/diff/:from/:to', (c) => {
      const [from, to] = [parseSha(c.req.param('from')), parseSha(c.req.param('to'))]
      return c.redirect(`${options.basePath}/api/config/diff/${from}/${to}`, 301)
    })
  return { routes, ready: readyAnswersOf(options, { takeSnapshot, keptLists }) }
}

/** Names that are made once, and not for every request. */
const READY_ROUTES: ReadonlyMap<string, string> = new Map(
  CURRENT.map((path) => [path, `GET ${path}`]),
)
const LIST_ROUTE = `GET ${REVISIONS}`
const PAGE_ROUTE = `GET ${REVISIONS}/:offset`
const SNAPSHOT_ROUTE = `GET ${SNAPSHOTS}`
const SNAPSHOT_TARGET = /^\/api\/admin\/config\/([0-9a-f]{32})\.xml$/

function readyRouteOf(target: string): string | null {
  if (target.startsWith(REVISIONS))
    return target[REVISIONS.length] === '/' ? PAGE_ROUTE : LIST_ROUTE
  return READY_ROUTES.get(target) ?? (SNAPSHOT_TARGET.test(target) ? SNAPSHOT_ROUTE : null)
}

/** The answers that most requests are for, while the caller may have them. Lists only if they are kept. */
function readyAnswersOf(
  options: ConfigRoutesOptions,
  { takeSnapshot, keptLists }: { takeSnapshot: TakeSnapshot; keptLists: ReadyBodies },
): ReadyAnswers {
  const { history, access } = options
  return {
    routeOf: readyRouteOf,
    find: (target, principal) => {
      if (!access.may(principal, { action: 'administer' })) return null
      if (target.startsWith(REVISIONS))
        return keptLists.find(listKey(options, history.current(), target))
      if (CURRENT.includes(target)) return takeSnapshot(history.current(), 'mutable')
      const [, digest] = SNAPSHOT_TARGET.exec(target) ?? []
      const revision = digest === undefined ? null : history.find(parseDigest(digest))
      return revision && takeSnapshot(revision, 'immutable')
    },
  }
}

type TakeSnapshot = (revision: Revision, kind: SnapshotKind) => ReadyBody | Promise<ReadyBody>

function snapshotTaker(options: ConfigRoutesOptions, kept: ReadyBodies): TakeSnapshot {
  return (revision, kind) => {
    const make = async () =>
      new ReadyBody(await readSnapshot(options, revision), {
        type: 'application/xml; charset=utf-8',
        etag: revision.digest,
        immutable: kind === 'immutable',
        headers: digestHeaders(revision.digest, options.clientNames),
      })
    const when = kind === 'immutable' ? 'asked-again' : 'at-once'
    return kept.take(snapshotKey(revision, kind), make, when)
  }
}

/** Lists are kept by their address, which is read only when the list is made. */
function listAnswers(options: ConfigRoutesOptions, kept: ReadyBodies) {
  return (c: Context<RouteEnv>, query: () => RevisionQuery) => {
    const revision = findSnapshot(options, c.env.principal, null)
    const body = kept.take(listKey(options, revision, targetOf(c, options.basePath)), async () => {
      const revisions = await revisionsFor(options, c, query())
      const entries = revisions.map((each) => renderRevision(each, options.clientNames))
      const bytes = Buffer.from(JSON.stringify(entries))
      return new ReadyBody(bytes, {
        type: JSON_TYPE,
        etag: `list-${digestOf(bytes)}`,
        immutable: false,
      })
    })
    return answerWith(body, c)
  }
}

function snapshotKey({ digest }: Revision, kind: SnapshotKind): string {
  return `${kind} ${digest}`
}

function listKey({ history }: ConfigReadingDeps, newest: Revision, target: string): string {
  return `${newest.commit} ${history.size()} ${target}`
}

/** Path and query as they stand in the request, without the base path. */
function targetOf(c: Context<RouteEnv>, basePath: string): string {
  const { url } = c.req
  const path = url.indexOf('/', url.indexOf('://') + '://'.length)
  return url.slice(path + basePath.length)
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

function answerWith(body: ReadyBody | Promise<ReadyBody>, c: Context<RouteEnv>) {
  if (body instanceof ReadyBody) return body.answer(c.req.raw)
  return body.then((made) => made.answer(c.req.raw))
}

function diffAnswers(options: ConfigRoutesOptions) {
  const kept = new ReadyBodies(KEPT)
  return async (c: Context<RouteEnv, '/:from/:to'>) => {
    const range = { from: parseSha(c.req.param('from')), to: parseSha(c.req.param('to')) }
    const pair = findPair(options, c.env.principal, range)
    const key = `${range.from}..${range.to}`
    const body = await kept.take(key, async () => {
      const text = await readDiff(options, pair)
      return new ReadyBody(text, { type: 'text/plain; charset=utf-8', etag: key, immutable: true })
    })
    return body.answer(c.req.raw)
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
