import { approvedStages, type KnownUser } from '../../../security/permission-reasons.ts'
import { type KnownPeople, ReasonsOfPeople } from './person.ts'
import { readSecurity } from './read-security.ts'
import { rightsIn, type ShownRight, shownRights } from './permissions-table.ts'

export interface PersonRequest {
  readonly document: Uint8Array
  readonly known: KnownPeople
  readonly user: KnownUser
}

/** A group in which somebody may do something. */
export interface GroupOfPerson {
  readonly name: string
  readonly line: number | null
  readonly rights: readonly ShownRight[]
  /** The stages whose approvers the person is one of. */
  readonly stages: readonly { readonly name: string; readonly right: ShownRight }[]
  /** How many more such stages there are. */
  readonly moreStages: number
}

/** The permissions of one person, and the entries that grant them. */
export interface PermissionsOfPerson {
  readonly administers: ShownRight | null
  readonly groups: readonly GroupOfPerson[]
  /** In how many groups the person may do something. */
  readonly total: number
}

const MAX_GROUPS = 50
const MAX_STAGES = 20

/** The permissions of a person by a document; null for one that is no configuration. */
export function permissionsOfPerson({
  document,
  known,
  user,
}: PersonRequest): PermissionsOfPerson | null {
  const facts = readSecurity(document)
  if (facts === null) return null
  const reasons = new ReasonsOfPeople(facts, known).of({ user })
  const [administers = null] = shownRights([['administer', reasons.administers]])
  if (administers !== null) return { administers, groups: [], total: 0 }
  const groups = facts.groups.map((group) => {
    const stages = approvedStages(group).flatMap((stage) =>
      shownRights([['operate', reasons.inStage(group, stage)]]).map((right) => ({
        name: stage.name,
        right,
      })),
    )
    return {
      name: group.name,
      line: group.line ?? null,
      rights: rightsIn(group, reasons),
      stages: stages.slice(0, MAX_STAGES),
      moreStages: Math.max(0, stages.length - MAX_STAGES),
    }
  })
  const permitted = groups.filter(({ rights, stages }) => rights.length + stages.length > 0)
  return { administers, groups: permitted.slice(0, MAX_GROUPS), total: permitted.length }
}
