import { LRUCache } from 'lru-cache'
import type { Digest } from '../../core/digest.ts'
import { changesAbout } from '../../document/changes/entities-of.ts'
import { ownChanges, type OwnScope } from '../../document/changes/own-changes.ts'
import { type OutlineEntry, outlineOf } from '../../document/entities/outline.ts'
import { readXml } from '../../document/xml/xml-reader.ts'
import { editScript } from '../../diff/edit-script.ts'
import { parseChanges } from '../../index/tables/revision-changes.ts'
import {
  compareDocuments,
  compareDocumentTexts,
  type ComparisonOptions,
  describeDocuments,
  type DocumentComparison,
  type DocumentTextComparison,
  type ScriptDeps,
} from '../code/comparison.ts'
import { type ShownChanges, shownChanges } from '../code/shown-changes.ts'
import { examineDraft, partOf } from './draft-examination.ts'
import { mergeByChoice, mergeEdit } from './edit-merge.ts'
import { undoChange } from './undo-work.ts'
import { permissionsChanges } from './permissions/permissions-changes.ts'
import { permissionsOfPerson } from './permissions/permissions-of-person.ts'
import { permissionsTable } from './permissions/permissions-table.ts'
import { type ShownLines, shownOutline, type ShownPlace } from './shown-outline.ts'
import { snapshotText } from './snapshot-text.ts'
import { runSync } from '../../lib/cooperative.ts'
import { type EntityNames, restoreEntityIn } from '../../document/edit/restore-entity.ts'

interface ComparisonRequest {
  readonly before: Uint8Array
  readonly after: Uint8Array
  readonly options: ComparisonOptions
}

/** Changes that are stored, or two documents that have to be compared. */
export type DescriptionRequest =
  | { readonly kind: 'stored'; readonly stored: string }
  | ({ readonly kind: 'compared' } & ComparisonRequest)

const AT_ONCE: ScriptDeps = {
  script: async (before, after, options) => editScript(before, after, options),
}

/** The changes of a revision, as the index stores them. */
interface StoredChanges {
  readonly stored: string
}

interface OutlineRequest {
  readonly document: Uint8Array
  /** Of a document that is asked for again: its outline is kept. */
  readonly digest?: Digest
  readonly page: ShownLines
}

/** The work of pages that is expensive for large documents. */
const PAGE_WORK = {
  compare: ({ before, after, options }: ComparisonRequest): Promise<DocumentComparison> =>
    compareDocuments(AT_ONCE, [before, after], options),
  compareTexts: ({ before, after, options }: ComparisonRequest): Promise<DocumentTextComparison> =>
    compareDocumentTexts(AT_ONCE, [before, after], options),
  describe,
  /** The changes about an entity in folded spelling. */
  changesAbout: ({ stored, entity }: StoredChanges & { readonly entity: string }) =>
    changesAbout(parseChanges(stored), entity),
  /** The changes of the part of the document that is seen. */
  ownChanges: ({ stored, ...scope }: StoredChanges & OwnScope) =>
    ownChanges(parseChanges(stored), scope),
  outline: ({ document, digest, page }: OutlineRequest): readonly ShownPlace[] | null => {
    const outline = keptOutline(document, digest)
    return outline && shownOutline(outline, page)
  },
  snapshotText,
  partOf,
  examineDraft,
  mergeEdit,
  mergeByChoice,
  restoreEntity,
  undoChange,
  permissionsTable,
  permissionsChanges,
  permissionsOfPerson,
}

type PageWork = typeof PAGE_WORK
export type PageWorkName = keyof PageWork
/** The input of each kind of work. */
export type PageRequests = { readonly [Name in PageWorkName]: Parameters<PageWork[Name]>[0] }
/** The result of each kind of work. */
export type PageResults = {
  readonly [Name in PageWorkName]: Awaited<ReturnType<PageWork[Name]>>
}

/** One request for the worker. */
export interface PageJob<Name extends PageWorkName = PageWorkName> {
  readonly name: Name
  readonly request: PageRequests[Name]
}

/** The outlines of the documents that were looked at last; null of one that is not readable XML. */
const outlines = new LRUCache<Digest, { readonly outline: readonly OutlineEntry[] | null }>({
  max: 4,
})

function keptOutline(document: Uint8Array, digest: Digest | undefined) {
  const kept = digest && outlines.get(digest)
  if (kept) return kept.outline
  const xml = runSync(readXml(document))
  const outline = xml.ok ? outlineOf(xml) : null
  if (digest) outlines.set(digest, { outline })
  return outline
}

async function describe(request: DescriptionRequest): Promise<ShownChanges | null> {
  if (request.kind === 'stored') return shownChanges(parseChanges(request.stored))
  const { before, after, options } = request
  const changes = await describeDocuments(AT_ONCE, [before, after], options)
  return changes && shownChanges(changes)
}

export async function doPageWork<Name extends PageWorkName>({
  name,
  request,
}: PageJob<Name>): Promise<PageResults[Name]> {
  const work: {
    readonly [Each in PageWorkName]: (
      given: PageRequests[Each],
    ) => PageResults[Each] | Promise<PageResults[Each]>
  } = PAGE_WORK
  return work[name](request)
}

interface EntityRestoreRequest {
  readonly current: Uint8Array
  readonly older: Uint8Array
  readonly names: EntityNames
}

type EntityRestore =
  | { readonly kind: 'restored'; readonly document: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'current-unreadable' | 'older-unreadable' | 'absent' }

/** The current document with one entity replaced by its older version. */
function restoreEntity({ names, ...documents }: EntityRestoreRequest): EntityRestore {
  const [current, older] = [runSync(readXml(documents.current)), runSync(readXml(documents.older))]
  if (!current.ok) return { kind: 'current-unreadable' }
  if (!older.ok) return { kind: 'older-unreadable' }
  const text = restoreEntityIn({ current, older }, names)
  if (text === null) return { kind: 'absent' }
  return { kind: 'restored', document: new Uint8Array(Buffer.from(text)) }
}
