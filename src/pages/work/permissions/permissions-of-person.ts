import { approvedStages, type KnownUser } from '../../../security/permission-reasons.ts'
import { nameKey } from '../../../core/name-key.ts'
import type { SecurityFacts } from '../../../security/security-facts.ts'
import { bearerOf, EVERYONE, type KnownPeople, ReasonsOfPeople } from './person.ts'
import { readSecurity } from './read-security.ts'
import {
  type RightName,
  rightsIn,
  rightsInTemplate,
  type ShownRight,
  shownRights,
} from './permissions-table.ts'

export interface PersonRequest {
  readonly document: Uint8Array
  readonly known: KnownPeople
  readonly user: KnownUser
}

/** A group or a template with which somebody may do something. */
export interface GroupOfPerson {
  readonly kind: 'group' | 'template'
  readonly name: string
  readonly line: number | null
  readonly rights: readonly ShownRight[]
  /** The stages whose approvers the person is one of. */
  readonly stages: readonly { readonly name: string; readonly right: ShownRight }[]
  /** How many more such stages there are. */
  readonly moreStages: number
}

/** A role of the configuration, and what it gives beside what every user may do. */
export interface RoleOfPerson {
  readonly name: string
  readonly hasPerson: boolean
  /** Whether it makes an administrator of the server. */
  readonly administers: boolean
  /** The groups in which it gives a right. */
  readonly gives: readonly (readonly [right: RightName, groups: readonly string[]])[]
}

/** The permissions of one person, and the entries that grant them. */
export interface PermissionsOfPerson {
  readonly administers: ShownRight | null
  readonly groups: readonly GroupOfPerson[]
  /** With how many groups and templates the person may do something. */
  readonly total: number
  /** The roles of the person, then others. */
  readonly roles: readonly RoleOfPerson[]
  /** How many more roles there are. */
  readonly moreRoles: number
}

const MAX_GROUPS = 50
const MAX_STAGES = 20
const MAX_ROLES = 50

/** The permissions of a person by a document; null for one that is no configuration. */
export function permissionsOfPerson({
  document,
  known,
  user,
}: PersonRequest): PermissionsOfPerson | null {
  const facts = readSecurity(document)
  if (facts === null) return null
  const people = new ReasonsOfPeople(facts, known)
  const reasons = people.of({ user })
  const [administers = null] = shownRights([['administer', reasons.administers]])
  const rolesFirst = rolesOfPerson(facts, new Set(reasons.roles.map(nameKey)))
  const roles = {
    roles: rolesFirst
      .slice(0, MAX_ROLES)
      .map((role) => ({ ...role, ...given(facts, people, role) })),
    moreRoles: Math.max(0, rolesFirst.length - MAX_ROLES),
  }
  if (administers !== null) return { administers, groups: [], total: 0, ...roles }
  const groups = facts.groups.map((group) => {
    const stages = approvedStages(group).flatMap((stage) =>
      shownRights([['operate', reasons.inStage(group, stage)]]).map((right) => ({
        name: stage.name,
        right,
      })),
    )
    return {
      kind: 'group' as const,
      name: group.name,
      line: group.line ?? null,
      rights: rightsIn(group, reasons),
      stages: stages.slice(0, MAX_STAGES),
      moreStages: Math.max(0, stages.length - MAX_STAGES),
    }
  })
  const templates = facts.templates.map((template) => ({
    kind: 'template' as const,
    name: template.name,
    line: null,
    rights: rightsInTemplate(template, reasons),
    stages: [],
    moreStages: 0,
  }))
  const permitted = [...groups, ...templates].filter(
    ({ rights, stages }) => rights.length + stages.length > 0,
  )
  return { administers, groups: permitted.slice(0, MAX_GROUPS), total: permitted.length, ...roles }
}

function rolesOfPerson({ roles }: SecurityFacts, own: ReadonlySet<string>) {
  const named = roles.map(({ name }) => ({ name, hasPerson: own.has(nameKey(name)) }))
  return named.toSorted((one, other) => Number(other.hasPerson) - Number(one.hasPerson))
}

const RIGHTS = ['view', 'operate', 'administer'] as const

function given(facts: SecurityFacts, people: ReasonsOfPeople, { name }: { readonly name: string }) {
  const bearer = people.of(bearerOf(name))
  const everyone = people.of(EVERYONE)
  const gives = RIGHTS.map((right) => {
    const groups = facts.groups.filter(
      (group) =>
        bearer.inGroup(group)[right].length > 0 && everyone.inGroup(group)[right].length === 0,
    )
    return [right, groups.map((group) => group.name)] as const
  })
  return {
    administers: bearer.administers.length > 0,
    gives: gives.filter(([, groups]) => groups.length > 0),
  }
}
