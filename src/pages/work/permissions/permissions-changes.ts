import { nameKey } from '../../../core/name-key.ts'
import {
  approvedStages,
  type GroupStage,
  type Reason,
  type Reasons,
  groupStages,
} from '../../../security/permission-reasons.ts'
import type {
  GroupFacts,
  ListedPrincipal,
  SecurityFacts,
  TemplateFacts,
} from '../../../security/security-facts.ts'
import {
  everybodyIn,
  inOrder,
  type KnownPeople,
  membersOfRoles,
  type Person,
  ReasonsOfPeople,
} from './person.ts'
import { readSecurity } from './read-security.ts'
import {
  type RoleMembers,
  membersOf,
  namesPeople,
  rightsIn,
  rightsInTemplate,
  type ShownRight,
  shownRights,
  TABLE_ROWS,
  type TableQuery,
} from './permissions-table.ts'

export interface ChangesRequest {
  readonly documents: readonly [before: Uint8Array, after: Uint8Array]
  readonly known: KnownPeople
  readonly query: Pick<TableQuery, 'people' | 'offset'>
}

/** A right that somebody has in one of two revisions only. */
export interface RightChange {
  /** Such as `group services`, `template build`, `stage checkout/ship`, `server`. */
  readonly of: string
  /** By what, in the revision that gives it. */
  readonly right: ShownRight
  /** The line of the group in the revision that does not; null for the server and for a template. */
  readonly elsewhere: number | null
}

export interface ChangedPerson extends Pick<Person, 'kind' | 'name' | 'isKnown'> {
  readonly members: RoleMembers
  readonly gains: RightChanges
  readonly loses: RightChanges
}

export interface RightChanges {
  readonly shown: readonly RightChange[]
  /** How many more there are. */
  readonly more: number
}

/** Gained and lost permissions of users between two revisions. */
export interface PermissionChanges {
  readonly people: readonly ChangedPerson[]
  readonly total: number
  /** The groups that one of the revisions has not: they count for nobody. */
  readonly gone: number
  readonly added: number
}

/** How many rights of one person are told. */
const MAX_CHANGES = 20

/** Compares what everybody may do; null where one of the documents is no configuration. */
export function permissionsChanges({
  documents,
  known,
  query,
}: ChangesRequest): PermissionChanges | null {
  const [before, after] = documents.map(readSecurity)
  if (!before || !after) return null
  const groups = pairsOf(before, after)
  const templates = templatePairs(before, after)
  const all: Places = { groups, templates }
  const changed: Places = { groups: groups.filter(({ isChanged }) => isChanged), templates }
  const reasons = [new ReasonsOfPeople(before, known), new ReasonsOfPeople(after, known)] as const
  const wanted = query.people.trim().toLowerCase()
  const members = membersOfRoles(after, known)
  const roles = new Map<string, ReadonlySet<string>>()
  const people = unionOf(everybodyIn(before, known), everybodyIn(after, known))
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .flatMap((person) => {
      const had = reasons[0].of(person)
      const has = reasons[1].of(person)
      const where = hasSameRoles(had, has) ? changed : all
      const change = changeOf([had, has], where)
      if (change === null) return []
      const keys = keysOf(change)
      if (person.kind === 'role') roles.set(nameKey(person.name), new Set(keys))
      else if (isOfRoles(keys, has.roles, roles)) return []
      const { kind, name, isKnown } = person
      return [{ kind, name, isKnown, members: membersOf(person, members), ...change }]
    })
  return {
    people: people.slice(query.offset, query.offset + TABLE_ROWS).map(shownPerson),
    total: people.length,
    gone: before.groups.length - groups.length,
    added: after.groups.length - groups.length,
  }
}

/** The parts of a configuration in which rights are compared. */
interface Places {
  readonly groups: readonly GroupPair[]
  readonly templates: readonly TemplatePair[]
}

/** A template of both revisions that names people in one of them. */
type TemplatePair = Readonly<Record<'before' | 'after', TemplateFacts>>

function templatePairs(before: SecurityFacts, after: SecurityFacts): readonly TemplatePair[] {
  const former = new Map(before.templates.map((template) => [template.name, template]))
  return after.templates.flatMap((template) => {
    const other = former.get(template.name)
    const isAsked = other !== undefined && (namesPeople(other) || namesPeople(template))
    return isAsked ? [{ before: other, after: template }] : []
  })
}

/** A group of both revisions. */
interface GroupPair {
  readonly before: GroupFacts
  readonly after: GroupFacts
  /** Whether one gives other rights than the other. */
  readonly isChanged: boolean
}

function pairsOf(before: SecurityFacts, after: SecurityFacts): readonly GroupPair[] {
  const former = new Map(before.groups.map((group) => [group.name, group]))
  return after.groups.flatMap((group) => {
    const other = former.get(group.name)
    if (other === undefined) return []
    return [{ before: other, after: group, isChanged: rightsKey(other) !== rightsKey(group) }]
  })
}

