import { nameKey } from '../../../core/name-key.ts'
import { approvedStages, type Reason, type Reasons } from '../../../security/permission-reasons.ts'
import type { GroupFacts, SecurityFacts, TemplateFacts } from '../../../security/security-facts.ts'
import {
  EVERYONE,
  everybodyIn,
  type KnownPeople,
  type RoleMember,
  membersOfRoles,
  ownEntriesIn,
  type Person,
  ReasonsOfPeople,
} from './person.ts'
import { readSecurity } from './read-security.ts'

export type RightName = 'view' | 'operate' | 'administer'

/** A right that somebody has, and some of the entries that give it. */
export interface ShownRight {
  readonly right: RightName
  readonly reasons: readonly Reason[]
  /** How many more entries give it. */
  readonly more: number
}

/** A group, a template that names who may do something with it, or a stage that names its approvers. */
export interface Column {
  readonly kind: 'group' | 'template' | 'stage'
  readonly name: string
  /** The line of the group; null for others. */
  readonly line: number | null
}

export interface PermissionCell {
  readonly rights: readonly ShownRight[]
  /** In a group: how many of its stages name the person, or a role of the person. */
  readonly stages: number
}

export interface PermissionRow extends Pick<Person, 'kind' | 'name' | 'isKnown'> {
  readonly roles: readonly string[]
  readonly members: RoleMembers
  /** By what the person administers the server; the row has no cells then. */
  readonly administers: ShownRight | null
  readonly cells: readonly PermissionCell[]
}

/** Some of the users of a role; nobody beside a user. */
export interface RoleMembers {
  readonly shown: readonly RoleMember[]
  readonly total: number
}

/** The requested part of the table. */
export interface TableQuery {
  /** A part of the names of people and roles. Where it is empty, users are told by their roles. */
  readonly people: string
  /** A part of the names of groups. */
  readonly groups: string
  /** The group whose stages are shown; null for all groups. */
  readonly group: string | null
  /** The first row and the first column, from 0. */
  readonly offset: number
  readonly column: number
}

export interface TableRequest {
  readonly document: Uint8Array
  readonly known: KnownPeople
  readonly query: TableQuery
}

export interface PermissionsTable {
  readonly columns: readonly Column[]
  /** How many columns there are. */
  readonly width: number
  readonly rows: readonly PermissionRow[]
  /** How many rows there are. */
  readonly height: number
  /** How many others match and may do nothing in the group; 0 where all groups are shown. */
  readonly without: number
}

export const TABLE_ROWS = 25
export const TABLE_COLUMNS = 10
/** Of each role. */
const MAX_MEMBERS = 50
/** How many entries are named for one right. */
const MAX_REASONS = 3

/**
 * People and roles against groups, or against the stages of one group; null for a document that is
 * no configuration, `no-group` where it has no group of that name.
 */
export function permissionsTable({
  document,
  known,
  query,
}: TableRequest): PermissionsTable | 'no-group' | null {
  const facts = readSecurity(document)
  if (facts === null) return null
  const asked = columnsOf(facts, query)
  if (asked === null) return 'no-group'
  const reasonsOf = new ReasonsOfPeople(facts, known)
  const wanted = query.people.trim().toLowerCase()
  const matching = everybodyIn(facts, known).filter(({ name }) =>
    name.toLowerCase().includes(wanted),
  )
  const members = membersOfRoles(facts, known)
  const shown = asked.slice(query.column, query.column + TABLE_COLUMNS)
  const rowOf = (person: Person): PermissionRow => ({
    ...rowWith(person, reasonsOf.of(person), shown),
    members: membersOf(person, members),
  })
  const isEntitled = (person: Person) => {
    const { administers, cells } = rowWith(person, reasonsOf.of(person), asked)
    return administers !== null || cells.some(({ rights }) => rights.length > 0)
  }
  const entitled = query.group === null ? matching : matching.filter(isEntitled)
  const listed =
    wanted === '' ? folded(entitled, reasonsOf, [EVERYONE].filter(isEntitled)) : entitled
  return {
    columns: shown.map(({ column }) => column),
    width: asked.length,
    rows: listed.slice(query.offset, query.offset + TABLE_ROWS).map(rowOf),
    height: listed.length,
    without: matching.length - entitled.length,
  }
}

