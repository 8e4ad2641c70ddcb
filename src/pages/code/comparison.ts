import type { Principal } from '../../core/principal.ts'
import { shownAuthor } from '../../core/revision.ts'
import type { EditScript } from '../../diff/edit-script.ts'
import type { EntityIndex } from '../../index/entity-index.ts'
import {
  findNamed,
  findNumber,
  numbered,
  type NumberedRevision,
  type RevisionReadingDeps,
} from '../revisions/numbered-revision.ts'
import { condensedSummary } from '../../index/condensed-summary.ts'
import { changesIn } from '../../document/changes/entity-scope.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import { type ShownChanges, shownChanges } from './shown-changes.ts'
import { LinePieces, type LinePiecesOptions } from './line-pieces.ts'
import type { ChangePlace } from './places.ts'
import {
  type DiffPart,
  diffPartsOf,
  type NarrowingOptions,
  type PlacedRegion,
  placedRegions,
  scopeIn,
  type Texts,
  type ChangeMark,
  marksOf,
} from './placed-regions.ts'
import type { Block, DiffRegion } from './regions.ts'
import { type BlockRows, blockRows, type Sides } from './rows.ts'
import { textLinesOf } from '../../document/text/text-lines.ts'
import { withWholeElements } from './whole-elements.ts'
import { type CooperativeWork, runCooperatively } from '../../lib/cooperative.ts'

/** Computes how the lines of two texts differ. */
export interface ScriptDeps {
  readonly script: (
    before: Uint8Array,
    after: Uint8Array,
    options: { whitespace: 'keep' | 'ignore' },
  ) => Promise<EditScript>
}

export interface ComparisonDeps extends RevisionReadingDeps {
  /** Compares two documents without blocking the main thread. */
  readonly compare: (
    documents: DocumentPair,
    options: ComparisonOptions,
  ) => Promise<DocumentComparison>
  /** The same, with the text as soon as it is compared. */
  readonly compareTextFirst: (
    documents: DocumentPair,
    options: TextFirstOptions,
  ) => Promise<TextFirst>
}

export interface TextFirstOptions extends ComparisonOptions {
  /** The changes from the first document to the second in stored form, where they are known already. */
  readonly known: string | null
}

/** The differences of two documents as texts, and the way to their description. */
export interface TextFirst extends DocumentTextComparison {
  /** The described changes; null when too much differs. */
  readonly describe: () => Promise<ShownChanges | null>
  /** Whether the documents are so large that this takes a while. */
  readonly isLarge: boolean
}

/** The older and the newer document. */
export type DocumentPair = readonly [Uint8Array, Uint8Array]

export interface ComparisonOptions extends NarrowingOptions {
  /** Unchanged lines around a change; infinite for the whole file. */
  readonly context: number
  readonly whitespace: 'keep' | 'ignore'
  /** The positions above which the hidden lines are expanded. */
  readonly expanded: ReadonlySet<number>
  /** The first region of the page; null for the page with the first change. */
  readonly start: number | null
  /** Whether differences about agents alone are left out. */
  readonly withoutAgents?: boolean
  /** Whether pieces carry the secret text that they hide. */
  readonly keepsHidden?: boolean
}

/** The two revisions of a comparison, and their neighbours. */
export interface ComparedRevisions {
  readonly before: NumberedRevision
  readonly after: NumberedRevision
  /** The newest of the revisions after the older one, up to the newer one; newest first. */
  readonly between: readonly NumberedRevision[]
  /** The number of all of these revisions. */
  readonly count: number
  /** The authors of these revisions, the latest first; none where there are too many to look at. */
  readonly people: readonly string[]
  /** The revision before the older one, and the one after the newer one. */
  readonly older: NumberedRevision | null
  readonly newer: NumberedRevision | null
}

/** A part of the diff with its rows. */
export interface ShownRegion {
  readonly index: number
  /** The hunk of the diff that it belongs to, counted from 0. */
  readonly hunk: number
  readonly place: ChangePlace
  /** The line of its first change: in the text after or, for a removal, in the text before. */
  readonly line: { readonly side: 'before' | 'after'; readonly number: number }
  readonly hiddenAbove: number
  /** Hidden lines after the very last region. */
  readonly hiddenBelow: number
  readonly isContinued: boolean
  readonly blocks: readonly BlockRows[]
}

/** The differences of two texts, as one page shows them. */
export interface TextComparison {
  /** The added and removed lines, and the number of changes, of what matches the filter. */
  readonly lines: { readonly added: number; readonly removed: number }
  readonly total: number
  /** Whether the texts differ at all, also where the filter hides it. */
  readonly differs: boolean
  readonly marks: readonly ChangeMark[]
  readonly regions: readonly ShownRegion[]
  /** The part of the diff on this page, and the pages around it. */
  readonly part: DiffPart
  readonly next: DiffPart | null
  readonly previous: DiffPart | null
  /** The nearest changes that other pages show. */
  readonly changeBefore: ChangeOnPage | null
  readonly changeAfter: ChangeOnPage | null
}