/** Equal for groups that give the same rights, on whatever lines. */
function rightsKey(group: GroupFacts): string {
  const { view, operate, admins } = group.authorization ?? {}
  const stages = approvedStages(group).map(({ name, stage }) => [name, listKey(stage.approvers)])
  return JSON.stringify([listKey(view), listKey(operate), listKey(admins), stages])
}

function listKey(list: readonly ListedPrincipal[] | null | undefined) {
  return (list ?? []).map(({ kind, name }) => [kind, name])
}

function unionOf(one: readonly Person[], other: readonly Person[]): readonly Person[] {
  return inOrder([...new Map([...one, ...other].map((person) => [keyOf(person), person])).values()])
}

function keyOf({ kind, name, user }: Person): string {
  return `${kind} ${nameKey(name)} ${user.external?.source ?? ''}`
}

function hasSameRoles(had: Reasons, has: Reasons): boolean {
  const [before, after] = [had, has].map(({ roles }) => roles.map(nameKey).toSorted().join('\n'))
  return before === after
}

/** All that somebody gains and loses. */
interface Change {
  readonly gains: readonly RightChange[]
  readonly loses: readonly RightChange[]
}

function changeOf([had, has]: readonly [Reasons, Reasons], places: Places): Change | null {
  const gains = rightsBeside([had, has], places, 'after')
  const loses = rightsBeside([has, had], places, 'before')
  return gains.length + loses.length === 0 ? null : { gains, loses }
}

function keysOf({ gains, loses }: Change): readonly string[] {
  return [
    ...gains.map((change) => `gains ${keyOfRight(change)}`),
    ...loses.map((change) => `loses ${keyOfRight(change)}`),
  ]
}

function keyOfRight({ of, right }: RightChange): string {
  return `${right.right} ${of}`
}

/** Whether roles of somebody gain and lose the same, so that the rows of the roles tell it. */
function isOfRoles(
  keys: readonly string[],
  names: readonly string[],
  roles: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  return keys.every((key) => names.some((name) => roles.get(nameKey(name))?.has(key) === true))
}

function shownPerson({ gains, loses, ...person }: Omit<ChangedPerson, keyof Change> & Change) {
  return { ...person, gains: shownOf(gains), loses: shownOf(loses) }
}

function shownOf(changes: readonly RightChange[]): RightChanges {
  return {
    shown: changes.slice(0, MAX_CHANGES),
    more: Math.max(0, changes.length - MAX_CHANGES),
  }
}

/**
 * The rights of the second reasons that the first do not have. Who administers the server or a group
 * has all of it, which is told as one.
 */
function rightsBeside(
  [without, having]: readonly [Reasons, Reasons],
  { groups, templates }: Places,
  side: 'before' | 'after',
): RightChange[] {
  if (without.administers.length > 0) return []
  if (having.administers.length > 0) {
    return shownRights([['administer', having.administers]]).map((right) => ({
      of: 'the server',
      right,
      elsewhere: null,
    }))
  }
  const ofTemplates = templates.flatMap((pair) => {
    const [one, other] = side === 'after' ? [pair.after, pair.before] : [pair.before, pair.after]
    const rights = missing(rightsInTemplate(one, having), rightsInTemplate(other, without))
    return rights.map((right) => ({ of: `template ${one.name}`, right, elsewhere: null }))
  })
  const ofGroups = groups.flatMap((pair) => {
    const [group, other] = side === 'after' ? [pair.after, pair.before] : [pair.before, pair.after]
    const rights = missing(rightsIn(group, having), rightsIn(other, without)).map((right) => ({
      of: `group ${group.name}`,
      right,
      elsewhere: other.line ?? null,
    }))
    const all = rights.filter(({ right }) => right.right === 'administer')
    return all.length > 0 ? all : [...rights, ...stageRightsBeside([without, having], group, other)]
  })
  return [...ofGroups, ...ofTemplates]
}

/** Of the stages of both that name their approvers on either side. */
function stageRightsBeside(
  [without, having]: readonly [Reasons, Reasons],
  group: GroupFacts,
  other: GroupFacts,
): RightChange[] {
  const others = new Map(groupStages(other).map((stage) => [nameKey(stage.name), stage]))
  return groupStages(group).flatMap((stage) => {
    const same = others.get(nameKey(stage.name))
    if (same === undefined || !(namesApprovers(stage) || namesApprovers(same))) return []
    if (reasonsIn(other, same, without).length > 0) return []
    return shownRights([['operate', reasonsIn(group, stage, having)]]).map((right) => ({
      of: `stage ${stage.name}`,
      right,
      elsewhere: other.line ?? null,
    }))
  })
}

function namesApprovers({ stage }: GroupStage): boolean {
  return stage.approvers.length > 0
}

/** A stage that names no approvers is as its pipeline. */
function reasonsIn(group: GroupFacts, stage: GroupStage, reasons: Reasons): readonly Reason[] {
  return namesApprovers(stage) ? reasons.inStage(group, stage) : reasons.inGroup(group).operate
}

function missing(
  rights: readonly ShownRight[],
  others: readonly ShownRight[],
): readonly ShownRight[] {
  return rights.filter(({ right }) => others.every((other) => other.right !== right))
}
