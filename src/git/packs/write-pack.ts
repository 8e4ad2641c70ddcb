import { join } from 'node:path'
import { allOf } from '../../lib/all-of.ts'
import { Turns } from '../../lib/cooperative.ts'
import { PendingResources } from '../../lib/resources.ts'
import { syncFolder } from '../../storage/sync-folder.ts'
import type { GitStore } from '../git-store.ts'
import type { ObjectFormat } from '../object-format.ts'
import { deflated } from '../objects/deflate.ts'
import { ObjectDraft } from '../objects/object-file.ts'
import type { NamedObject } from '../objects/raw-object.ts'
import { PACK_HEADER_BYTES } from './pack-entries.ts'
import { type PlacedEntry, renderPackIndex } from './pack-index.ts'
import { renderPack, wholeEntry } from './render-pack.ts'

/**
 * Writes objects as one pack: as many syncs for a hundred objects as for one. They survive a power
 * cut once this returns.
 */
export async function writePack(
  { fs, gitDir }: GitStore,
  objects: readonly NamedObject[],
  format: ObjectFormat,
): Promise<void> {
  const folder = join(gitDir, 'objects', 'pack')
  const { pack, index, name } = await renderFiles(objects, format)
  await using resources = new PendingResources()
  const drafts = await allOf([
    resources.take(ObjectDraft.write(fs, { ...pack, folder, name: `${name}.pack` })),
    resources.take(ObjectDraft.write(fs, { ...index, folder, name: `${name}.idx` })),
  ])
  const folders: string[] = []
  // Git takes a pack for whole as soon as it has an index.
  for (const draft of drafts) folders.push(...(await draft.place()))
  for (const changed of new Set(folders)) await syncFolder(fs, changed)
}

async function renderFiles(objects: readonly NamedObject[], format: ObjectFormat) {
  const entries = await placedEntries(objects)
  const parts = entries.map(({ bytes }) => bytes)
  const pack = renderPack(parts, format)
  const digest = pack.subarray(-format.bytes)
  return {
    name: `pack-${digest.toString('hex')}`,
    pack: { kind: 'pack', bytes: pack },
    index: { kind: 'idx', bytes: renderPackIndex(entries, digest, format) },
  } as const
}

/** Each object once, as git allows no other; with turns for others, as a group has many documents. */
async function placedEntries(objects: readonly NamedObject[]): Promise<readonly PlacedEntry[]> {
  const entries: PlacedEntry[] = []
  const turns = new Turns()
  let offset = PACK_HEADER_BYTES
  const once = new Map(objects.map((object) => [object.oid, object]))
  for (const { oid, type, content } of once.values()) {
    if (turns.isOver) await turns.next()
    const bytes = wholeEntry(type, content.length, await deflated([content]))
    entries.push({ oid, bytes, offset })
    offset += bytes.length
  }
  return entries
}
