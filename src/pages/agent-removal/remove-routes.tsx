import { type Context, Hono } from 'hono'
import type { AgentAdministrationDeps } from '../../agents/administer-agents.ts'
import { actOnAgents } from '../agents/act-on-agents.ts'
import { readRemoval, type RemovalDeps } from './removal.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import { readForm, textField } from '../../http/request-body.ts'
import { pageResponse } from '../frame/page-response.ts'
import type { PageContext } from '../frame/page-context.ts'
import { actionOf, auditActionOf } from '../agents/agents-routes.tsx'
import { RemovedView, RemoveView } from './remove-view.tsx'
import type { RemovedAgents } from '../agents/removed-agents.ts'

export interface RemoveRoutesOptions extends RemovalDeps, AgentAdministrationDeps {
  readonly pages: PageContext
  readonly removed: RemovedAgents
}

type RemoveContext = Context<RouteEnv, '/agents/:uuid/remove'>

const LARGEST_FORM = 4_096

/** `/agents/[uuid]/remove`: disable, stop, delete, with the reasons and the remaining time. */
export function removeRoutes(options: RemoveRoutesOptions) {
  const { pages, clock } = options
  return new Hono<RouteEnv>()
    .get('/agents/:uuid/remove', (c) => answer(options, c, null))
    .post('/agents/:uuid/remove', async (c) => {
      const uuid = c.req.param('uuid')
      const action = actionOf(textField(await readForm(c.req.raw, LARGEST_FORM), 'action') ?? '')
      const outcomes = await actOnAgents(options, c.env.principal, { action, uuids: [uuid] })
      c.env.auditActions = outcomes.map(auditActionOf)
      options.removed.note(c.env.principal, outcomes)
      const [outcome] = outcomes
      const name = outcome?.name ?? uuid
      if (outcome?.isDone !== true) return answer(options, c, `${name} ${outcome?.result}.`)
      if (action === 'enable') return c.redirect(pages.links.agent(uuid), 303)
      const query = action === 'disable' ? { since: clock() } : { gone: name }
      return c.redirect(pages.links.removeAgent(uuid, query), 303)
    })
}

async function answer(
  options: RemoveRoutesOptions,
  c: RemoveContext,
  refusal: string | null,
): Promise<Response> {
  const { pages, clock, directory, access, removed } = options
  const { principal } = c.env
  const uuid = c.req.param('uuid')
  const { gone, since } = c.req.query()
  const common = { frame: pages.frame(c.req.raw, principal), now: clock() }
  if (gone !== undefined && removed.has(principal, { uuid, name: gone })) {
    assertMay(access, principal, { action: 'delete-agent' })
    const isBack = directory.find(uuid) !== null
    return pageResponse(<RemovedView {...common} name={gone} isBack={isBack} />)
  }
  const removal = await readRemoval(options, principal, uuid)
  const at = since === undefined ? null : parseWholeNumber(since, 'since')
  const view = { ...common, removal, since: at, refusal }
  return pageResponse(<RemoveView {...view} />, refusal === null ? 200 : 409)
}
