import type { Context } from 'hono'
import { z } from 'zod'
import { QUIET } from '../../api/definition/route-rules.ts'
import { type Replay, replayRules } from '../../configuration/gate/replay/replay-rules.ts'
import { editRules } from '../../configuration/gate/rules/edit-rules.ts'
import { MAX_RULES_BYTES } from '../../configuration/gate/rules/read-rules.ts'
import { saveRules } from '../../configuration/gate/save-rules.ts'
import { rulesVersionOf } from '../../configuration/gate/sound-rules.ts'
import { showRules, type ShownRules } from '../../configuration/gate/shown-rules.ts'
import type { ServiceError } from '../../core/errors.ts'
import type { Problem } from '../../core/problem.ts'
import { statusOf } from '../../http/errors.ts'
import { type Form, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { fieldsIn, type SentForm } from '../frame/form-action.ts'
import { definePage, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import type { Refusal } from '../runs/refusal.ts'
import { ruleInForm, valuesInForm, valuesOfRule } from './rule-form.ts'
import { RuleFormView, type RuleFormViewProps } from './rule-form-view.tsx'
import { RulesView } from './rules-view.tsx'

/** A form encodes some characters as three. */
const MAX_FORM_BYTES = 3 * MAX_RULES_BYTES + 65_536
/** Changes that a replay shows one by one, the newest first. */
const MAX_SHOWN = 100

/** The text of the rules as it was sent. */
const Typed = z.object({
  text: z
    .string()
    .default('')
    .transform((text) => text.replaceAll('\r\n', '\n')),
  version: z.string().default(''),
  reason: z.string().default(''),
})

type Typed = z.infer<typeof Typed>

const { get, formAt } = routesWith<PagesContext>()
const ofText = { caller: 'administrator', fields: Typed, maxBytes: () => MAX_FORM_BYTES } as const

/** `/rules`: the rules about changes in words, whose approvals they ask for, and their text. */
export const rulesPage = definePage([
  get('/rules', answer, { caller: 'administrator' }),
  formAt('/rules', {
    ...ofText,
    audit: 'save-rules',
    act: async ({ pages: { links }, configuration }, c, { fields: typed }) => {
      await saveRules(configuration, c.env.principal, {
        bytes: bytesOf(typed),
        basedOn: typed.version === '' ? 'none' : [typed.version],
        message: typed.reason,
      })
      return { says: ['rules-saved', ''], to: (flash) => links.rules(flash) }
    },
    explains: ['not-permitted'],
    refused: answerRefused,
  }),
  formAt('/rules/form', { ...ofText, audit: QUIET, act: editRule }),
  formAt('/rules/replay', {
    ...ofText,
    audit: QUIET,
    needs: 'leader',
    act: async (context, c, { fields: typed }) => {
      const request = { bytes: bytesOf(typed), since: null, limit: MAX_SHOWN }
      const replay = await replayRules(context.configuration, c.env.principal, request)
      return answer(context, c, { typed, error: null, replay })
    },
    explains: ['not-permitted'],
    refused: answerRefused,
  }),
])

/** The typed text again, with the reason why it was not saved or tried. */
async function answerRefused(
  context: PagesContext,
  c: Context<RouteEnv>,
  { error }: Refusal,
  sent: Form,
): Promise<Response> {
  if (!REFUSALS.includes(error.code)) throw error
  return answer(context, c, { typed: fieldsIn(sent, Typed), error })
}

/** Edits one rule of the text that was sent, which is not saved: the form of a rule, or the text with what it says. */
async function editRule(
  context: PagesContext,
  c: Context<RouteEnv>,
  { fields: typed, form }: SentForm<typeof Typed>,
): Promise<Response> {
  const { pages, configuration } = context
  const { principal } = c.env
  const { rules } = await showRules(configuration, principal, { draft: bytesOf(typed) })
  const frame = pages.frame(c.req.raw, principal)
  const page = (view: Pick<RuleFormViewProps, 'rule' | 'values' | 'problems'>, status: 200 | 422) =>
    pageResponse(<RuleFormView {...view} frame={frame} draft={typed} />, status, NO_STORE)
  const edited = textField(form, 'edit')
  if (edited !== null) {
    const rule = rules.find(({ name }) => name === edited)?.written ?? null
    return page({ rule: rule?.name ?? null, values: valuesOfRule(rule), problems: [] }, 200)
  }
  const moved = MOVES.flatMap((kind) => {
    const name = textField(form, kind)
    return name === null ? [] : [{ kind, name }]
  })[0]
  if (moved !== undefined) {
    const text = editRules(typed.text, moved) ?? typed.text
    return answer(context, c, { typed: { ...typed, text }, error: null })
  }
  if (textField(form, 'do') !== 'preview') return answer(context, c, { typed, error: null })
  const name = textField(form, 'rule') ?? ''
  const rule = ruleInForm(form)
  const edit =
    name === '' ? { kind: 'add' as const, rule } : { kind: 'replace' as const, name, rule }
  const text = editRules(typed.text, edit)
  const next = { ...typed, text: text ?? typed.text }
  const { problems } = await showRules(configuration, principal, { draft: bytesOf(next) })
  if (text !== null && problems.length === 0)
    return answer(context, c, { typed: next, error: null })
  const told = text === null ? [{ message: NOT_IN_FORM }] : problems
  return page({ rule: name === '' ? null : name, values: valuesInForm(form), problems: told }, 422)
}

const MOVES = ['remove', 'raise', 'lower'] as const
const NOT_IN_FORM =
  'The form cannot edit this text: rules stand on lines of their own, each with its own values'

/** Errors beside which the typed text stays. */
const REFUSALS: readonly ServiceError['code'][] = [
  'config-invalid',
  'config-stale',
  'not-permitted',
]

function bytesOf({ text }: Typed): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text))
}

/** A text that was sent: why it was not saved or tried, or what it would have held up. */
interface Sent {
  readonly typed: Typed
  readonly error: ServiceError | null
  readonly replay?: Replay | null
}

async function answer(
  { pages, configuration }: PagesContext,
  c: Context<RouteEnv>,
  sent: Sent | null = null,
): Promise<Response> {
  const { principal } = c.env
  const entity = c.req.query('q')?.trim() ?? ''
  const shown = await showRules(configuration, principal, {
    entity: entity === '' ? null : entity,
    draft: sent === null || sent.error !== null ? null : bytesOf(sent.typed),
  })
  const error = sent?.error ?? null
  const view = {
    ...pages.openWithMessage(c),
    shown,
    draft: sent?.typed ?? { text: shown.text, version: shown.version ?? '', reason: '' },
    problems: error === null ? [] : problemsOf(error),
    replay: sent?.replay ?? null,
    isDraft: sent !== null && error === null && !isSaved(shown, sent.typed),
  }
  return pageResponse(<RulesView {...view} />, error ? statusOf(error) : 200, NO_STORE)
}

function isSaved({ version }: ShownRules, typed: Typed): boolean {
  return version === (typed.text === '' ? null : rulesVersionOf(bytesOf(typed)))
}

function problemsOf(error: ServiceError): readonly Problem[] {
  const { facts } = error
  const problems = 'problems' in facts ? facts.problems : []
  return problems.length === 0 ? [{ message: error.message }] : problems
}
