import { nameKey } from '../../../core/name-key.ts'
import { ENTITY_PREFIXES, foldEntity } from '../../../document/entities/entities.ts'
import { hint } from '../../../document/structure/nearest-name.ts'
import { RULES_ENTITY } from './match.ts'
import type { GateRule, IgnoredPlace, Match, PlanBound, RuleNeed } from './rule.ts'
import { PLAN_FACTS, type WrittenRule } from './rules-schema.ts'
import type { EntitySelector, PathPattern, PersonSelector } from './selectors.ts'
import { fixedWindow, type RuleWindow, weeklyWindow } from './windows.ts'

/** Reports what is wrong with a part of a rule, by its path inside the rule. */
export type ReportFault = (path: readonly PropertyKey[], message: string) => void

type Texts = string | readonly string[]

const IN_GROUP = /^pipelines? in group\/(.+)$/i
const IN_ENVIRONMENT = /^environment\/(.+) and what runs in it$/i
const GROUP_ADMINS = 'admins of the group'
const ADMINS = 'admins'
const PEOPLE = ['role/NAME', 'user/NAME', ADMINS, GROUP_ADMINS]
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const DAY_TIME = /^([a-z]+) (\d{1,2}):(\d{2})$/i
const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2}))?$/
const BOUND = /^(>=?|<=?|=)?\s*(\d+)$/
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** A rule as it is written, in the form in which it is judged by. */
export function compileRule(written: WrittenRule, report: ReportFault): GateRule {
  const { name, match = {}, unless, need = [], override, message } = written
  return {
    name,
    effect: effectOf(written, report),
    match: compileMatch(match, (path, fault) => report(['match', ...path], fault)),
    ignored: unless === undefined ? [] : [unless.only].flat().map(ignoredPlace),
    needs: need.map((each, n) =>
      compileNeed(each, (path, fault) => report(['need', n, ...path], fault)),
    ),
    not: [written.not ?? []].flat(),
    except: peopleIn(written.except ?? [], (path, fault) => report(['except', ...path], fault)),
    override:
      override === undefined
        ? null
        : {
            by: peopleIn(override.by, (path, fault) => report(['override', 'by', ...path], fault)),
            isReasonNeeded: override.reason === 'required',
          },
    windows: windowsOf(written, report),
    message: message ?? null,
  }
}

function effectOf({ effect, need }: WrittenRule, report: ReportFault): GateRule['effect'] {
  if (need === undefined) {
    if (effect === undefined) report([], 'A rule has an effect, or says what it needs')
    if (effect === 'need') report(['effect'], 'A rule with the effect need says what it needs')
    return effect ?? 'need'
  }
  if (effect !== undefined && effect !== 'need') {
    report(['effect'], `A rule that needs something has the effect need, not ${effect}`)
  }
  return 'need'
}

type WrittenMatch = NonNullable<WrittenRule['match']>

function compileMatch(written: WrittenMatch, report: ReportFault): Match {
  const { user, role, door, credential, plan } = written
  return {
    ...compileEntityMatch(written, report),
    users: user === undefined ? null : [user].flat(),
    roles: role === undefined ? null : [role].flat(),
    doors: door === undefined ? null : [door].flat(),
    credentials: credential === undefined ? null : [credential].flat(),
    plan: plan === undefined ? null : PLAN_FACTS.flatMap((fact) => boundOf(fact, plan[fact])),
  }
}

function compileEntityMatch(
  { entity, path, change }: Pick<WrittenMatch, 'entity' | 'path' | 'change'>,
  report: ReportFault,
): Pick<Match, 'entities' | 'paths' | 'kinds'> {
  return {
    entities:
      entity === undefined
        ? null
        : withPaths(entity, 'entity').flatMap(([text, at]) =>
            entitySelector(text, (fault) => report(at, fault)),
          ),
    paths: path === undefined ? null : [path].flat().map(pathPattern),
    kinds: change === undefined ? null : [change].flat(),
  }
}

function entitySelector(text: string, report: (fault: string) => void): readonly EntitySelector[] {
  const [, group] = IN_GROUP.exec(text) ?? []
  if (group !== undefined) return [{ kind: 'pipelines-in-group', group: nameKey(group) }]
  const [, environment] = IN_ENVIRONMENT.exec(text) ?? []
  if (environment !== undefined) return [{ kind: 'environment', environment: nameKey(environment) }]
  const [prefix = '', ...rest] = text.split('/')
  const known = [...ENTITY_PREFIXES, RULES_ENTITY]
  if (!prefix.includes('*') && !known.includes(prefix)) {
    report(`"${text}" names no kind of entity${hint(prefix, known)}`)
    return []
  }
  const isAlone = ['server', 'document', RULES_ENTITY].includes(prefix)
  if (text !== '*' && !isAlone && rest.join('/') === '') {
    report(`"${text}" has no name: write ${prefix}/NAME, or ${prefix}/* for all`)
    return []
  }
  return [{ kind: 'named', pattern: prefix === 'agent' ? text : foldEntity(nameKey(text)) }]
}

function pathPattern(text: string): PathPattern {
  return { steps: text.split('/').map((step) => singular(nameKey(step.trim()))) }
}

/** Lists such as `materials` are no step of their own: the path goes on to what is in them. */
function singular(step: string): string {
  const known: Readonly<Record<string, string>> = {
    materials: 'material',
    tasks: 'task',
    stages: 'stage',
    jobs: 'job',
    params: 'param',
    variables: 'variable',
    environmentvariables: 'variable',
    artifacts: 'artifact',
    resources: 'resource',
  }
  return known[step] ?? step
}

