import { LRUCache } from 'lru-cache'
import type { Digest } from '../../core/digest.ts'
import { changesAbout } from '../../document/changes/entities-of.ts'
import { ownChanges, type OwnScope } from '../../document/changes/own-changes.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
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
import { type DraftRequest, examineDraft, partOf, type PartRequest } from './draft-examination.ts'
import { type ChoiceRequest, type EditMerge, mergeByChoice, mergeEdit } from './edit-merge.ts'
import type { MergeRequest } from './merge-request.ts'
import { undoChange, type Undoing } from './undo-work.ts'
import { type ChangesRequest, permissionsChanges } from './permissions/permissions-changes.ts'
import { permissionsOfPerson, type PersonRequest } from './permissions/permissions-of-person.ts'
import { permissionsTable, type TableRequest } from './permissions/permissions-table.ts'
import { type ShownLines, shownOutline, type ShownPlace } from './shown-outline.ts'
import { snapshotText, type SnapshotText, type SnapshotTextRequest } from './snapshot-text.ts'
import { runSync } from '../../lib/cooperative.ts'
import { findNamedEntity } from '../../document/entities/entities.ts'
import { type EntityNames, restoreEntities } from '../../document/edit/restore-entities.ts'

export interface ComparisonRequest {
  readonly before: Uint8Array
  readonly after: Uint8Array
  readonly options: ComparisonOptions
}

/** Changes that are stored, or two documents that have to be compared. */
export type DescriptionRequest =
  | { readonly kind: 'stored'; readonly stored: string }
  | ({ readonly kind: 'compared' } & ComparisonRequest)

/** The changes of a revision in stored form, and the entity whose changes are wanted, in folded spelling. */
export interface StoredChangesRequest {
  readonly stored: string
  readonly entity: string
}

/** The changes of a revision in stored form, and the part of the document that is seen. */
export interface ScopedChangesRequest extends OwnScope {
  readonly stored: string
}

export interface OutlineRequest {
  readonly document: Uint8Array
  /** Of a document that is asked for again: its outline is kept. */
  readonly digest?: Digest
  readonly page: ShownLines
}

/** The input of each kind of work. */
export interface PageRequests {
  readonly compare: ComparisonRequest
  readonly compareTexts: ComparisonRequest
  readonly describe: DescriptionRequest
  readonly changesAbout: StoredChangesRequest
  readonly ownChanges: ScopedChangesRequest
  readonly outline: OutlineRequest
  readonly snapshotText: SnapshotTextRequest
  readonly partOf: PartRequest
  readonly examineDraft: DraftRequest
  readonly mergeEdit: MergeRequest
  readonly mergeByChoice: ChoiceRequest
  readonly restoreEntity: EntityRestoreRequest
  readonly undoChange: MergeRequest
  readonly permissionsTable: TableRequest
  readonly permissionsChanges: ChangesRequest
  readonly permissionsOfPerson: PersonRequest
}

/** The result of each kind of work. */
export interface PageResults {
  readonly compare: DocumentComparison
  readonly compareTexts: DocumentTextComparison
  readonly describe: ShownChanges | null
  readonly changesAbout: readonly DocumentChange[]
  readonly ownChanges: readonly DocumentChange[]
  readonly outline: readonly ShownPlace[] | null
  readonly snapshotText: SnapshotText
  readonly partOf: ReturnType<typeof partOf>
  readonly examineDraft: ReturnType<typeof examineDraft>
  readonly mergeEdit: EditMerge
  readonly mergeByChoice: Uint8Array<ArrayBuffer> | null
  readonly restoreEntity: EntityRestore
  readonly undoChange: Undoing
  readonly permissionsTable: ReturnType<typeof permissionsTable>
  readonly permissionsChanges: ReturnType<typeof permissionsChanges>
  readonly permissionsOfPerson: ReturnType<typeof permissionsOfPerson>
}

export type PageWorkName = keyof PageRequests

/** One request for the worker. */
export interface PageJob<Name extends PageWorkName = PageWorkName> {
  readonly name: Name
  readonly request: PageRequests[Name]
}

type PageWork = {
  readonly [Name in PageWorkName]: (
    request: PageRequests[Name],
  ) => PageResults[Name] | Promise<PageResults[Name]>
}

const AT_ONCE: ScriptDeps = {
  script: async (before, after, options) => editScript(before, after, options),
}

/** The work of pages that is expensive for large documents. */
const PAGE_WORK: PageWork = {
  compare: ({ before, after, options }) => compareDocuments(AT_ONCE, [before, after], options),
  compareTexts: ({ before, after, options }) =>
    compareDocumentTexts(AT_ONCE, [before, after], options),
  describe,
  changesAbout: ({ stored, entity }) => changesAbout(parseChanges(stored), entity),
  ownChanges: ({ stored, ...scope }) => ownChanges(parseChanges(stored), scope),
  outline: ({ document, digest, page }) => {
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
  return PAGE_WORK[name](request)
}

interface EntityRestoreRequest {
  readonly current: Uint8Array
  readonly older: Uint8Array
  readonly names: EntityNames
}

type EntityRestore =
  | { readonly kind: 'restored'; readonly document: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'current-unreadable' | 'older-unreadable' | 'absent' | 'no-place' }

/** The current document with one entity replaced by its older version. */
function restoreEntity({ names, ...documents }: EntityRestoreRequest): EntityRestore {
  const [current, older] = [runSync(readXml(documents.current)), runSync(readXml(documents.older))]
  if (!current.ok) return { kind: 'current-unreadable' }
  if (!older.ok) return { kind: 'older-unreadable' }
  if (findNamedEntity(older.root, names.past) === null) return { kind: 'absent' }
  const text = restoreEntities({ current, older }, [names])
  if (text === null) return { kind: 'no-place' }
  return { kind: 'restored', document: new Uint8Array(Buffer.from(text)) }
}
