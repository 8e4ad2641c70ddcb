import type { DocumentChange } from '../../document/entities/change.ts'
import { formerNameOf } from '../../document/changes/entities-of.ts'
import { findNamedEntity } from '../../document/entities/entities.ts'
import { type EntityNames, restoreEntities } from '../../document/edit/restore-entities.ts'
import { readXml } from '../../document/xml/xml-reader.ts'
import { mergeTexts } from '../../diff/merge.ts'
import { runSync } from '../../lib/cooperative.ts'

export interface EntityRestoreRequest {
  readonly current: Uint8Array
  readonly older: Uint8Array
  readonly names: EntityNames
}

export type EntityRestore =
  | { readonly kind: 'restored'; readonly document: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'current-unreadable' | 'older-unreadable' | 'absent' | 'no-place' }

/** The current document with one entity replaced by its older version. */
export function restoreEntity({ names, ...documents }: EntityRestoreRequest): EntityRestore {
  const [current, older] = [runSync(readXml(documents.current)), runSync(readXml(documents.older))]
  if (!current.ok) return { kind: 'current-unreadable' }
  if (!older.ok) return { kind: 'older-unreadable' }
  if (findNamedEntity(older.root, names.past) === null) return { kind: 'absent' }
  const text = restoreEntities({ current, older }, [names])
  if (text === null) return { kind: 'no-place' }
  return { kind: 'restored', document: new Uint8Array(Buffer.from(text)) }
}

export interface UndoRequest {
  /** The base of the change, its result, and the current document. */
  readonly ours: Uint8Array
  readonly base: Uint8Array
  readonly theirs: Uint8Array
  readonly done: readonly DocumentChange[]
}

/** The current document without a change; `inseparable` where other changes are too close to it. */
export type Undoing =
  | { readonly kind: 'undone'; readonly document: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'inseparable' }

/** Merges by lines where possible; where other changes touch them, replaces whole entities. */
export function undoChange(request: UndoRequest): Undoing {
  const merge = mergeTexts(request)
  if (merge.clean) return { kind: 'undone', document: new Uint8Array(merge.merged) }
  const text = withoutEntities(request)
  if (text === null) return { kind: 'inseparable' }
  return { kind: 'undone', document: new Uint8Array(Buffer.from(text)) }
}

function withoutEntities({ done, ...texts }: UndoRequest): string | null {
  const [older, newer, current] = [
    runSync(readXml(texts.ours)),
    runSync(readXml(texts.base)),
    runSync(readXml(texts.theirs)),
  ]
  if (!older.ok || !newer.ok || !current.ok) return null
  const names = namesIn(done)
  const isWhole = ({ now, past }: EntityNames) => {
    const [after, before] = [findNamedEntity(newer.root, now), findNamedEntity(older.root, past)]
    if (after === null || before === null) return after !== before
    return after.kind.prefix !== 'group' && !done.some((change) => isMove(change, now))
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

function isMove({ entity, path, subject }: DocumentChange, name: string): boolean {
  return entity === name && path.length === 0 && subject === 'group'
}
