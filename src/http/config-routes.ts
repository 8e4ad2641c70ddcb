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
import {
  CURRENT,
  CURRENT_NAMED,
  DIFFS,
  PAGES,
  readyConfig,
  REVISIONS,
  type SnapshotKind,
  SNAPSHOTS,
  type TakeDiff,
  type TakeSnapshot,
} from './ready-config.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const PAGE = 10
/** Ready answers that are kept in memory, in bytes, for each kind. */
const KEPT = 64 * 1_048_576

export interface ConfigRoutesOptions extends ConfigReadingDeps, ConfigChangesDeps {
  readonly clientNames: ClientNames
  readonly basePath: string
}

/** `/api/admin/config…` and `/api/config…`: snapshots, the revision list and diffs. */
export function configRoutes(options: ConfigRoutesOptions) {
  const [takeSnapshot, takeDiff] = [snapshotTaker(options), diffTaker(options)]
  const keptLists = new ReadyBodies(KEPT)
  const snapshots = (c: Context<RouteEnv>, revision: Revision, kind: SnapshotKind) =>
    answerWith(takeSnapshot(revision, kind), c)
  const lists = listAnswers(options, keptLists)
  const current = (c: Context<RouteEnv>) => {
    const revision = findSnapshot(options, c.env.principal, null)
    const asked = c.req.query('md5')
    return asked === undefined || asked === revision.digest
      ? snapshots(c, revision, 'mutable')
      : notCurrent(asked, revision)
  }
  const routes = new Hono<RouteEnv>()
    .get(CURRENT, current)
    .get(CURRENT_NAMED, current)
    .get('/admin/restful/configuration/file/GET/xml', current)
    .get(SNAPSHOTS, (c) => {
      const digest = parseDigest(c.req.param('file').slice(0, -'.xml'.length))
      return snapshots(c, findSnapshot(options, c.env.principal, digest), 'immutable')
    })
    .get(REVISIONS, (c) => lists(c, () => readQuery(c.req.query())))
    .get(PAGES, (c) =>
      lists(c, () => ({
        offset: parseWholeNumber(c.req.param('offset'), 'offset'),
        limit: PAGE,
        text: '',
      })),
    )
    .get(DIFFS, (c) => {
      const range = { from: parseSha(c.req.param('from')), to: parseSha(c.req.param('to')) }
      return answerWith(takeDiff(findPair(options, c.env.principal, range)), c)
    })
    .get('/config/diff/:from/:to', (c) => {
      const [from, to] = [parseSha(c.req.param('from')), parseSha(c.req.param('to'))]
      return c.redirect(`${options.basePath}/api/config/diff/${from}/${to}`, 301)
    })
  const findList = (target: string) =>
    keptLists.find(listKey(options, options.history.current(), target))
  return { routes, ready: readyConfig(options, { takeSnapshot, takeDiff, findList }) }
}

function snapshotTaker(options: ConfigRoutesOptions): TakeSnapshot {
  const kept = new ReadyBodies(KEPT)
  return (revision, kind) => {
    const make = async (isKept: boolean) => {
      const document = await readSnapshot(options, revision)
      return new ReadyBody(document, {
        type: 'application/xml; charset=utf-8',
        etag: revision.digest,
        immutable: kind === 'immutable',
        headers: digestHeaders(revision.digest, options.clientNames),
        ...(isKept ? {} : { whenSent: () => options.history.giveBack(document) }),
      })
    }
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

function diffTaker(options: ConfigRoutesOptions): TakeDiff {
  const kept = new ReadyBodies(KEPT)
  return (pair) => {
    const key = `${pair.before.commit}..${pair.after.commit}`
    return kept.take(key, async () => {
      const text = await readDiff(options, pair)
      return new ReadyBody(text, { type: 'text/plain; charset=utf-8', etag: key, immutable: true })
    })
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
