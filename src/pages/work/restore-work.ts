import { findNamedEntity } from '../../document/entities/entities.ts'
import { type EntityNames, restoreEntities } from '../../document/edit/restore-entities.ts'
import { readXml } from '../../document/xml/xml-reader.ts'
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
