import type { AnswerOf } from '../../client/call-types.ts'
import { A_REASON } from '../../configuration/gate/rules/verdict.ts'
import type { PrintedLine } from './print.ts'

type Plan = AnswerOf<'POST /api/config/plan'>

/** A heading of a plan, with its items. */
interface Section {
  readonly title: string
  readonly items: readonly string[]
  readonly hidden: number
}

/** A plan for people. */
export function describePlan(plan: Plan): readonly (PrintedLine | string)[] {
  if (!plan.valid) return ['The configuration is not valid', ...errorsOf(plan)]
  const sections = sectionsOf(plan)
  if (sections.length === 0) return ['Nothing would change']
  return [
    ...sections.flatMap(({ title, items, hidden }) => [
      { text: `${title}:`, colour: 'bold' as const },
      ...items.map((item) => `  ${item}`),
      ...(hidden === 0 ? [] : [`  and ${hidden} about what you may not view`]),
    ]),
    verdictOf(plan),
  ]
}

/** The same in Markdown, for a comment on a pull request. Names cannot be taken for markup. */
export function markdownOfPlan(plan: Plan): readonly string[] {
  if (!plan.valid) {
    return [
      '**The configuration is not valid**',
      '',
      ...errorsOf(plan).map((line) => `- ${code(line)}`),
    ]
  }
  const sections = sectionsOf(plan)
  if (sections.length === 0) return ['**Nothing would change**']
  return [
    ...sections.flatMap(({ title, items, hidden }) => [
      `**${title}**`,
      '',
      ...items.map((item) => `- ${code(item)}`),
      ...(hidden === 0 ? [] : [`- and ${hidden} about what the caller may not view`]),
      '',
    ]),
    escaped(verdictOf(plan)),
  ]
}

function reasonText(each: { readonly pipeline: string; readonly because: string }): string {
  return `${each.pipeline}: ${each.because}`
}

function sectionsOf(plan: Plan): readonly Section[] {
  const { changes, starts, stops, obstacles, touches, permissions, willNotRun, hidden } = plan
  const sections: readonly Section[] = [
    {
      title: 'Changes',
      items: changes.map(({ entity, text }) => `${entity}: ${text}`),
      hidden: hidden.changes,
    },
    { title: 'Starts', items: starts.map(reasonText), hidden: hidden.starts },
    { title: 'Stops', items: stops.map(reasonText), hidden: hidden.stops },
    { title: 'Cannot start', items: obstacles.map(reasonText), hidden: hidden.obstacles },
    { title: 'Jobs that run now', items: touches.jobsRunning, hidden: hidden.touches },
    {
      title: 'Permissions',
      items: permissions.flatMap(({ user, gains, loses }) => [
        ...gains.map((right) => `${user} gains ${right}`),
        ...loses.map((right) => `${user} loses ${right}`),
      ]),
      hidden: 0,
    },
    {
      title: 'Will not run here',
      items: willNotRun.map(({ entity, what, because: why }) => `${entity}: ${what}: ${why}`),
      hidden: hidden.willNotRun,
    },
  ]
  return sections.filter(({ items, hidden: count }) => items.length + count > 0)
}

function verdictOf({ verdict }: Plan): string {
  if (verdict === null || verdict.kind === 'allowed') return 'You may save it'
  const { kind, reason, needs } = verdict
  const said = reason === undefined ? '' : `: ${reason}`
  if (kind === 'denied') return `You may not save it${said}`
  const isOwn = needs.every(({ of }) => of.every((each) => each === A_REASON))
  return isOwn ? `You may save it with a reason${said}` : `It needs others${said}`
}

function errorsOf({ errors }: Plan): readonly string[] {
  return errors.map(({ message, line, column }) =>
    line === undefined ? message : `line ${line}:${column ?? 1}: ${message}`,
  )
}

/** A text between more backquotes than it has in a row. */
function code(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>#|~@]/g, (sign) => `\\${sign}`)
}
