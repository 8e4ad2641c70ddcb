import type { Context } from 'hono'
import { readInvalidEdit, setLiveFileAside } from '../../configuration/save/invalid-live-file.ts'
import { ServiceError } from '../../core/errors.ts'
import { statusOf } from '../../http/errors.ts'
import { readForm, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { PLAIN } from '../code/plain-options.ts'
import { definePage, pageWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { numbered } from '../revisions/numbered-revision.ts'
import { LiveFileView } from './live-file-view.tsx'

const MAX_FORM_BYTES = 16_384

const route = pageWith<PagesContext>()

/** `/config/live`: the file on disk while it is not valid, and what can be done about it. */
export const liveFilePage = definePage({
  open: (context) => context,
  routes: [
    route({
      method: 'GET',
      path: '/config/live',
      handle: (c, context) =>
        answer(context, c, { flash: context.pages.flash.take(c), status: 200 }),
    }),
    route({
      method: 'POST',
      path: '/config/live',
      audit: 'set-live-file-aside',
      handle: async (c, context) => {
        const { principal } = c.env
        const { links, flash } = context.pages
        const version = textField(await readForm(c.req.raw, MAX_FORM_BYTES), 'version') ?? ''
        try {
          const name = await setLiveFileAside(context.configuration, principal, version)
          return c.redirect(links.liveFile(flash.query(principal, 'set-aside', name)), 303)
        } catch (error) {
          if (!(error instanceof ServiceError) || error.code !== 'config-stale') throw error
          c.env.reason = error.code
          const refused = { isDone: false, text: `${error.message}.` }
          return answer(context, c, { flash: refused, status: statusOf(error) })
        }
      },
    }),
  ],
})

interface Answer {
  readonly flash: ReturnType<PagesContext['pages']['flash']['take']>
  readonly status: number
}

async function answer(
  { pages, configuration }: PagesContext,
  c: Context<RouteEnv>,
  { flash, status }: Answer,
): Promise<Response> {
  const { principal } = c.env
  const { history, fileName } = configuration
  const edit = await readInvalidEdit(configuration, principal)
  const current = history.current()
  const bytes = edit?.bytes ?? null
  const before = bytes === null ? null : await history.readDocument(current)
  const view = {
    frame: pages.frame(c.req.raw, principal),
    fileName,
    flash,
    current: numbered(history, current),
    edit,
    comparison: before && bytes && (await configuration.compare([before, bytes], PLAIN)),
  }
  return pageResponse(<LiveFileView {...view} />, status, NO_STORE)
}
