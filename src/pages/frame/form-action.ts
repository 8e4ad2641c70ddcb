import type { Context } from 'hono'
import type { z } from 'zod'
import type { ErrorCode } from '../../core/errors.ts'
import { wellFormed } from '../../http/parameters.ts'
import { type Form, readForm, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { Query } from '../kit/links.ts'
import { type Refusal, refusalOf } from '../runs/refusal.ts'
import type { FlashKind } from './flash-message.ts'
import type { PageContext } from './page-context.ts'

/** Enough for all rows of a page, each with its name, and the other fields. */
const MAX_FORM_BYTES = 65_536

/** The entry of an action in the audit log. */
export interface AuditedAction {
  readonly action: string
  readonly target: string
}

/** An action that was done: where it leads, and the message there. */
export interface FormDone {
  readonly says: readonly [kind: FlashKind, of: string]
  /** Names where an invalid live file is kept that the action replaced. */
  readonly saved?: { readonly setAside: string | null }
  readonly to: (flash: Query) => string
  /** Absent where the route names it. */
  readonly audited?: AuditedAction
}

/** A form with the fields that an action takes, as texts. */
export interface SentForm<Fields extends z.ZodType> {
  readonly fields: z.infer<Fields>
  readonly form: Form
}

export interface FormAction<State, Path extends string, Fields extends z.ZodObject> {
  readonly fields: Fields
  readonly maxBytes?: (context: State) => number
  /**
   * Does what the form asks for. The use case asserts the permission. It answers itself where there is
   * something to show first, such as a preview or a secret that is shown once.
   */
  readonly act: (
    context: State,
    c: Context<RouteEnv, Path>,
    sent: SentForm<Fields>,
  ) => Promise<FormDone | Response>
  /** The page of the form again, with the reason why nothing was done; an error page where it is absent. */
  readonly refused?: (
    context: State,
    c: Context<RouteEnv, Path>,
    refusal: Refusal,
    form: Form,
  ) => Promise<Response>
  /** Refusals of permission that the page of the form shows too; others get an error page. */
  readonly explains?: readonly ErrorCode[]
}

/**
 * The handler of a form: reads its fields, does its action, notes it for the audit log, and redirects to the
 * page that shows the result. A refusal is said on the page of the form, at its field where it has one.
 */
export function formHandler<
  State extends { readonly pages: PageContext },
  const Path extends string,
  Fields extends z.ZodObject,
>(action: FormAction<State, Path, Fields>) {
  return async (context: State, c: Context<RouteEnv, Path>): Promise<Response> => {
    const form = await readForm(c.req.raw, action.maxBytes?.(context) ?? MAX_FORM_BYTES)
    const act = () => action.act(context, c, { form, fields: fieldsIn(form, action.fields) })
    const outcome = await refusalOf(c.env, act, action.explains)
    if ('refusal' in outcome) {
      if (!action.refused) throw outcome.refusal.error
      return action.refused(context, c, outcome.refusal, form)
    }
    const { done } = outcome
    return done instanceof Response ? done : redirectDone(context, c, done)
  }
}

/** Notes an action that was done for the audit log, and redirects to the page that shows its result. */
export function redirectDone(
  { pages }: { readonly pages: PageContext },
  c: Context<RouteEnv>,
  { says, saved, to, audited }: FormDone,
): Response {
  if (audited) c.env.auditActions = [audited]
  return c.redirect(to(pages.flash.query(c.env.principal, ...says, saved)), 303)
}

/** The fields of a form. @throws {ServiceError} `malformed-request` with the field that is not as it must be. */
export function fieldsIn<Fields extends z.ZodObject>(form: Form, fields: Fields): z.infer<Fields> {
  const texts = Object.keys(fields.shape).map((name) => [name, textField(form, name) ?? undefined])
  return wellFormed(fields, Object.fromEntries(texts))
}