/** A change and the first region of its page. */
export interface ChangeOnPage {
  readonly number: number
  readonly start: number
}

/** The differences of two documents as texts. */
export interface DocumentTextComparison extends TextComparison {
  /** Whether the documents differ only in white space, which this comparison ignores. */
  readonly isSpaceOnly: boolean
}

/** The differences of two documents, with their described changes. */
export interface DocumentComparison extends DocumentTextComparison {
  /** Null when too much differs to be described. */
  readonly changes: ShownChanges | null
}

export interface Comparison extends ComparedRevisions, TextFirst {}

/** The limits of the revisions of the range that are listed, and whose authors are. */
const MAX_BETWEEN = 12
const MAX_WITH_PEOPLE = 1_000

/**
 * Finds the two revisions that an address names, and their neighbours.
 *
 * @throws {ServiceError} `revision-not-found`, `not-permitted`.
 */
export function findCompared(
  deps: RevisionReadingDeps,
  principal: Principal,
  names: { readonly from: string; readonly to: string },
): ComparedRevisions {
  const before = findNamed(deps, principal, names.from)
  const after = findNamed(deps, principal, names.to)
  const { history } = deps
  const [low, high] = [before.number, after.number].toSorted((one, other) => one - other)
  const count = (high ?? 0) - (low ?? 0)
  const newest = history.list({
    offset: history.size() - (high ?? 0),
    limit: Math.min(count, MAX_WITH_PEOPLE),
  })
  const people = new Set(newest.map(({ username }) => shownAuthor(username)))
  return {
    before,
    after,
    count,
    between: newest.slice(0, MAX_BETWEEN).map((revision) => numbered(history, revision)),
    people: count > newest.length ? [] : [...people],
    older: findNumber(history, (low ?? 0) - 1),
    newer: findNumber(history, (high ?? 0) + 1),
  }
}

/** Compares two revisions from {@link findCompared} for one page. */
export async function readComparison(
  deps: ComparisonDeps & {
    readonly entities: Pick<EntityIndex, 'findStep' | 'renamesBetween' | 'settle'>
  },
  compared: ComparedRevisions,
  options: ComparisonOptions,
): Promise<Comparison> {
  const { before, after } = compared
  const { history, entities } = deps
  const documents = await Promise.all([history.readAsWritten(before), history.readAsWritten(after)])
  // The stored changes of a step are those of all entities.
  const known = options.entity === '' ? entities.findStep(before, after) : null
  if (known === null) await entities.settle()
  const renames = known === null ? entities.renamesBetween(before, after) : []
  const text = await deps.compareTextFirst(documents, { ...options, known, renames })
  return { ...compared, ...text }
}

/** Compares two documents, cooperatively. */
export async function compareDocuments(
  deps: ScriptDeps,
  documents: DocumentPair,
  options: ComparisonOptions,
): Promise<DocumentComparison> {
  const { script, texts, isSpaceOnly } = await differencesOf(deps, documents, options)
  const changes = await runCooperatively(describedIn(script, texts, options))
  return {
    changes: changes && shownChanges(changes),
    ...(await runCooperatively(compareScript(script, texts, options))),
    isSpaceOnly,
  }
}

/** Compares two documents, without describing the changes, cooperatively. */
export async function compareDocumentTexts(
  deps: ScriptDeps,
  documents: DocumentPair,
  options: ComparisonOptions,
): Promise<DocumentTextComparison> {
  const { script, texts, isSpaceOnly } = await differencesOf(deps, documents, options)
  return { ...(await runCooperatively(compareScript(script, texts, options))), isSpaceOnly }
}

/** Describes the changes of a document, cooperatively; null when too much differs. */
export async function describeDocuments(
  deps: ScriptDeps,
  documents: DocumentPair,
  options: Pick<ComparisonOptions, 'whitespace' | 'entity' | 'renames'>,
): Promise<readonly DocumentChange[] | null> {
  const { script, texts } = await differencesOf(deps, documents, options)
  return runCooperatively(describedIn(script, texts, options))
}

function* describedIn(
  script: EditScript,
  texts: Texts,
  options: NarrowingOptions,
): Generator<unknown, readonly DocumentChange[] | null> {
  const changes = yield* condensedSummary(script, texts, options.renames)
  const scope = scopeIn(texts, options)
  return scope === null ? changes : changes && changesIn(changes, scope)
}

