import { Hono } from 'hono'
import type { RouteEnv } from '../../http/request-context.ts'
import { readForm, textField } from '../../http/request-body.ts'
import { type Colours, coloursCookie } from '../kit/colours.ts'
import { isOwnPath } from './own-path.ts'
import type { PageContext } from './page-context.ts'

const MAX_FORM_BYTES = 16_384

/**
 * The routes that belong to no page: assets, the choice of colours, the start page.
 */
export function frameRoutes(pages: PageContext) {
  const { links } = pages
  return new Hono<RouteEnv>()
    .route('/', pages.assets.routes())
    .get('/', (c) => c.redirect(pages.homeOf(c.env.principal), 302))
    .post('/colours', async (c) => {
      const form = await readForm(c.req.raw, MAX_FORM_BYTES)
      const colours: Colours =
        textField(form, 'colours') === 'blue-orange' ? 'blue-orange' : 'green-red'
      const back = textField(form, 'back') ?? ''
      return new Response(null, {
        status: 303,
        headers: {
          location: isOwnPath(back, links.root()) ? back : pages.homeOf(c.env.principal),
          'set-cookie': coloursCookie(colours, links.root()),
        },
      })
    })
}
