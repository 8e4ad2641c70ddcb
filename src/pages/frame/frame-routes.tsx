import { Hono } from 'hono'
import { CHALLENGE } from '../../http/authenticate.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { readForm, textField } from '../../http/request-body.ts'
import { type Colours, coloursCookie } from './colours.ts'
import { PageLayout } from './layout.tsx'
import { pageResponse } from './page-response.ts'
import type { PageContext } from './page-context.ts'

const LARGEST_FORM = 16_384

/**
 * The routes that belong to no page: assets, the choice of colours, logging out, the start page.
 */
export function frameRoutes(pages: PageContext) {
  const { links } = pages
  return new Hono<RouteEnv>()
    .route('/', pages.assets.routes())
    .get('/', (c) => c.redirect(pages.homeOf(c.env.principal), 302))
    .get('/log-out', (c) => loggedOut(pages, c.req.raw))
    .post('/colours', async (c) => {
      const form = await readForm(c.req.raw, LARGEST_FORM)
      const colours: Colours =
        textField(form, 'colours') === 'blue-orange' ? 'blue-orange' : 'green-red'
      const back = textField(form, 'back') ?? ''
      return new Response(null, {
        status: 303,
        headers: {
          location: isOwn(back, links.root()) ? back : pages.homeOf(c.env.principal),
          'set-cookie': coloursCookie(colours, links.root()),
        },
      })
    })
}

/** A 401 makes the browser forget its credentials. */
function loggedOut(pages: PageContext, request: Request): Promise<Response> {
  const page = (
    <PageLayout frame={pages.frame(request, null)} title="Logged out">
      <div class="card error">
        <h1>You are logged out</h1>
        <p>This browser no longer sends your name and password.</p>
        <p>
          <a href={pages.links.root()}>Log in again</a>
        </p>
      </div>
    </PageLayout>
  )
  return pageResponse(page, 401, { ...CHALLENGE, 'clear-site-data': '"cache"' })
}

/** Whether an address is a path of this service, and not on another host. */
function isOwn(address: string, root: string): boolean {
  return address.startsWith(root) && !/^\/[/\\]/.test(address) && !/[\p{Cc}]/u.test(address)
}
