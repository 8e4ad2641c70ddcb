import { join } from 'node:path'
import { allOf } from '../../lib/all-of.ts'
import { Turns } from '../../lib/cooperative.ts'
import { PendingResources } from '../../lib/resources.ts'
import { syncFolder } from '../../storage/sync-folder.ts'
import { DELTA_DEPTH } from '../empty-repository.ts'
import type { GitStore } from '../git-store.ts'
import type { ObjectFormat } from '../object-format.ts'
import { deflated } from '../objects/deflate.ts'
import { ObjectDraft } from '../objects/object-file.ts'
import type { NamedObject } from '../objects/raw-object.ts'
import { renderDelta } from './delta.ts'
import { PACK_HEADER_BYTES } from './pack-entries.ts'
import { type PlacedEntry, renderPackIndex } from './pack-index.ts'
import { deltaEntry, renderPack, wholeEntry } from './render-pack.ts'

/** A document that others may be deltas of, and how many have to be undone for it. */
interface Base {
  readonly object: NamedObject
  readonly depth: number
}

/** A pack in the form of its two files. */
export interface PackFiles {
  /** Their common name, without its ending. */
  readonly name: string
  readonly pack: Uint8Array
  readonly index: Uint8Array
}

/** A pack of objects, of which older ones come first. */
export async function packOf(
  objects: readonly NamedObject[],
  format: ObjectFormat,
): Promise<PackFiles> {
  const entries = await placedEntries(objects)
  const parts = entries.map(({ bytes }) => bytes)
  const pack = renderPack(parts, format)
  const digest = pack.subarray(-format.bytes)
  const name = `pack-${digest.toString('hex')}`
  return { name, pack, index: renderPackIndex(entries, digest, format) }
}

/**
 * Writes a pack: as many syncs for a hundred objects as for one. They survive a power cut once this
 * returns.
 */
export async function writePack(
  { fs, gitDir }: GitStore,
  { name, pack, index }: PackFiles,
): Promise<void> {
  const folder = join(gitDir, 'objects', 'pack')
  await using resources = new PendingResources()
  const drafts = await allOf([
    resources.take(
      ObjectDraft.write(fs, { kind: 'pack', folder, name: `${name}.pack`, bytes: pack }),
    ),
    resources.take(
      ObjectDraft.write(fs, { kind: 'idx', folder, name: `${name}.idx`, bytes: index }),
    ),
  ])
  const folders: string[] = []
  // Git takes a pack for whole as soon as it has an index.
  for (const draft of drafts) folders.push(...(await draft.place()))
  for (const changed of new Set(folders)) await syncFolder(fs, changed)
}

/**
 * Each object once, as git allows no other. Documents of a group mostly differ by one edit: the newest
 * is whole, and each other one a delta of the next. Others get their turns between.
 */
async function placedEntries(objects: readonly NamedObject[]): Promise<readonly PlacedEntry[]> {
  const once = [...new Map(objects.map((object) => [object.oid, object])).values()]
  const entries: PlacedEntry[] = []
  const turns = new Turns()
  let newer: Base | null = null
  let offset = PACK_HEADER_BYTES
  for (const object of once.toReversed()) {
    if (turns.isOver) await turns.next()
    const delta: Uint8Array | null = newer && deltaFrom(newer, object)
    const bytes = newer && delta ? await deltaBytes(newer, delta) : await wholeBytes(object)
    if (object.type === 'blob') newer = { object, depth: newer && delta ? newer.depth + 1 : 0 }
    entries.push({ oid: object.oid, bytes, offset })
    offset += bytes.length
  }
  return entries
}

function deltaFrom({ object, depth }: Base, { type, content }: NamedObject): Uint8Array | null {
  return type === 'blob' && depth < DELTA_DEPTH ? renderDelta(object.content, content) : null
}

async function deltaBytes({ object }: Base, delta: Uint8Array): Promise<Uint8Array> {
  return deltaEntry(object.oid, delta.length, await deflated([delta]))
}

async function wholeBytes({ type, content }: NamedObject): Promise<Uint8Array> {
  return wholeEntry(type, content.length, await deflated([content]))
}