function ignoredPlace(text: string): IgnoredPlace {
  const key = nameKey(text)
  if (key === 'comment' || key === 'comments') return 'comment'
  return key === 'layout' ? 'layout' : pathPattern(text)
}

type WrittenNeed = NonNullable<WrittenRule['need']>[number]

function compileNeed(written: WrittenNeed, report: ReportFault): RuleNeed {
  if ('reason' in written) return { kind: 'reason' }
  const { approvals, of, when } = written
  return {
    kind: 'approvals',
    count: approvals,
    of: personSelector(of, (fault) => report(['of'], fault)),
    when:
      when === undefined
        ? null
        : compileEntityMatch(when, (path, fault) => report(['when', ...path], fault)),
  }
}

function peopleIn(texts: Texts, report: ReportFault): readonly PersonSelector[] {
  return withPaths(texts).map(([text, at]) => personSelector(text, (fault) => report(at, fault)))
}

function personSelector(text: string, report: (fault: string) => void): PersonSelector {
  const [, kind, name] = /^(role|user)\/(.+)$/.exec(text) ?? []
  if ((kind === 'role' || kind === 'user') && name !== undefined) return { kind, name }
  if (text === GROUP_ADMINS) return { kind: 'group-admins' }
  if (text !== ADMINS)
    report(`"${text}" names nobody: write ${PEOPLE.join(', ')}${hint(text, PEOPLE)}`)
  return { kind: 'admins' }
}

function boundOf(fact: PlanBound['fact'], written: string | number | undefined): PlanBound[] {
  const [, comparison, bound] = BOUND.exec(String(written ?? '')) ?? []
  if (bound === undefined) return []
  const known = (['>', '>=', '<', '<='] as const).find((one) => one === comparison)
  return [{ fact, comparison: known ?? '=', bound: Number(bound) }]
}

function windowsOf({ window }: WrittenRule, report: ReportFault): readonly RuleWindow[] {
  if (window === undefined) return []
  const isSeveral = Array.isArray(window)
  return [window].flat().flatMap((written, n) => {
    const at = (path: readonly PropertyKey[], fault: string) =>
      report(['window', ...(isSeveral ? [n] : []), ...path], fault)
    const { zone } = written
    if (!isZone(zone)) {
      const known = Intl.supportedValuesOf('timeZone')
      at(['zone'], `There is no time zone ${zone}${hint(zone, nearOnes(zone, known))}`)
      return []
    }
    if (!('weekly' in written)) return fixedWindowOf(written, at)
    return withPaths(written.weekly, 'weekly').flatMap(([text, path]) =>
      weeklyWindowOf(text, zone, (fault) => at(path, fault)),
    )
  })
}

/** All zones are too many to be listed where none is near. */
function nearOnes(zone: string, known: readonly string[]): readonly string[] {
  const [area = ''] = zone.split('/', 1)
  return known.filter((each) => nameKey(each).startsWith(nameKey(area.slice(0, 2))))
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** A date without a time begins with it, and ends with its last moment. */
function fixedWindowOf(
  { from, to, zone }: { readonly from: string; readonly to: string; readonly zone: string },
  report: ReportFault,
): readonly RuleWindow[] {
  const [start, end] = [localTime(from, 0), localTime(to, DAY_MS)]
  if (start === null) report(['from'], noTime(from))
  if (end === null) report(['to'], noTime(to))
  if (start === null || end === null) return []
  if (end <= start) report(['to'], `The window ends (${to}) before it begins (${from})`)
  return [fixedWindow(start, end, zone)]
}

function noTime(text: string): string {
  return `"${text}" is not a time: write 2026-12-20 or 2026-12-20 18:00`
}

function localTime(text: string, withoutTime: number): number | null {
  const [, year, month, day, hour, minute] = DATE.exec(text) ?? []
  if (day === undefined) return null
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day))
  const isDate = new Date(date).toISOString().startsWith(text.slice(0, 10))
  if (!isDate || Number(hour ?? 0) > 24 || Number(minute ?? 0) > 59) return null
  if (hour === undefined) return date + withoutTime
  return date + (Number(hour) * 60 + Number(minute)) * MINUTE_MS
}

function weeklyWindowOf(
  text: string,
  zone: string,
  report: (fault: string) => void,
): readonly RuleWindow[] {
  const [from = null, to = null, ...others] = text.split(/(?<!\s)\s+-\s+/).map(weekTime)
  if (from === null || to === null || others.length > 0) {
    report(`"${text}" is not a time of the week: write fri 16:00 - mon 07:00`)
    return []
  }
  if (from === to) report(`The window "${text}" ends when it begins`)
  return [weeklyWindow(from, to, zone)]
}

function weekTime(text: string): number | null {
  const [, word = '', hour = '', minute = ''] = DAY_TIME.exec(text.trim()) ?? []
  const day = DAYS.indexOf(nameKey(word))
  if (day < 0 || Number(hour) > 24 || Number(minute) > 59) return null
  return day * DAY_MS + (Number(hour) * 60 + Number(minute)) * MINUTE_MS
}

/** Each text with its path below the key that has it. */
function withPaths(
  texts: Texts,
  key?: string,
): readonly (readonly [string, readonly PropertyKey[]])[] {
  const above = key === undefined ? [] : [key]
  if (typeof texts === 'string') return [[texts, above]]
  return texts.map((text, n) => [text, [...above, n]])
}
