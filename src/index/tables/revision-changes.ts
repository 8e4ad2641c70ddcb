import type { ChangeKind, DocumentChange, LineSpan } from '../../document/entities/change.ts'
import { foldEntity, wholeEntityWord } from '../../document/entities/entities.ts'
import { entitiesOf, formerNameOf, isMove } from '../../document/changes/entities-of.ts'

/** The changes of a revision in the one upon which it came, in the form to be stored. */
export interface RevisionChanges {
  /** The labels of the changed entities, by their folded spelling; those that are gone may have none. */
  readonly entities: ReadonlyMap<string, string | null>
  /** The new and the former names of renamed entities, also folded. */
  readonly renames: readonly (readonly [name: string, former: string])[]
  /** The pipelines that left a group, removed or moved: their names then, and the groups, also folded. */
  readonly leaves: readonly (readonly [pipeline: string, group: string])[]
  /** The changes in stored form, for {@link parseChanges}. */
  readonly stored: string
}

const KINDS: ReadonlySet<unknown> = new Set<ChangeKind>([
  'added',
  'removed',
  'renamed',
  'changed',
  'reordered',
  'reformatted',
])

/** @param groups The groups of removed pipelines, by their folded names. */
export function changesOfRevision(
  changes: readonly DocumentChange[],
  groups: ReadonlyMap<string, string>,
): RevisionChanges {
  const labels = new Map(changes.map(({ entity, label }) => [foldEntity(entity), label]))
  const entities = new Map(
    foldedEntitiesOf(changes).map((entity) => [entity, labels.get(entity) ?? null]),
  )
  const renames = changes.flatMap((change) => {
    const former = formerNameOf(change)
    return former === null ? [] : [[foldEntity(change.entity), foldEntity(former)] as const]
  })
  const former = new Map(renames)
  const leaves = changes.flatMap((change) => {
    const pipeline = foldEntity(change.entity)
    const group = isRemovedPipeline(change) ? groups.get(pipeline) : groupLeft(change)
    if (group === undefined) return []
    return [[former.get(pipeline) ?? pipeline, foldEntity(`group/${group}`)] as const]
  })
  return { entities, renames, leaves, stored: JSON.stringify(changes) }
}

export function isRemovedPipeline(change: DocumentChange): boolean {
  return change.kind === 'removed' && wholeEntityWord(change) === 'pipeline'
}

/** The group that a pipeline was moved out of. */
function groupLeft(change: DocumentChange): string | undefined {
  return isMove(change) ? change.from : undefined
}

/** The entities of changes, each once. */
export function foldedEntitiesOf(changes: readonly DocumentChange[]): readonly string[] {
  return [...new Set(entitiesOf(changes).map(foldEntity))]
}

/**
 * Parses changes in stored form.
 *
 * @throws {TypeError} where they have another form.
 */
export function parseChanges(stored: string): readonly DocumentChange[] {
  const changes: unknown = JSON.parse(stored)
  if (Array.isArray(changes) && changes.every(isChange)) return changes
  throw new TypeError('The stored changes of a revision have another form')
}

/** A change that may be something else. */
type Unchecked = { readonly [Name in keyof DocumentChange]?: unknown }

/** Also by hand: zod would take twice the time of the parsing itself, in one piece for 70,000 changes. */
function isChange(value: unknown): value is DocumentChange {
  if (typeof value !== 'object' || value === null) return false
  const { kind, entity, label, path, subject, from, to, lines, before, after }: Unchecked = value
  return (
    KINDS.has(kind) &&
    isStrings([entity, label, subject]) &&
    isStrings(path) &&
    isStrings([from ?? '', to ?? '']) &&
    Number.isInteger(lines ?? 0) &&
    [before, after].every((span) => span === undefined || isLineSpan(span))
  )
}

function isLineSpan(value: unknown): value is LineSpan {
  if (typeof value !== 'object' || value === null) return false
  return (
    'first' in value &&
    Number.isInteger(value.first) &&
    'last' in value &&
    Number.isInteger(value.last)
  )
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