/** Without the users who may do what their roles and every user may, and no more. */
function folded(
  people: readonly Person[],
  reasonsOf: ReasonsOfPeople,
  everyone: readonly Person[],
): readonly Person[] {
  const own = ownEntriesIn(reasonsOf.facts)
  const told = people.filter(
    (person) =>
      person.kind === 'role' || own.has(nameKey(person.name)) || reasonsOf.isLastResort(person),
  )
  return [...everyone, ...told]
}

export function membersOf(
  { kind, name }: Pick<Person, 'kind' | 'name'>,
  members: ReadonlyMap<string, readonly RoleMember[]>,
): RoleMembers {
  const all = kind === 'role' ? (members.get(nameKey(name)) ?? []) : []
  return { shown: all.slice(0, MAX_MEMBERS), total: all.length }
}

interface AskedColumn {
  readonly column: Column
  readonly cellOf: (reasons: Reasons) => PermissionCell
}

function columnsOf(
  { groups, templates }: SecurityFacts,
  query: TableQuery,
): readonly AskedColumn[] | null {
  if (query.group === null) {
    const wanted = query.groups.trim().toLowerCase()
    const isWanted = ({ name }: { readonly name: string }) => name.toLowerCase().includes(wanted)
    return [
      ...groups.filter(isWanted).map(groupColumn),
      ...templates.filter(namesPeople).filter(isWanted).map(templateColumn),
    ]
  }
  const group = groups.find(({ name }) => name === query.group)
  if (group === undefined) return null
  const stages = approvedStages(group).map((stage): AskedColumn => ({
    column: { kind: 'stage', name: stage.name, line: null },
    cellOf: (reasons) => ({
      rights: shownRights([['operate', reasons.inStage(group, stage)]]),
      stages: 0,
    }),
  }))
  return [groupColumn(group), ...stages]
}

function groupColumn(group: GroupFacts): AskedColumn {
  const { name, line = null } = group
  const stages = approvedStages(group)
  return {
    column: { kind: 'group', name, line },
    cellOf: (reasons) => ({
      rights: rightsIn(group, reasons),
      stages: stages.filter((stage) => reasons.inStage(group, stage).length > 0).length,
    }),
  }
}

/** Whether a template says itself who may do something with it. */
export function namesPeople({ admins, viewers }: TemplateFacts): boolean {
  return admins.length + viewers.length > 0
}

function templateColumn(template: TemplateFacts): AskedColumn {
  return {
    column: { kind: 'template', name: template.name, line: null },
    cellOf: (reasons) => ({ rights: rightsInTemplate(template, reasons), stages: 0 }),
  }
}

export function rightsInTemplate(template: TemplateFacts, reasons: Reasons): readonly ShownRight[] {
  const { view, administer } = reasons.inTemplate(template)
  return shownRights([
    ['view', view],
    ['administer', administer],
  ])
}

/** The permissions of a user in a group, with their reasons. */
export function rightsIn(group: GroupFacts, reasons: Reasons): readonly ShownRight[] {
  const { view, operate, administer } = reasons.inGroup(group)
  return shownRights([
    ['view', view],
    ['operate', operate],
    ['administer', administer],
  ])
}

export function shownRights(
  rights: readonly (readonly [RightName, readonly Reason[]])[],
): readonly ShownRight[] {
  return rights
    .filter(([, reasons]) => reasons.length > 0)
    .map(([right, reasons]) => ({
      right,
      reasons: reasons.slice(0, MAX_REASONS),
      more: Math.max(0, reasons.length - MAX_REASONS),
    }))
}

function rowWith(
  { kind, name, isKnown }: Person,
  reasons: Reasons,
  columns: readonly AskedColumn[],
): Omit<PermissionRow, 'members'> {
  const [administers = null] = shownRights([['administer', reasons.administers]])
  const cells = administers === null ? columns.map(({ cellOf }) => cellOf(reasons)) : []
  return { kind, name, isKnown, roles: reasons.roles, administers, cells }
}
