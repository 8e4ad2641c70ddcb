import { isSameName, nameKey } from '../../../core/name-key.ts'
import type {
  ChangedPlace,
  CredentialKind,
  PlanFacts,
  Question,
  Standing,
  TouchedEntity,
} from './question.ts'
import { matchesPattern, isIgnoredPlace, mayBeAt } from './patterns.ts'
import type { Match, PlanBound, GateRule } from './rule.ts'
import type { EntitySelector } from './selectors.ts'

/** The rules file as an entity of a change. */
export const RULES_ENTITY = 'rules'
const AGENT = 'agent/'

/** The keys of a match that are about entities. */
export type EntityMatch = Pick<Match, 'entities' | 'paths' | 'kinds'>

/** The entities that fit a match and have changes that count for the rule. */
export function matchedEntities(
  match: EntityMatch,
  { rule, entities }: { readonly rule: GateRule; readonly entities: readonly TouchedEntity[] },
): readonly TouchedEntity[] {
  return entities.filter((each) => {
    if (!fitsKind(each, match) || !isNamed(each, match.entities)) return false
    if (each.entity === RULES_ENTITY && rule.windows.length > 0) return false
    const counting = countingPlaces(each, rule)
    const { paths } = match
    if (paths === null) return counting.length > 0
    return counting.some((place) => paths.some((path) => mayBeAt(place, path)))
  })
}

/** The changed places that count for a rule; what only follows from others, where one of those does. */
function countingPlaces({ places }: TouchedEntity, { ignored }: GateRule): readonly ChangedPlace[] {
  const counting = places.filter((place) => !isIgnoredPlace(place, ignored))
  return counting.some(({ isDerived = false }) => !isDerived) ? counting : []
}

/** One of those by whom a change is. */
export interface ChangeAuthor {
  readonly standing: Pick<Standing, 'username' | 'roles'>
  readonly credential: CredentialKind
}

/** Whether a rule is about one of these callers; a door without a caller is about nobody. */
export function fitsCaller(
  { match: { users, roles, doors, credentials } }: GateRule,
  { callers, door }: { readonly callers: readonly ChangeAuthor[]; readonly door: Question['door'] },
): boolean {
  if (doors !== null && !doors.includes(door)) return false
  if (users === null && roles === null && credentials === null) return true
  return callers.some(
    ({ standing, credential }) =>
      (users === null || users.some((user) => isSameName(user, standing.username))) &&
      (roles === null ||
        roles.some((role) => standing.roles.some((own) => isSameName(role, own)))) &&
      (credentials === null || credentials.includes(credential)),
  )
}

/** Whether the numbers of the plan fit; unknown ones may. */
export function fitsPlan({ match: { plan } }: GateRule, facts: PlanFacts | null): boolean {
  return plan === null || facts === null || plan.every((bound) => isWithin(facts, bound))
}

function isWithin(facts: PlanFacts, { fact, comparison, bound }: PlanBound): boolean {
  const number = facts[fact]
  switch (comparison) {
    case '>':
      return number > bound
    case '>=':
      return number >= bound
    case '<':
      return number < bound
    case '<=':
      return number <= bound
    case '=':
      return number === bound
  }
}

function fitsKind({ kinds: own }: TouchedEntity, { kinds }: EntityMatch): boolean {
  return kinds === null || kinds.some((kind) => own.includes(kind))
}

/** Agents and the rules themselves are meant only where they are named. */
function isNamed(touched: TouchedEntity, selectors: readonly EntitySelector[] | null): boolean {
  if (selectors === null) return !touched.names.some(isNamedAlone)
  return selectors.some((selector) => isMeant(selector, touched))
}

function isNamedAlone(name: string): boolean {
  return name === RULES_ENTITY || name.startsWith(AGENT)
}

/** Whether a selector means an entity, under one of its names or at one of its places. */
export function isMeant(
  selector: EntitySelector,
  { names, groups, environments }: Pick<TouchedEntity, 'names' | 'groups' | 'environments'>,
): boolean {
  switch (selector.kind) {
    case 'named':
      return names.some((name) => isMeantByName(selector.pattern, name))
    case 'pipelines-in-group':
      return (
        names.some((name) => name.startsWith('pipeline/')) &&
        groups.some((group) => matchesPattern(selector.group, nameKey(group)))
      )
    case 'environment':
      return (
        environments.some((each) => matchesPattern(selector.environment, each)) ||
        names.some((name) => matchesPattern(`environment/${selector.environment}`, name))
      )
  }
}

function isMeantByName(pattern: string, name: string): boolean {
  if (name === RULES_ENTITY) return pattern === RULES_ENTITY
  if (name.startsWith(AGENT) && !pattern.startsWith(AGENT)) return false
  return matchesPattern(pattern, name)
}
