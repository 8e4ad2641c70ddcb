import type { DocumentChange } from '../../document/entities/change.ts'
import { splitEntity, wholeEntityWord } from '../../document/entities/entities.ts'

export interface ChangedEntity {
  readonly kind: string
  readonly name: string
  readonly label: string
}

/** Changes of one entity, or those that several of a kind have in common; of the document without any. */
export interface ChangeGroup {
  readonly entities: readonly ChangedEntity[]
  /** How many more entities have these changes. */
  readonly unnamed: number
  readonly changes: readonly DocumentChange[]
}

/** The changes that a list shows. */
export interface ListedChanges {
  readonly groups: readonly ChangeGroup[]
  /** How many changes it leaves out. */
  readonly left: number
}

/** At most so many of the entities that changes have in common are named. */
const MAX_NAMED = 100
/** As many entities of a kind need the same change for it to be said once. */
const MIN_IN_COMMON = 3
/** How many changes are looked at in one step. */
const STEP = 1_000

/**
 * The first changes, at most so many, by entity; what several have in common counts once. In steps,
 * because a revision may have tens of thousands of changes to choose them from.
 */
export function* listChanges(
  changes: readonly DocumentChange[],
  most: number,
): Generator<unknown, ListedChanges> {
  const groups = shownOf(yield* groupsOf(changes), most)
  return { groups, left: changes.length - countIn(groups) }
}

/** The first of listed changes, at most so many. */
export function firstListed({ groups, left }: ListedChanges, most: number): ListedChanges {
  const shown = shownOf(groups, most)
  return { groups: shown, left: left + countIn(groups) - countIn(shown) }
}

export function isAboutAll(change: DocumentChange): boolean {
  return wholeEntityWord(change) !== null
}

function shownOf(groups: readonly ChangeGroup[], most: number): ChangeGroup[] {
  let room = most
  return groups.flatMap((group) => {
    const changes = group.changes.slice(0, Math.max(0, room))
    room -= changes.length
    return changes.length === 0 ? [] : [{ ...group, changes }]
  })
}

function countIn(groups: readonly ChangeGroup[]): number {
  return groups.reduce((sum, group) => sum + countOf(group), 0)
}

function countOf({ entities, unnamed, changes }: ChangeGroup): number {
  return changes.length * Math.max(1, entities.length + unnamed)
}

interface OpenGroup {
  readonly entities: Map<string, ChangedEntity>
  readonly changes: Map<string, DocumentChange>
}

/**
 * Groups the changes by entity, in the order of the first change of each. The changes that several
 * entities have in common are a group of their own.
 */
function* groupsOf(changes: readonly DocumentChange[]): Generator<unknown, ChangeGroup[]> {
  const signatures: string[] = []
  for (const change of changes) {
    if (signatures.push(isShareable(change) ? signatureOf(change) : '') % STEP === 0) yield
  }
  const common = commonOf(changes, signatures)
  const groups = new Map<string, OpenGroup>()
  for (const [n, change] of changes.entries()) {
    const signature = signatures[n] ?? ''
    const together = common.get(signature)
    const key = together ?? change.entity
    const group: OpenGroup = groups.get(key) ?? { entities: new Map(), changes: new Map() }
    const entity = entityOf(change)
    if (entity !== null) group.entities.set(change.entity, entity)
    group.changes.set(together === undefined ? `${group.changes.size}` : signature, change)
    groups.set(key, group)
    if (n % STEP === 0) yield
  }
  return Array.from(groups.values(), (group) => {
    const entities = [...group.entities.values()]
    const named = entities.slice(0, MAX_NAMED)
    const unnamed = entities.length - named.length
    return { entities: named, unnamed, changes: [...group.changes.values()] }
  })
}

/** The names of the entities that have a change in common, as one text, by its signature. */
function commonOf(
  changes: readonly DocumentChange[],
  signatures: readonly string[],
): ReadonlyMap<string, string> {
  const sharing = new Map<string, Set<string>>()
  for (const [n, { entity }] of changes.entries()) {
    const signature = signatures[n] ?? ''
    if (signature === '') continue
    const entities = sharing.get(signature) ?? new Set()
    sharing.set(signature, entities.add(entity))
  }
  const common = [...sharing].filter(([, entities]) => entities.size >= MIN_IN_COMMON)
  return new Map(common.map(([signature, entities]) => [signature, [...entities].join('\n')]))
}

/** A change of a whole entity, or of the document, is not shared with others. */
function isShareable(change: DocumentChange): boolean {
  return change.entity !== 'document' && !isAboutAll(change)
}

/** Equal for the same change of two entities of one kind; the empty one is that of no other. */
function signatureOf({ kind, entity, path, subject, from, to, lines }: DocumentChange): string {
  const of = entity.slice(0, entity.indexOf('/'))
  return JSON.stringify([of, kind, path, subject, from, to, lines])
}

/** Null for a change of the document as a whole. */
function entityOf({ entity, label }: DocumentChange): ChangedEntity | null {
  if (entity === 'document') return null
  const { kind, name } = splitEntity(entity)
  return { kind, name, label: name === '' ? '' : label }
}
