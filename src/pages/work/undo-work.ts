import type { DocumentChange } from '../../document/entities/change.ts'
import { entitiesOf, formerNameOf } from '../../document/changes/entities-of.ts'
import { findNamedEntity, foldEntity } from '../../document/entities/entities.ts'
import { type EntityNames, restoreEntities } from '../../document/edit/restore-entities.ts'
import { readXml } from '../../document/xml/xml-reader.ts'
import { mergeTexts } from '../../diff/merge.ts'
import { parseChanges } from '../../configuration/changes/revision-changes.ts'
import { describeDocuments, type DocumentPair, type ScriptDeps } from '../code/comparison.ts'
import { PLAIN } from '../code/plain-options.ts'
import { runSync } from '../../lib/cooperative.ts'

export interface UndoRequest {
  /** The base of the change, its result, and the current document. */
  readonly ours: Uint8Array
  readonly base: Uint8Array
  readonly theirs: Uint8Array
  /** What it changed, in stored form, where that is known already. */
  readonly stored: string | null
}

/** The current document without a change, or what is in the way. */
export type Undoing =
  | { readonly kind: 'undone'; readonly document: Uint8Array<ArrayBuffer> }
  /** Too much differs to be described. */
  | { readonly kind: 'too-much' }
  | ChangedAgain
  /** Other changes are too close to it. */
  | { readonly kind: 'inseparable' }

/** Entities that it changed are no longer as it left them. */
export interface ChangedAgain {
  readonly kind: 'changed-again'
  /** In folded spelling. */
  readonly entities: readonly string[]
  /** The first of them in words, such as `The pipeline shop`. */
  readonly first: string
  readonly others: number
}

/**
 * A three-way merge by entities: each entity of the change must still be as the change left it.
 * Merges by lines where possible; where other changes touch them, replaces whole entities.
 */
export async function undoChange(deps: ScriptDeps, request: UndoRequest): Promise<Undoing> {
  const { ours, base, theirs, stored } = request
  const describe = (pair: DocumentPair) => describeDocuments(deps, pair, PLAIN)
  const done = stored === null ? await describe([ours, base]) : parseChanges(stored)
  const since = await describe([base, theirs])
  if (done === null || since === null) return { kind: 'too-much' }
  const again = changedAgain(done, since)
  if (again !== null) return again
  const merge = mergeTexts(request)
  if (merge.clean) return { kind: 'undone', document: new Uint8Array(merge.merged) }
  const text = withoutEntities(request, done)
  if (text === null) return { kind: 'inseparable' }
  return { kind: 'undone', document: new Uint8Array(Buffer.from(text)) }
}

function changedAgain(
  done: readonly DocumentChange[],
  since: readonly DocumentChange[],
): ChangedAgain | null {
  const changed = new Set(entitiesOf(done).map(foldEntity))
  const touchedBy = (change: DocumentChange) =>
    entitiesOf([change])
      .map(foldEntity)
      .filter((entity) => changed.has(entity))
  const touching = since.filter((change) => touchedBy(change).length > 0)
  const names = new Set(touching.map(nameOf))
  const [first] = names
  if (first === undefined) return null
  const entities = [...new Set(touching.flatMap(touchedBy))]
  return { kind: 'changed-again', entities, first, others: names.size - 1 }
}

function nameOf({ entity, label }: DocumentChange): string {
  const [kind = ''] = entity.split('/', 1)
  const word = kind === 'document' ? 'The' : `The ${kind}`
  return kind === label ? word : `${word} ${label}`
}

function withoutEntities(
  texts: Pick<UndoRequest, 'ours' | 'base' | 'theirs'>,
  done: readonly DocumentChange[],
): string | null {
  const [older, newer, current] = [
    runSync(readXml(texts.ours)),
    runSync(readXml(texts.base)),
    runSync(readXml(texts.theirs)),
  ]
  if (!older.ok || !newer.ok || !current.ok) return null
  const names = namesIn(done)
  const moved = new Set(done.filter(isMove).map(({ entity }) => entity))
  const isWhole = ({ now, past }: EntityNames) => {
    const [after, before] = [findNamedEntity(newer.root, now), findNamedEntity(older.root, past)]
    if (after === null || before === null) return after !== before
    return after.kind.prefix !== 'group' && !moved.has(now)
  }
  if (!names.every(isWhole)) return null
  return restoreEntities({ current, older }, names)
}

/** Each entity once, with its former name if it was renamed. */
function namesIn(changes: readonly DocumentChange[]): EntityNames[] {
  const names = new Map(changes.map(({ entity }) => [entity, entity]))
  for (const change of changes) {
    const past = formerNameOf(change)
    if (past !== null) names.set(change.entity, past)
  }
  return [...names].map(([now, past]) => ({ now, past }))
}

function isMove({ path, subject }: DocumentChange): boolean {
  return path.length === 0 && subject === 'group'
}
