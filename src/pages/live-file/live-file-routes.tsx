import { Hono } from 'hono'
import {
  type LiveFileDeps,
  readInvalidEdit,
  setLiveFileAside,
} from '../../configuration/save/invalid-live-file.ts'
import { ServiceError } from '../../core/errors.ts'
import { statusOf } from '../../http/errors.ts'
import { readForm, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { ComparisonDeps } from '../code/comparison.ts'
import { PLAIN } from '../code/plain-options.ts'
import type { PageContext } from '../frame/page-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { numbered } from '../revisions/numbered-revision.ts'
import { LiveFileView } from './live-file-view.tsx'

export interface LiveFileRoutesOptions extends LiveFileDeps, ComparisonDeps {
  readonly pages: PageContext
  readonly fileName: string
}

const MAX_FORM_BYTES = 16_384

/** `/config/live`: the file on disk while it is not valid, and what can be done about it. */
export function liveFileRoutes(options: LiveFileRoutesOptions) {
  const { pages, history, fileName } = options
  return new Hono<RouteEnv>()
    .get('/config/live', async (c) => {
      const flash = pages.flash.take(c)
      return answer(c.req.raw, { principal: c.env.principal, flash, status: 200 })
    })
    .post('/config/live', async (c) => {
      const { principal } = c.env
      const version = textField(await readForm(c.req.raw, MAX_FORM_BYTES), 'version') ?? ''
      try {
        const name = await setLiveFileAside(options, principal, version)
        const flash = pages.flash.query(principal, 'set-aside', name)
        return c.redirect(pages.links.liveFile(flash), 303)
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'config-stale') throw error
        c.env.reason = error.code
        const flash = { isDone: false, text: `${error.message}.` }
        return answer(c.req.raw, { principal, flash, status: statusOf(error) })
      }
    })

  async function answer(request: Request, { principal, flash, status }: Answer): Promise<Response> {
    const edit = await readInvalidEdit(options, principal)
    const current = history.current()
    const bytes = edit?.bytes ?? null
    const before = bytes === null ? null : await history.readDocument(current)
    const view = {
      frame: pages.frame(request, principal),
      fileName,
      flash,
      current: numbered(history, current),
      edit,
      comparison: before && bytes && (await options.compare([before, bytes], PLAIN)),
    }
    return pageResponse(<LiveFileView {...view} />, status, NO_STORE)
  }
}

interface Answer {
  readonly principal: RouteEnv['Bindings']['principal']
  readonly flash: ReturnType<PageContext['flash']['take']>
  readonly status: number
}
