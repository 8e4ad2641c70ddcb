import type { Context } from 'hono'
import { QUIET } from '../../api/definition/route-rules.ts'
import { type Replay, replayRules } from '../../configuration/gate/replay/replay-rules.ts'
import { editRules } from '../../configuration/gate/rules/edit-rules.ts'
import { MAX_RULES_BYTES } from '../../configuration/gate/rules/read-rules.ts'
import { saveRules } from '../../configuration/gate/save-rules.ts'
import { rulesVersionOf } from '../../configuration/gate/sound-rules.ts'
import { showRules, type ShownRules } from '../../configuration/gate/shown-rules.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Problem } from '../../core/problem.ts'
import { statusOf } from '../../http/errors.ts'
import { type Form, readForm, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { definePage, pageWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { ruleInForm, valuesInForm, valuesOfRule } from './rule-form.ts'
import { RuleFormView, type RuleFormViewProps } from './rule-form-view.tsx'
import { RulesView } from './rules-view.tsx'

/** A form encodes some characters as three. */
const MAX_FORM_BYTES = 3 * MAX_RULES_BYTES + 65_536
/** Changes that a replay shows one by one, the newest first. */
const MAX_SHOWN = 100
const path = '/rules'

const route = pageWith<PagesContext>()

/** `/rules`: the rules about changes in words, whose approvals they ask for, and their text. */
export const rulesPage = definePage([
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
      const typed = await typedIn(c)
      const save = () =>
        saveRules(configuration, principal, {
          bytes: bytesOf(typed),
          basedOn: typed.version === '' ? 'none' : { version: typed.version },
          message: typed.reason,
        })
      const error = await refusalBeside(save)
      if (error !== null) {
        c.env.reason = error.code
        return answer(context, c, { typed, error })
      }
      return c.redirect(pages.links.rules(pages.flash.query(principal, 'rules-saved', '')), 303)
    },
  }),
  route({
    method: 'POST',
    path: '/rules/form',
    caller: 'administrator',
    audit: QUIET,
    handle: editRule,
  }),
  route({
    method: 'POST',
    path: '/rules/replay',
    caller: 'administrator',
    audit: QUIET,
    needs: 'leader',
    handle: async (c, context) => {
      const typed = await typedIn(c)
      let replay: Replay | null = null
      const request = { bytes: bytesOf(typed), since: null, limit: MAX_SHOWN }
      const error = await refusalBeside(async () => {
        replay = await replayRules(context.configuration, c.env.principal, request)
      })
      if (error !== null) c.env.reason = error.code
      return answer(context, c, { typed, error, replay })
    },
  }),
])

/** Edits one rule of the text that was sent, which is not saved: the form of a rule, or the text with what it says. */
async function editRule(c: Context<RouteEnv>, context: PagesContext): Promise<Response> {
  const { pages, configuration } = context
  const { principal } = c.env
  const form = await readForm(c.req.raw, MAX_FORM_BYTES)
  const typed = typedOf(form)
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

/** The fields of the form. */
interface Typed {
  readonly text: string
  readonly version: string
  readonly reason: string
}

async function typedIn(c: Context<RouteEnv>): Promise<Typed> {
  return typedOf(await readForm(c.req.raw, MAX_FORM_BYTES))
}

function typedOf(form: Form): Typed {
  return {
    text: (textField(form, 'text') ?? '').replaceAll('\r\n', '\n'),
    version: textField(form, 'version') ?? '',
    reason: textField(form, 'reason') ?? '',
  }
}

function bytesOf({ text }: Typed): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text))
}

/** The refusal that the form shows; null where there was none. */
async function refusalBeside(work: () => Promise<unknown>): Promise<ServiceError | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (!(error instanceof ServiceError) || !REFUSALS.includes(error.code)) throw error
    return error
  }
}

/** A text that was sent: why it was not saved or tried, or what it would have held up. */
interface Sent {
  readonly typed: Typed
  readonly error: ServiceError | null
  readonly replay?: Replay | null
}

async function answer(
  { pages, configuration, clock }: PagesContext,
  c: Context<RouteEnv>,
  sent: Sent | null,
): Promise<Response> {
  const { principal } = c.env
  const entity = c.req.query('q')?.trim() ?? ''
  const shown = await showRules(configuration, principal, {
    entity: entity === '' ? null : entity,
    draft: sent === null || sent.error !== null ? null : bytesOf(sent.typed),
  })
  const error = sent?.error ?? null
  const view = {
    frame: pages.frame(c.req.raw, principal),
    flash: pages.flash.take(c),
    shown,
    draft: sent?.typed ?? { text: shown.text, version: shown.version ?? '', reason: '' },
    problems: error && problemsOf(error),
    replay: sent?.replay ?? null,
    now: clock(),
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
