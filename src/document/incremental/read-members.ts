import type { ConfigDocument } from '../document.ts'
import { LineIndex, type FindMark, type LineMark } from '../text/line-index.ts'
import { checkRules } from '../rules/rules.ts'
import { checkOutside } from '../structure/structure.ts'
import { Findings } from '../structure/findings.ts'
import { decodeXml } from '../xml/xml-bytes.ts'
import { XML_LIMITS } from '../xml/xml-limits.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { listOf } from './find-members.ts'
import type { FoundMember, MemberFinder, ReadMember } from './member-finder.ts'
import type { Skeleton } from './skeleton.ts'
import type { SkeletonStore } from './skeleton-store.ts'
import { DocumentAssembly } from './document-assembly.ts'
import type { MemberStores } from './member-stores.ts'
import { RelocatedElement, OffsetPlacement, type Placement } from './relocated-element.ts'
import { bisect } from '../../lib/bisect.ts'
import type { MemberElement } from './member-element.ts'
import type { Configuration } from '../model/model.ts'
import { lineFeedsIn } from '../text/line-feeds.ts'

const FIRST: LineMark = { offset: 0, line: 0, start: 0 }

/**
 * Marks the lines at the ends of the members of a document, when one is first asked for. The lines of
 * a member are counted once, so that a large document costs its members and not its characters.
 */
function marksOfMembers(text: string, members: readonly ReadMember[]): FindMark {
  let marks: readonly LineMark[] | null = null
  return (offset) => {
    marks ??= marksAfter(text, members)
    const count = bisect({ high: marks.length }, (n) => (marks?.[n]?.offset ?? 0) <= offset)
    return marks[count - 1] ?? FIRST
  }
}

function marksAfter(text: string, members: readonly ReadMember[]): readonly LineMark[] {
  let { offset, line, start } = FIRST
  return members.flatMap(({ element, place }) => {
    const between = lineFeedsIn(text, { start: offset, end: place.start })
    if (between.last >= 0) start = between.last + 1
    const beginning = { offset: place.start, line: line + between.count, start }
    const { count, last } = element.lineFeeds
    if (last >= 0) start = place.start + last + 1
    line = beginning.line + count
    offset = place.end
    return [beginning, { offset, line, start }]
  })
}

/** Recently read skeletons and members of documents, and the places of members. */
export interface ReadCache {
  readonly finder: MemberFinder
  readonly skeletons: SkeletonStore
  readonly stores: MemberStores
}

/** The most characters of a member, or of the text outside of all members, that one step reads. */
const MAX_PIECE_LENGTH = 2 ** 18

/**
 * Reads a document in steps, one member each. Null where it is not valid, or has a piece too large
 * for a step.
 */
export function* readMembers(
  bytes: Uint8Array<ArrayBuffer>,
  cache: ReadCache,
): Generator<void, ConfigDocument | null> {
  const text = decodeText(bytes)
  yield
  const found = text === null ? null : yield* cache.finder.find(text)
  if (text === null || found === null || !isInPieces(text, found)) return null
  yield
  const skeleton = yield* cache.skeletons.read(text, found)
  const assembly = skeleton && (yield* assemble(found, skeleton, cache.stores))
  if (!skeleton || !assembly || assembly.parts > XML_LIMITS.maxParts) return null
  yield
  const document = documentOf(text, skeleton, assembly)
  const configuration = assembly.configuration()
  yield
  if (!isSound(document) || hasUnknownReferences(configuration)) return null
  if ((yield* checkRules(configuration)).length > 0) return null
  cache.finder.remember(text, assembly.members)
  const { schemaVersion } = configuration
  return {
    ...document,
    bytes,
    schemaVersion,
    configuration,
    hasPlainSecrets: assembly.hasPlainSecrets,
  }
}

function decodeText(bytes: Uint8Array): string | null {
  if (bytes.length > XML_LIMITS.maxBytes) return null
  const decoding = decodeXml(bytes)
  return decoding.ok ? decoding.text : null
}

function isInPieces(text: string, found: readonly FoundMember[]): boolean {
  let outside = text.length
  for (const { text: member } of found) {
    if (member.length > MAX_PIECE_LENGTH) return false
    outside -= member.length
  }
  return outside <= MAX_PIECE_LENGTH
}

function* assemble(
  found: readonly FoundMember[],
  skeleton: Skeleton,
  stores: MemberStores,
): Generator<void, DocumentAssembly | null> {
  const assembly = new DocumentAssembly(skeleton, stores)
  stores.beginRound()
  for (const [n, member] of found.entries()) {
    const placeholder = skeleton.placeholders[n]
    if (!placeholder || !assembly.add(member, placeholder)) return null
    yield
  }
  return assembly
}

function documentOf(text: string, skeleton: Skeleton, { members }: DocumentAssembly): XmlDocument {
  const placement = new SkeletonPlacement(skeleton, members)
  return {
    text,
    root: new RelocatedElement(skeleton.root, null, placement),
    lines: new LineIndex(text, marksOfMembers(text, members)),
  }
}

/** Whether the structure has no faults outside of the members, nor across them. */
function isSound(document: XmlDocument): boolean {
  const findings = new Findings(document)
  checkOutside(document.root, findings, isMember)
  return findings.problems().length === 0
}

function isMember({ name, parent }: XmlElement): boolean {
  if (!parent || listOf(parent.name, name) === null) return false
  return parent.parent !== null && parent.parent.parent === null
}

/** Places a skeleton in its document, with the members in the place of their placeholders. */
class SkeletonPlacement implements Placement {
  readonly #starts: readonly number[]
  /** How far the text behind the first n members moves. */
  readonly #distances: readonly number[]
  readonly #members: ReadonlyMap<XmlElement, { element: MemberElement; start: number }>

  constructor({ placeholders }: Skeleton, members: readonly ReadMember[]) {
    this.#starts = placeholders.map(({ start }) => start)
    this.#distances = [0, ...members.map((member, n) => distanceAfter(member, placeholders[n]))]
    this.#members = new Map(
      members.flatMap(({ element, place }, n) => {
        const placeholder = placeholders[n]
        return placeholder ? [[placeholder.element, { element, start: place.start }]] : []
      }),
    )
  }

  offsetOf(offset: number): number {
    return offset + (this.#distances[countBelow(this.#starts, offset)] ?? 0)
  }

  place(element: XmlElement, parent: XmlElement): XmlElement {
    const member = this.#members.get(element)
    if (!member) return new RelocatedElement(element, parent, this)
    return new RelocatedElement(member.element, parent, new OffsetPlacement(member.start))
  }
}

function distanceAfter(
  { place }: ReadMember,
  placeholder: Skeleton['placeholders'][number] | undefined,
): number {
  return place.end - (placeholder?.element.span.end ?? 0)
}

/** How many of the ascending numbers are below a number. */
function countBelow(numbers: readonly number[], number: number): number {
  return bisect({ high: numbers.length }, (place) => (numbers[place] ?? 0) < number)
}

/** Whether the pipelines of a model refer to unknown packages or scms. */
function hasUnknownReferences({ repositories, scms, groups }: Configuration): boolean {
  const packages = new Set(repositories.flatMap((each) => each.packages).map((each) => each.id))
  const ids = { package: packages, scm: new Set(scms.map((each) => each.id)) }
  return groups.some(({ pipelines }) =>
    pipelines.some(({ materials }) =>
      materials.some(
        (material) =>
          (material.kind === 'package' || material.kind === 'scm') &&
          !ids[material.kind].has(material.ref),
      ),
    ),
  )
}