async function differencesOf(
  deps: ScriptDeps,
  documents: DocumentPair,
  options: Pick<ComparisonOptions, 'whitespace'>,
): Promise<{ script: EditScript; texts: Texts; isSpaceOnly: boolean }> {
  const script = await deps.script(...documents, options)
  const texts = textsOf(script, documents)
  const isSpaceOnly = script.changes.length === 0 && Buffer.compare(...documents) !== 0
  return { script: withWholeElements(script, texts), texts, isSpaceOnly }
}

/** Compares two texts, without describing the changes, cooperatively. */
export async function compareTexts(
  deps: ScriptDeps,
  texts: readonly [string, string],
  options: ComparisonOptions,
): Promise<TextComparison> {
  const documents = [Buffer.from(texts[0]), Buffer.from(texts[1])] as const
  const script = await deps.script(...documents, options)
  const both = textsOf(script, documents)
  return runCooperatively(compareScript(withWholeElements(script, both), both, options))
}

function textsOf(script: EditScript, documents: readonly [Uint8Array, Uint8Array]): Texts {
  return {
    before: textLinesOf(documents[0], script.before.count),
    after: textLinesOf(documents[1], script.after.count),
  }
}

function* compareScript(
  script: EditScript,
  texts: Texts,
  options: ComparisonOptions,
): CooperativeWork<TextComparison> {
  const regions = placedRegions(script, texts, options)
  yield
  const parts = diffPartsOf(regions, texts)
  const place = placeOf(parts, options.start)
  const [part = NOTHING] = parts.slice(place)
  const blocks = regions.flatMap(({ region }) => region.blocks)
  const [before] = parts.slice(0, place).flatMap(lastOf).slice(-1)
  const [after] = parts.slice(place + 1).flatMap(firstOf)
  const shown = regions.slice(part.start, part.end)
  return {
    lines: linesOf(blocks),
    total: blocks.filter(({ change, isContinued }) => change !== null && !isContinued).length,
    differs: script.changes.length > 0,
    marks: marksOf(script, regions, parts),
    regions: yield* showRegions(script, texts, { regions: shown, ...options }),
    part,
    next: parts[place + 1] ?? null,
    previous: parts[place - 1] ?? null,
    changeBefore: before ?? null,
    changeAfter: after ?? null,
  }
}

/** The part of a diff of equal texts. */
const NOTHING: DiffPart = { start: 0, end: 0, changes: null, lines: { start: 0, end: 0 } }

function placeOf(parts: readonly DiffPart[], start: number | null): number {
  const asked =
    start === null
      ? parts.findIndex(({ changes }) => changes !== null)
      : parts.findLastIndex((part) => part.start <= start)
  return Math.max(0, asked)
}

function firstOf({ start, changes }: DiffPart): ChangeOnPage[] {
  return changes === null ? [] : [{ number: changes.first, start }]
}

function lastOf({ start, changes }: DiffPart): ChangeOnPage[] {
  return changes === null ? [] : [{ number: changes.last, start }]
}

function linesOf(blocks: readonly Block[]): TextComparison['lines'] {
  const lines = { added: 0, removed: 0 }
  for (const { change, before, after } of blocks) {
    if (change === null) continue
    lines.added += after.end - after.start
    lines.removed += before.end - before.start
  }
  return lines
}

function* showRegions(
  script: EditScript,
  texts: Texts,
  { regions, ...options }: LinePiecesOptions & { readonly regions: readonly PlacedRegion[] },
): Generator<unknown, ShownRegion[]> {
  const sides: Sides = {
    before: new LinePieces(texts.before, options),
    after: new LinePieces(texts.after, options),
  }
  const shown: ShownRegion[] = []
  for (const { region, index, place } of regions) {
    const blocks: BlockRows[] = []
    for (const block of region.blocks) yield blocks.push(blockRows(script, block, sides))
    shown.push({
      index,
      hunk: region.hunk,
      place: place(),
      line: lineOf(region),
      hiddenAbove: region.hiddenAbove,
      hiddenBelow: region.hiddenBelow,
      isContinued: region.isContinued,
      blocks,
    })
  }
  return shown
}

function lineOf({ blocks }: DiffRegion): ShownRegion['line'] {
  const block = blocks.find(({ change }) => change !== null) ?? blocks[0]
  if (!block) return { side: 'after', number: 1 }
  const isRemoval = block.after.start === block.after.end
  return isRemoval
    ? { side: 'before', number: block.before.start + 1 }
    : { side: 'after', number: block.after.start + 1 }
}

/** All differences with three lines of context: the options of pages that offer no choice. */
export const PLAIN = {
  context: 3,
  whitespace: 'keep',
  expanded: new Set<number>(),
  entity: '',
  start: null,
} as const
