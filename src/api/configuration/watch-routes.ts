import type { Context } from 'hono'
import { z } from 'zod'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { parseEntityKey } from '../../configuration/changes/config-changes.ts'
import {
  type FollowedRevisions,
  followedRevisions,
} from '../../configuration/search/followed-revisions.ts'
import { findRevision } from '../../configuration/read/config-reading.ts'
import { renderRevision } from '../../wire/revision-bodies.ts'
import { WatchAnswer } from '../../wire/revision-events.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json } from '../../http/errors.ts'
import { parseSha, parseWholeNumber } from '../../http/parameters.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { JSON_TYPE } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'
import { commitNamed } from './named-commit.ts'
import { RevisionStreams } from './revision-streams.ts'

/** How long a call is held: less than a silent connection is kept. */
const MAX_WAIT_SECONDS = 15
const EVENT_STREAM = 'text/event-stream'

interface WatchState {
  readonly context: ApiContext
  readonly streams: RevisionStreams
}

const route = routeWith<WatchState>('Configuration')

/** `/api/config/watch`: waits for newer revisions, once or as a stream of events. */
export const watchResource = resource({
  open: (context: ApiContext): WatchState => ({
    context,
    streams: new RevisionStreams({
      watch: context.notify.watch,
      clientNames: context.site.clientNames,
    }),
  }),
  routes: [
    route({
      method: 'GET',
      path: '/api/config/watch',
      summary: 'Waits for revisions newer than a given one, and returns them or none',
      caller: 'entityReader',
      query: {
        since: {
          text: 'The revision that the caller has, as its commit or by another name; the newest one, of the entity, when absent',
          schema: z.string(),
        },
        entity: {
          text: 'Only those that changed this entity, such as `pipeline/NAME`; of a group also those that changed its pipelines',
          schema: z.string(),
        },
        wait: { text: 'Seconds to wait at most, up to 15', schema: z.int().min(0) },
      },
      headers: {
        'Last-Event-ID': { text: 'Of a stream: the last event that arrived', schema: z.string() },
      },
      answers: {
        200: {
          text: 'Newest first; events `revision` and `rewritten` for clients that accept `text/event-stream`',
          content: [
            { type: JSON_TYPE, schema: WatchAnswer },
            { type: EVENT_STREAM, schema: null },
          ],
        },
      },
      errors: ['malformed-request', 'revision-not-found'],
      example: { query: { since: SAMPLE.before.commit, wait: '15' } },
      handle: async (c, { context, streams }) => {
        const followed = followedBy(context, c)
        // Refuses a caller who may follow nothing, before anything is looked up.
        await followed.pick([])
        const isStream = c.req.header('accept')?.includes(EVENT_STREAM) === true
        if (isStream && c.req.method === 'HEAD') {
          return new Response(null, { headers: { 'content-type': EVENT_STREAM } })
        }
        if (!isStream) return answer(context, c, followed)
        c.env.endWithCaller()
        return streams.open(await startOf(context, c), followed)
      },
    }),
  ],
})

async function answer(
  { notify, site }: ApiContext,
  c: Context<RouteEnv>,
  followed: FollowedRevisions,
): Promise<Response> {
  const [since, wait] = [c.req.query('since'), waitOf(c)]
  if (since !== undefined && wait > 0) c.env.endWithCaller()
  const revisions =
    since === undefined
      ? await newestOf(followed)
      : await notify.watch.wait(
          findRevision(notify, await commitNamed(notify, ['since', since])).commit,
          {
            followed,
            held: wait * 1_000,
            signal: AbortSignal.any([c.req.raw.signal, c.env.ended]),
          },
        )
  const entries = revisions
    .toReversed()
    .map((revision) => renderRevision(revision, site.clientNames))
  return json(entries satisfies WatchAnswer)
}

async function newestOf(followed: FollowedRevisions): Promise<readonly Revision[]> {
  const newest = await followed.newest()
  return newest === null ? [] : [newest]
}

function followedBy({ configuration }: ApiContext, c: Context<RouteEnv>): FollowedRevisions {
  const entity = c.req.query('entity')
  return followedRevisions(
    configuration,
    c.env.principal,
    entity === undefined ? null : parseEntityKey(entity),
  )
}

/** A reader that comes back says what it has; a commit that is gone since then is its business to hear. */
async function startOf({ notify }: ApiContext, c: Context<RouteEnv>): Promise<CommitSha> {
  const last = c.req.header('last-event-id')
  if (last !== undefined && last !== '') return parseSha(last, 'Last-Event-ID')
  const since = c.req.query('since')
  if (since === undefined) return notify.watch.current().commit
  return findRevision(notify, await commitNamed(notify, ['since', since])).commit
}

function waitOf(c: Context<RouteEnv>): number {
  const asked = c.req.query('wait')
  if (c.req.method === 'HEAD') return 0
  if (asked === undefined) return MAX_WAIT_SECONDS
  return Math.min(parseWholeNumber(asked, 'wait'), MAX_WAIT_SECONDS)
}
