import type { ChangeKind, DocumentChange, LineSpan } from '../document/entities/change.ts'
import { foldEntity } from '../document/entities/entities.ts'
import { entitiesOf, formerNameOf } from '../document/changes/entities-of.ts'
import { renderCheckedLine } from '../lib/checked-lines.ts'
import { type CommitSha, isCommitSha } from '../core/revision.ts'

/** What a revision changed in the one upon which it came, in the form to be stored. */
export interface RevisionChanges {
  readonly commit: CommitSha
  /** The revision upon which it came, along first parents; null for the first. */
  readonly previous: CommitSha | null
  /** The changed entities, in folded spelling. */
  readonly entities: readonly string[]
  /** The new and the former names of renamed entities, also folded. */
  readonly renames: readonly (readonly [name: string, former: string])[]
  /** The changes in stored form, for {@link parseChanges}. */
  readonly changes: string
}

const KINDS: ReadonlySet<unknown> = new Set<ChangeKind>([
  'added',
  'removed',
  'renamed',
  'changed',
  'reordered',
  'reformatted',
])

type Row = readonly [
  CommitSha,
  CommitSha | null,
  readonly string[],
  readonly (readonly [string, string])[],
  string,
]

export function changesOfRevision(
  { commit, previous }: Pick<RevisionChanges, 'commit' | 'previous'>,
  changes: readonly DocumentChange[],
): RevisionChanges {
  const entities = foldedEntitiesOf(changes)
  const renames = changes.flatMap((change) => {
    const former = formerNameOf(change)
    return former === null ? [] : [[foldEntity(change.entity), foldEntity(former)] as const]
  })
  return { commit, previous, entities, renames, changes: JSON.stringify(changes) }
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

/** In the text of the changes: the entity and the label of one, both as JSON. */
const ENTITY_AND_LABEL = /"entity":("(?:[^"\\]|\\.)*"),"label":("(?:[^"\\]|\\.)*")/g

/**
 * The labels of the changed entities in stored changes, by folded spelling. Looks for them in the
 * text: to parse thousands of changes for their labels alone takes long.
 */
export function labelsOf(stored: string): ReadonlyMap<string, string> {
  const found = Array.from(stored.matchAll(ENTITY_AND_LABEL), ([, entity = '', label = '']) => {
    return [foldEntity(unquoted(entity)), unquoted(label)] as const
  })
  return new Map(found)
}

/** A string in JSON; nearly all are as they are between their quotes. */
function unquoted(json: string): string {
  return json.includes('\\') ? String(JSON.parse(json)) : json.slice(1, -1)
}

/** Renders the line of a file, with a checksum in front. */
export function renderRevisionChanges({
  commit,
  previous,
  entities,
  renames,
  changes,
}: RevisionChanges): string {
  return renderCheckedLine(JSON.stringify([commit, previous, entities, renames, changes]))
}

/** Parses such a line; null for another format. */
export function parseRevisionChanges(text: string): RevisionChanges | null {
  const row: unknown = JSON.parse(text)
  if (!isRow(row)) return null
  const [commit, previous, entities, renames, changes] = row
  return { commit, previous, entities, renames, changes }
}

/** Checked by hand: with a line for every revision, zod would double the time of a start. */
function isRow(value: unknown): value is Row {
  if (!Array.isArray(value) || value.length !== 5) return false
  const [commit, previous, entities, renames, changes] = value
  return (
    isCommitSha(commit) &&
    (previous === null || isCommitSha(previous)) &&
    isStrings(entities) &&
    Array.isArray(renames) &&
    renames.every((each) => isStrings(each) && each.length === 2) &&
    typeof changes === 'string'
  )
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
