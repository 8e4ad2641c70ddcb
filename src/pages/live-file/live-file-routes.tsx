import type { Context } from 'hono'
import { z } from 'zod'
import { readInvalidEdit, setLiveFileAside } from '../../configuration/save/invalid-live-file.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { PLAIN } from '../code/comparison.ts'
import { definePage, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { numbered } from '../revisions/numbered-revision.ts'
import type { Refusal } from '../runs/refusal.ts'
import { LiveFileView } from './live-file-view.tsx'

const Version = z.object({ version: z.string().default('') })

const { get, formAt } = routesWith<PagesContext>()

/** `/config/live`: the file on disk while it is not valid, and what can be done about it. */
export const liveFilePage = definePage([
  get('/config/live', answer),
  formAt('/config/live', {
    audit: 'set-live-file-aside',
    fields: Version,
    act: async ({ configuration, pages: { links } }, c, { fields: { version } }) => {
      const name = await setLiveFileAside(configuration, c.env.principal, version)
      return { says: ['set-aside', name], to: (flash) => links.liveFile(flash) }
    },
    refused: answer,
  }),
])

async function answer(
  { pages, configuration }: PagesContext,
  c: Context<RouteEnv>,
  refusal: Refusal | null = null,
): Promise<Response> {
  const { principal } = c.env
  const { history, fileName } = configuration
  const edit = await readInvalidEdit(configuration, principal)
  const current = history.current()
  const bytes = edit?.bytes ?? null
  const before = bytes === null ? null : await history.readDocument(current)
  const view = {
    fileName,
    current: numbered(history, current),
    edit,
    ...pages.openWithMessage(c, refusal),
    comparison: before && bytes && (await configuration.compare([before, bytes], PLAIN)),
  }
  return pageResponse(<LiveFileView {...view} />, refusal?.status, NO_STORE)
}
