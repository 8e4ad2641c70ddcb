import type { Context } from 'hono'
import { RESTORING_CALLS, RestoringFields } from '../../api/configuration/restoring-calls.ts'
import { commitNamed } from '../../api/configuration/named-commit.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import { assertMayChange } from '../../configuration/gate/refusal.ts'
import { digestHeaders, parseIfMatch } from '../../api/configuration/digest-header.ts'
import { saveOrPropose } from '../../api/configuration/prefer-propose.ts'
import { messageOf } from '../../http/change-message.ts'
import { json } from '../../http/errors.ts'
import { malformed } from '../../http/parameters.ts'
import { parseEntityPlace } from '../../configuration/entities/read-entity.ts'
import { readFields } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { savedBody } from '../../wire/action-bodies.ts'
import { defineLeaderPage, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { entityAddress } from '../revisions/entity-address.ts'
import { numbered } from '../revisions/numbered-revision.ts'
import { readyRestore, restoreNow } from './restore-plan.ts'
import type { RestoreScope } from './restore-scope.ts'

const MAX_BODY_BYTES = 65_536

const { call } = routesWith<LeaderPagesContext>()

/** Undo and restore of one entity, for programs. */
export const restoringCalls = defineLeaderPage([
  call(RESTORING_CALLS.undo, (context, c) => {
    const { rest, entity } = c.req.query()
    const scopeOf = () => {
      const place = entity === undefined ? null : parseEntityPlace(entity)
      const address = place && entityAddress(place.kind, place.name)
      return { kind: 'change', isRest: rest === '1', address } as const
    }
    return restore(context, c, { name: c.req.param('commit'), scopeOf, told: undoneText })
  }),
  call(RESTORING_CALLS.restoreEntity, (context, c) => {
    const { kind, name } = c.req.param()
    const scopeOf = () => ({ kind: 'entity', address: entityAddress(kind, name) }) as const
    const told = () => `The ${kind} ${name} is restored`
    return restore(context, c, { name: c.req.query('to'), scopeOf, told })
  }),
])

function undoneText(number: number): string {
  return `The changes of r${number} are undone`
}

interface Order {
  /** Absent where the query does not name it. */
  readonly name: string | undefined
  /** @throws {ServiceError} when the call names none */
  readonly scopeOf: () => RestoreScope
  /** The message of the answer, about the revision with this number. */
  readonly told: (number: number) => string
}

async function restore(
  context: LeaderPagesContext,
  c: Context<RouteEnv>,
  { name, scopeOf, told }: Order,
): Promise<Response> {
  const { builds, configuration, site } = context
  const { history } = builds
  const { principal } = c.env
  assertMayChange(() => assertMay(builds.access, principal, { action: 'administer-something' }))
  const ifMatch = c.req.header('if-match')?.trim() ?? ''
  const basedOn =
    (ifMatch === '' ? null : await parseIfMatch(ifMatch, history)) ?? history.current().digest
  const fields = await readFields(c.req.raw, MAX_BODY_BYTES, RestoringFields)
  const reason = messageOf(c.req.raw, fields)
  if (name === undefined) throw malformed('The revision is missing: give ?to=', 'to')
  const commit = await commitNamed(configuration, ['to', name])
  const order = { name: commit, scope: scopeOf(), reason, basedOn }
  const save = async () => {
    const { revision, setAside } = await restoreNow(builds, c.env.principal, order)
    const of = history.findCommit(commit)
    const saved = savedBody(told(of === null ? 0 : numbered(history, of).number), setAside)
    const body = { ...saved, md5: revision.digest, commitSHA: revision.commit }
    return json(body, 200, digestHeaders(revision.digest, site.clientNames))
  }
  return saveOrPropose(c, context, save, async () => {
    const { document, current, subject } = await readyRestore(builds, c.env.principal, order)
    const content = { document }
    return { content, base: current.digest, message: reason, summary: subject }
  })
}
