import { acknowledgeOverride } from '../../configuration/gate/override-alarm.ts'
import type { Context } from 'hono'
import { z } from 'zod'
import type { RouteEnv } from '../../http/request-context.ts'
import type { Refusal } from '../runs/refusal.ts'
import { retryMaterial, freeRoom } from '../../builds/runs/solve-problems.ts'
import { acknowledgeSecrets } from '../../configuration/read/plain-secret-alarm.ts'
import { renderFreeSpace } from '../../core/builds/agent.ts'
import { countOf } from '../kit/words/count.ts'
import { defineLeaderPage, definePage, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext, PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { findNamed } from '../revisions/numbered-revision.ts'
import { ProblemsView } from './problems-view.tsx'

const NOTHING_FREED = ['no-room-freed', ''] as const

/** A button alone. */
const Nothing = z.object({})

const { get, formAt } = routesWith<PagesContext>()
const { formAt: ledFormAt } = routesWith<LeaderPagesContext>()

/** `/problems`: what an operator should look at, as far as the caller may know of it. */
export const problemsPage = definePage([
  get('/problems', answer),
  formAt('/config/:name/acknowledge-override', {
    audit: 'acknowledge-override',
    fields: Nothing,
    act: async ({ configuration, pages: { links } }, c) => {
      const { commit, number } = findNamed(configuration, c.env.principal, c.req.param('name'))
      await acknowledgeOverride(configuration, c.env.principal, commit)
      const says = ['override-acknowledged', `r${number}`] as const
      return { says, to: (flash) => links.problems(flash) }
    },
    refused: answer,
    explains: ['not-permitted'],
  }),
])

function answer(
  { pages, configuration: { access }, leader }: PagesContext,
  c: Context<RouteEnv>,
  refusal: Refusal | null = null,
): Promise<Response> {
  const { principal } = c.env
  const open = pages.openWithMessage(c, refusal)
  const mayOperate = (pipeline: string) =>
    access.may(principal, { action: 'operate-pipeline', pipeline })
  const taken = leader()?.builds.quota.use().bytes ?? null
  const shown = <ProblemsView {...open} mayOperate={mayOperate} taken={taken} />
  return pageResponse(shown, refusal?.status, open.flash === null ? {} : NO_STORE)
}

/** The forms of `/problems`. They change the state, which the leader has. */
export const problemForms = defineLeaderPage([
  ledFormAt('/config/:name/acknowledge-secrets', {
    audit: 'acknowledge-secrets',
    fields: Nothing,
    act: async ({ configuration, pages: { links } }, c) => {
      const { commit, number } = findNamed(configuration, c.env.principal, c.req.param('name'))
      const count = await acknowledgeSecrets(configuration, c.env.principal, commit)
      const of = count === 1 ? `r${number}` : countOf(count, 'revision')
      return { says: ['secrets-acknowledged', of], to: (flash) => links.problems(flash) }
    },
  }),
  ledFormAt('/problems/materials/:fingerprint', {
    audit: 'poll-material',
    fields: Nothing,
    act: async ({ builds, pages: { links } }, c) => {
      const isRead = await retryMaterial(builds, c.env.principal, c.req.param('fingerprint'))
      const says = [isRead ? 'material-read' : 'material-unread', ''] as const
      return { says, to: (flash) => links.problems(flash) }
    },
  }),
  ledFormAt('/problems/room', {
    caller: 'administrator',
    audit: 'free-room',
    fields: z.object({ bytes: z.coerce.number().int().positive() }),
    act: async ({ builds, pages: { links } }, c, { fields }) => {
      const freed = await freeRoom(builds, c.env.principal, fields.bytes)
      const says = freed > 0 ? (['room-freed', renderFreeSpace(freed)] as const) : NOTHING_FREED
      return { says, to: (flash) => links.problems(flash) }
    },
  }),
])
