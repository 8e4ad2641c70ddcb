import type { ConfigDocument } from '../document.ts'
import { LineIndex, type FindMark, type LineMark } from '../text/line-index.ts'
import { checkRules } from '../rules/rules.ts'
import { checkAcross } from '../structure/structure.ts'
import { Findings } from '../structure/findings.ts'
import { decodeXml } from '../xml/xml-bytes.ts'
import { XML_LIMITS } from '../xml/xml-limits.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import { elementsAt } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import type { FoundMember, MemberFinder, ReadMember } from './member-finder.ts'
import type { Skeleton } from './skeleton.ts'
import type { SkeletonStore } from './skeleton-store.ts'
import { DocumentAssembly } from './document-assembly.ts'
import type { MemberStores } from './member-stores.ts'
import { RelocatedElement, OffsetPlacement, type Placement } from './relocated-element.ts'
import { bisect } from '../../lib/bisect.ts'
import type { Configuration } from '../model/model.ts'
import { lineFeedsIn } from '../text/line-feeds.ts'

/** The long lists whose members have names that are unique as written. */
const LISTS = 'templates|agents'
const FIRST: LineMark = { offset: 0, line: 0, start: 0 }

/**
 * Marks the lines at the ends of the members of a document, when one is first asked for. The lines of
 * a member are counted once, so that a large document costs its members and not its characters.
 */
function marksOfMembers(text: string, members: readonly ReadMember[]): FindMark {
  let marks: MemberMarks | null = null
  return (offset) => (marks ??= new MemberMarks(text, members)).before(offset)
}

/** A mark at the start and one at the end of each member, without an object for each of them. */
class MemberMarks {
  readonly #offsets: Uint32Array
  readonly #lines: Uint32Array
  readonly #starts: Uint32Array

  constructor(text: string, members: readonly ReadMember[]) {
    const length = 2 * members.length
    this.#offsets = new Uint32Array(length)
    this.#lines = new Uint32Array(length)
    this.#starts = new Uint32Array(length)
    let { offset, line, start } = FIRST
    for (const [n, member] of members.entries()) {
      const between = lineFeedsIn(text, { start: offset, end: member.start })
      if (between.last >= 0) start = between.last + 1
      line += between.count
      this.#set(2 * n, { offset: member.start, line, start })
      const { count, last } = member.element.lineFeeds
      if (last >= 0) start = member.start + last + 1
      line += count
      offset = member.end
      this.#set(2 * n + 1, { offset, line, start })
    }
  }

  /** The last mark that is not behind an offset. */
  before(offset: number): LineMark {
    const offsets = this.#offsets
    const n = bisect({ high: offsets.length }, (at) => (offsets[at] ?? 0) <= offset) - 1
    const [found, line, start] = [offsets[n], this.#lines[n], this.#starts[n]]
    if (found === undefined || line === undefined || start === undefined) return FIRST
    return { offset: found, line, start }
  }

  #set(n: number, { offset, line, start }: LineMark): void {
    this.#offsets[n] = offset
    this.#lines[n] = line
    this.#starts[n] = start
  }
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

/** Whether the structure has no faults across the members. The skeleton and each of them have none. */
function isSound(document: XmlDocument): boolean {
  const findings = new Findings(document)
  for (const list of elementsAt(document.root, LISTS)) checkAcross(list, findings)
  return findings.problems().length === 0
}

/** Places a skeleton in its document, with the members in the place of their placeholders. */
class SkeletonPlacement implements Placement {
  readonly #skeleton: Skeleton
  readonly #members: readonly ReadMember[]

  constructor(skeleton: Skeleton, members: readonly ReadMember[]) {
    this.#skeleton = skeleton
    this.#members = members
  }

  /** The text behind a member moves as its end does. */
  offsetOf(offset: number): number {
    const { placeholders } = this.#skeleton
    const high = placeholders.length
    const last = bisect({ high }, (n) => (placeholders[n]?.start ?? 0) < offset) - 1
    const [member, placeholder] = [this.#members[last], placeholders[last]]
    if (!member || !placeholder) return offset
    return offset + member.end - placeholder.element.span.end
  }

  sourceOf(element: XmlElement): XmlElement {
    return this.#memberAt(element)?.element ?? element
  }

  place(element: XmlElement, parent: XmlElement): XmlElement {
    const member = this.#memberAt(element)
    if (!member) return new RelocatedElement(element, parent, this)
    return new RelocatedElement(member.element, parent, new OffsetPlacement(member.start))
  }

  #memberAt(element: XmlElement): ReadMember | undefined {
    const n = this.#skeleton.order.get(element)
    return n === undefined ? undefined : this.#members[n]
  }
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
