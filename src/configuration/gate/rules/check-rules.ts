import { nameKey } from '../../../core/name-key.ts'
import type { Problem } from '../../../core/problem.ts'
import { hint } from '../../../document/structure/nearest-name.ts'
import { plural } from '../../../lib/plural.ts'
import { isOneOf, phraseOf } from './people.ts'
import { matchesPattern } from './patterns.ts'
import type { People } from './question.ts'
import type { RulesReading } from './read-rules.ts'
import type { GateRule, Match, RuleNeed } from './rule.ts'
import type { PersonSelector } from './selectors.ts'

/** The names that rules may speak of, by the configuration and the users as they are now. */
export interface KnownNames {
  readonly roles: readonly string[]
  readonly groups: readonly string[]
  readonly people: People
}

type ApprovalsNeed = Extract<RuleNeed, { kind: 'approvals' }>
type ReadRules = Extract<RulesReading, { ok: true }>

/** A rule with the fault that it has by the names that are known now. */
interface RuleFault {
  readonly rule: GateRule
  readonly number: number
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Names that rules speak of and nobody has, and rules that nobody living can satisfy, with their places. */
export function findFalseNames(
  { rules, places }: ReadRules,
  known: KnownNames,
): readonly Problem[] {
  return rules.rules.flatMap((rule, number) =>
    faultsOf(rule, number, known).map(({ path, message }) =>
      places.problemAt(['rules', number, ...path], message),
    ),
  )
}

function faultsOf(rule: GateRule, number: number, known: KnownNames): readonly RuleFault[] {
  const fault = (path: readonly PropertyKey[], message: string | null) =>
    message === null ? [] : [{ rule, number, path, message }]
  const { match, needs, except, override } = rule
  return [
    ...(match.roles ?? []).flatMap((role) => fault(['match', 'role'], unknownRole(role, known))),
    ...(match.users ?? []).flatMap((user) => fault(['match', 'user'], unknownUser(user, known))),
    ...groupsOf(match).flatMap((group) => fault(['match', 'entity'], unknownGroup(group, known))),
    ...except.flatMap((one) => fault(['except'], unknownPerson(one, known))),
    ...(override?.by ?? []).flatMap((one) => fault(['override', 'by'], unknownPerson(one, known))),
    ...needs.flatMap((need, n) => {
      if (need.kind === 'reason') return []
      const unknown = unknownPerson(need.of, known)
      return fault(['need', n, 'of'], unknown ?? unsatisfiable(rule, need, known))
    }),
  ]
}

function unknownPerson(selector: PersonSelector, known: KnownNames): string | null {
  if (selector.kind === 'role') return unknownRole(selector.name, known)
  return selector.kind === 'user' ? unknownUser(selector.name, known) : null
}

function unknownRole(name: string, { roles }: KnownNames): string | null {
  if (roles.some((role) => nameKey(role) === nameKey(name))) return null
  return `There is no role ${name}${hint(name, roles)}`
}

function unknownUser(name: string, { people }: KnownNames): string | null {
  if (!people.isComplete || people.find(name) !== null) return null
  const names = people.list().map(({ username }) => username)
  return `There is no user ${name} who can log in${hint(name, names.slice(0, MAX_HINTS))}`
}

const MAX_HINTS = 1000

function unknownGroup(pattern: string, { groups }: KnownNames): string | null {
  if (pattern.includes('*') || groups.some((group) => nameKey(group) === pattern)) return null
  return `There is no group ${pattern}${hint(pattern, groups)}`
}

const GROUP = 'group/'

/** The groups that a match names, as patterns. */
function groupsOf({ entities }: Pick<Match, 'entities'>): readonly string[] {
  return (entities ?? []).flatMap((selector) => {
    if (selector.kind === 'pipelines-in-group') return [selector.group]
    const isGroup = selector.kind === 'named' && selector.pattern.startsWith(GROUP)
    return isGroup ? [selector.pattern.slice(GROUP.length)] : []
  })
}

/** The people whose approvals a rule asks for, as far as they can log in now. */
export interface AskedPeople {
  readonly count: number
  /** The people in words. */
  readonly whose: string
  readonly names: readonly string[]
}

/** The people whose approvals a rule asks for; of each group apart where administrators of groups are. */
export function peopleAskedBy(rule: GateRule, known: KnownNames): readonly AskedPeople[] {
  return rule.needs.flatMap((need) =>
    need.kind === 'reason' ? [] : peopleOfNeed(rule, need, known),
  )
}

/** With users of a directory, nobody knows yet who could approve. */
function unsatisfiable(rule: GateRule, need: ApprovalsNeed, known: KnownNames): string | null {
  if (!known.people.isComplete) return null
  const scarce = peopleOfNeed(rule, need, known).find(({ count, names }) => names.length < count)
  if (scarce === undefined) return null
  const { count, whose, names } = scarce
  const present = names.length === 0 ? 'nobody' : names.length
  return `Nobody can satisfy this: ${count} ${plural(count, 'approval')} by ${whose}, of whom ${present} can log in`
}

function peopleOfNeed(
  { match }: GateRule,
  { count, of, when }: ApprovalsNeed,
  { groups, people }: KnownNames,
): readonly AskedPeople[] {
  const patterns = [...groupsOf(match), ...groupsOf({ entities: when?.entities ?? null })]
  const parts = groups.filter((group) =>
    patterns.some((pattern) => matchesPattern(pattern, nameKey(group))),
  )
  const scopes = of.kind === 'group-admins' ? parts.map((group) => [`${GROUP}${group}`]) : []
  return (scopes.length === 0 ? [[]] : scopes).map((within) => {
    const able = people.list().filter((each) => isOneOf(of, each, within))
    return { count, whose: phraseOf(of, within), names: able.map(({ username }) => username) }
  })
}
