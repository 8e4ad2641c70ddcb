import { z } from 'zod'
import { jsonAnswer, NOT_MODIFIED } from '../../api/definition/operation.ts'
import { QUIET } from '../../api/definition/route-rules.ts'
import { readForm, textField } from '../../http/request-body.ts'
import { type Colours, coloursCookie } from '../kit/colours.ts'
import { ownPath } from './kept-form.ts'
import { ErrorBody } from '../../wire/error-body.ts'
import { definePage, PAGES_TAG, routesWith } from './page-routes.ts'
import type { PagesContext } from './pages-context.ts'

const MAX_FORM_BYTES = 16_384

const { get, post } = routesWith<PagesContext>()

/** The routes that belong to no page: assets, the choice of colours, the start page. */
export const framePages = definePage([
  get('/assets/:name', ({ pages }, c) => pages.assets.answer(c, c.req.param('name')), {
    tag: PAGES_TAG,
    summary: 'Files that pages load',
    caller: 'anybody',
    parameters: {
      name: {
        text: 'As pages name it',
        schema: z.string().min(1),
        example: 'base-0123456789ab.css',
      },
    },
    answers: {
      200: { text: 'The file', content: [{ type: '*/*', schema: null }] },
      304: NOT_MODIFIED,
      404: jsonAnswer('There is none', ErrorBody),
    },
    example: {},
  }),
  get('/', ({ pages }, c) => c.redirect(pages.homeOf(c.env.principal), 302)),
  post(
    '/colours',
    async ({ pages }, c) => {
      const { links } = pages
      const form = await readForm(c.req.raw, MAX_FORM_BYTES)
      const colours: Colours =
        textField(form, 'colours') === 'blue-orange' ? 'blue-orange' : 'green-red'
      const back = textField(form, 'back') ?? ''
      return new Response(null, {
        status: 303,
        headers: {
          location: ownPath(back, links.root()) ?? pages.homeOf(c.env.principal),
          'set-cookie': coloursCookie(colours, links.root()),
        },
      })
    },
    { caller: 'anybody', scope: 'read', audit: QUIET },
  ),
])
