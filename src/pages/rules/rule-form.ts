import { listOfTexts } from '../../configuration/gate/rules/examples.ts'
import { PLAN_FACTS, type WrittenRule } from '../../configuration/gate/rules/rules-schema.ts'
import { type Form, textField, textsIn } from '../../http/request-body.ts'

/** The values of the form of a rule by the names of their fields; several stand on lines of their own. */
export type RuleValues = ReadonlyMap<string, readonly string[]>

type WrittenNeed = NonNullable<WrittenRule['need']>[number]
type NeededApprovals = Extract<WrittenNeed, { readonly of: string }>
type WrittenWindow = Extract<NonNullable<WrittenRule['window']>, { readonly zone: string }>

/** Approvals and windows that a form has room for beyond those of the rule. */
const MORE_ROWS = 1
/** The most rows that a form is read for. */
const MAX_ROWS = 50
/** The keys of an entity in a match and in the condition of an approval. */
const ABOUT = ['entity', 'path', 'change'] as const
/** The keys of a match with a list of values. */
const MATCH_LISTS = [...ABOUT, 'user', 'role', 'door', 'credential'] as const

/** The numbers of the rows of a list in a form. */
export function rowsOf(values: RuleValues, field: string): readonly number[] {
  const numbers = [...values.keys()].flatMap((name) =>
    name.startsWith(`${field}.`) ? [Number(name.slice(field.length + 1)) + 1] : [],
  )
  const rows = Math.min(Math.max(0, ...numbers) + MORE_ROWS, MAX_ROWS)
  return Array.from({ length: rows }, (_, n) => n)
}

/** A rule as its form has it; nothing for a rule that is new. */
export function valuesOfRule(rule: WrittenRule | null): RuleValues {
  if (rule === null) return new Map([['effect', ['need']]])
  const { name, match = {}, need = [], effect = 'need', message, override, window } = rule
  const approvals = need.filter((each): each is NeededApprovals => 'of' in each)
  return new Map([
    ['name', [name]],
    ['effect', [effect]],
    ...MATCH_LISTS.map((key) => [key, listOfTexts(match[key])] as const),
    ...PLAN_FACTS.map(
      (fact) => [`plan-${fact}`, listOfTexts(match.plan?.[fact]?.toString())] as const,
    ),
    ['unless', listOfTexts(rule.unless?.only)],
    ['reason-needed', need.length > approvals.length ? ['1'] : []],
    ...approvals.flatMap(({ approvals: count, of, when = {} }, n) => [
      [`approvals.${n}`, [String(count)]] as const,
      [`of.${n}`, [of]] as const,
      ...ABOUT.map((key) => [`when-${key}.${n}`, listOfTexts(when[key])] as const),
    ]),
    ['not', listOfTexts(rule.not)],
    ['override', listOfTexts(override?.by)],
    ['override-reason', override?.reason === undefined ? [] : ['1']],
    ['except', listOfTexts(rule.except)],
    ...listedWindows(window).flatMap((each, n) => [
      [`weekly.${n}`, 'weekly' in each ? listOfTexts(each.weekly) : []] as const,
      [`from.${n}`, 'weekly' in each ? [] : [each.from]] as const,
      [`to.${n}`, 'weekly' in each ? [] : [each.to]] as const,
      [`zone.${n}`, [each.zone]] as const,
    ]),
    ['message', listOfTexts(message)],
  ])
}

function listedWindows(window: WrittenRule['window']): readonly WrittenWindow[] {
  return window === undefined ? [] : [window].flat()
}

/** The rule that a sent form describes, which need not be a valid one. */
export function ruleInForm(form: Form): Readonly<Record<string, unknown>> {
  const text = (name: string) => (textField(form, name) ?? '').trim()
  const lines = (name: string) =>
    oneOrMore(textsIn(form, name).flatMap((each) => each.split(/\r?\n/)))
  const rows = Array.from({ length: MAX_ROWS }, (_, n) => n)
  const about = (prefix: string, row: string) =>
    withoutGaps(Object.fromEntries(ABOUT.map((key) => [key, lines(`${prefix}${key}${row}`)])))
  const plan = withoutGaps(
    Object.fromEntries(PLAN_FACTS.map((fact) => [fact, bound(text(`plan-${fact}`))])),
  )
  const match = withoutGaps({
    ...Object.fromEntries(MATCH_LISTS.map((key) => [key, lines(key)])),
    plan,
  })
  const need = [
    ...rows.flatMap((n) => {
      const [count, of] = [text(`approvals.${n}`), text(`of.${n}`)]
      if (count === '' && of === '') return []
      const approvals = /^\d+$/.test(count) ? Number(count) : count
      return [withoutGaps({ approvals, of, when: about('when-', `.${n}`) })]
    }),
    ...(text('reason-needed') === '' ? [] : [{ reason: 'required' }]),
  ]
  const windows = rows.flatMap((n) => {
    const weekly = lines(`weekly.${n}`)
    const [from, to, zone] = [text(`from.${n}`), text(`to.${n}`), text(`zone.${n}`)]
    if (weekly === undefined && `${from}${to}${zone}` === '') return []
    return [weekly === undefined ? { from, to, zone } : { weekly, zone }]
  })
  const by = lines('override')
  const reason = text('override-reason') === '' ? undefined : 'required'
  const effect = text('effect')
  return (
    withoutGaps({
      name: text('name'),
      window: windows.length > 1 ? windows : windows[0],
      match,
      unless: withoutGaps({ only: lines('unless') }),
      need: need.length > 0 ? need : undefined,
      not: lines('not'),
      effect: need.length > 0 && effect === 'need' ? undefined : effect,
      except: lines('except'),
      override: by === undefined ? undefined : withoutGaps({ by, reason }),
      message: text('message') || undefined,
    }) ?? {}
  )
}

/** The values of a sent form, to show them again. */
export function valuesInForm(form: Form): RuleValues {
  const shown = [...form.keys()].flatMap((name) => {
    const values = textsIn(form, name).filter((each) => each !== '')
    return values.length === 0 ? [] : [[name, values] as const]
  })
  return new Map(shown)
}

function bound(text: string): string | number | undefined {
  if (text === '') return undefined
  return /^\d+$/.test(text) ? Number(text) : text
}

function oneOrMore(texts: readonly string[]): string | readonly string[] | undefined {
  const given = texts.map((each) => each.trim()).filter((each) => each !== '')
  return given.length > 1 ? given : given[0]
}

/** Without the keys that have no value; nothing where none has. */
function withoutGaps(
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}
