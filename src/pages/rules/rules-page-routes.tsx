import type { Context } from 'hono'
import { MAX_RULES_BYTES } from '../../configuration/gate/rules/read-rules.ts'
import { saveRules } from '../../configuration/gate/save-rules.ts'
import { showRules } from '../../configuration/gate/shown-rules.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Problem } from '../../core/problem.ts'
import { statusOf } from '../../http/errors.ts'
import { readForm, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { definePage, pageWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { RulesView } from './rules-view.tsx'

/** A form encodes some characters as three. */
const MAX_FORM_BYTES = 3 * MAX_RULES_BYTES + 65_536
const path = '/rules'

const route = pageWith<PagesContext>()

/** `/rules`: the rules about changes in words, whose approvals they ask for, and their text. */
export const rulesPage = definePage({
  open: (context) => context,
  routes: [
    route({
      method: 'GET',
      path,
      caller: 'administrator',
      handle: (c, context) => answer(context, c, null),
    }),
    route({
      method: 'POST',
      path,
      caller: 'administrator',
      audit: 'save-rules',
      handle: async (c, context) => {
        const { pages, configuration } = context
        const { principal } = c.env
        const form = await readForm(c.req.raw, MAX_FORM_BYTES)
        const typed = {
          text: (textField(form, 'text') ?? '').replaceAll('\r\n', '\n'),
          version: textField(form, 'version') ?? '',
          reason: textField(form, 'reason') ?? '',
        }
        try {
          await saveRules(configuration, principal, {
            bytes: new Uint8Array(Buffer.from(typed.text)),
            basedOn: typed.version === '' ? 'none' : { version: typed.version },
            message: typed.reason,
          })
        } catch (error) {
          if (!(error instanceof ServiceError) || !REFUSALS.includes(error.code)) throw error
          c.env.reason = error.code
          return answer(context, c, { ...typed, error })
        }
        return c.redirect(pages.links.rules(pages.flash.query(principal, 'rules-saved', '')), 303)
      },
    }),
  ],
})

/** Errors beside which the typed text stays. */
const REFUSALS: readonly ServiceError['code'][] = [
  'config-invalid',
  'config-stale',
  'not-permitted',
]

/** A text that was not saved. */
interface Refused {
  readonly text: string
  readonly version: string
  readonly reason: string
  readonly error: ServiceError
}

async function answer(
  { pages, configuration }: PagesContext,
  c: Context<RouteEnv>,
  refused: Refused | null,
): Promise<Response> {
  const { principal } = c.env
  const entity = c.req.query('q')?.trim() ?? ''
  const shown = await showRules(configuration, principal, entity === '' ? null : entity)
  const view = {
    frame: pages.frame(c.req.raw, principal),
    flash: pages.flash.take(c),
    shown,
    draft: {
      text: refused?.text ?? shown.text,
      version: refused?.version ?? shown.version ?? '',
      reason: refused?.reason ?? '',
    },
    problems: refused === null ? null : problemsOf(refused.error),
  }
  return pageResponse(<RulesView {...view} />, refused ? statusOf(refused.error) : 200, NO_STORE)
}

function problemsOf(error: ServiceError): readonly Problem[] {
  const { facts } = error
  const problems = 'problems' in facts ? facts.problems : []
  return problems.length === 0 ? [{ message: error.message }] : problems
}
