import { z } from 'zod'
import type { DocumentChange } from '../../document/entities/change.ts'
import { foldEntity } from '../../document/entities/entities.ts'
import { entitiesOf, formerNameOf } from '../../document/changes/entities-of.ts'
import { renderCheckedLine } from '../../lib/checked-lines.ts'
import type { CommitSha } from '../../core/revision.ts'

/** What a revision changed in the one before it, in the form to be stored. */
export interface RevisionChanges {
  readonly commit: CommitSha
  /** The revision before; null for the first. */
  readonly previous: CommitSha | null
  /** The changed entities, in folded spelling. */
  readonly entities: readonly string[]
  /** The new and the former names of renamed entities, also folded. */
  readonly renames: readonly (readonly [name: string, former: string])[]
  /** The changes as JSON, parsed on demand. */
  readonly changes: string
}

const SHA = /^[0-9a-f]{40}$/

const Lines = z.object({ first: z.int(), last: z.int() })

const Changes = z.array(
  z.object({
    kind: z.enum(['added', 'removed', 'renamed', 'changed', 'reordered', 'reformatted']),
    entity: z.string(),
    label: z.string(),
    path: z.array(z.string()),
    subject: z.string(),
    from: z.string().exactOptional(),
    to: z.string().exactOptional(),
    lines: z.int().exactOptional(),
    before: Lines.exactOptional(),
    after: Lines.exactOptional(),
  }),
)

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
  const entities = [...new Set(entitiesOf(changes).map(foldEntity))]
  const renames = changes.flatMap((change) => {
    const former = formerNameOf(change)
    return former === null ? [] : [[foldEntity(change.entity), foldEntity(former)] as const]
  })
  return { commit, previous, entities, renames, changes: JSON.stringify(changes) }
}

export function changesOf({ changes }: RevisionChanges): readonly DocumentChange[] {
  return parseChanges(changes)
}

/** Parses changes in stored form. */
export function parseChanges(stored: string): readonly DocumentChange[] {
  return Changes.parse(JSON.parse(stored))
}

/** In the text of the changes: the entity and the label of one, both as JSON. */
const ENTITY_AND_LABEL = /"entity":("(?:[^"\\]|\\.)*"),"label":("(?:[^"\\]|\\.)*")/g

/**
 * The labels of the changed entities, by folded spelling. Looks for them in the text: to parse
 * thousands of changes for their labels alone takes long.
 */
export function labelsOf({ changes }: RevisionChanges): ReadonlyMap<string, string> {
  const found = Array.from(changes.matchAll(ENTITY_AND_LABEL), ([, entity = '', label = '']) => {
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
    isSha(commit) &&
    (previous === null || isSha(previous)) &&
    isStrings(entities) &&
    Array.isArray(renames) &&
    renames.every((each) => isStrings(each) && each.length === 2) &&
    typeof changes === 'string'
  )
}

function isSha(value: unknown): value is CommitSha {
  return typeof value === 'string' && SHA.test(value)
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
