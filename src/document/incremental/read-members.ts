import { isAscii } from 'node:buffer'
import type { ConfigDocument } from '../document.ts'
import { type FindMark, LineIndex, type LineMark } from '../text/line-index.ts'
import { AsciiText, type TextSource } from '../text/text-source.ts'
import { checkRules } from '../rules/rules.ts'
import { checkAcross } from '../structure/structure.ts'
import { Findings } from '../structure/findings.ts'
import { decodeXml } from '../xml/xml-bytes.ts'
import { XML_LIMITS } from '../xml/xml-limits.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import { elementsAt } from '../xml/xml-elements.ts'
import type { NamedChild, XmlElement } from '../xml/xml-tree.ts'
import { listOf } from './find-members.ts'
import type { FoundMember, MemberFinder, ReadMember } from './member-finder.ts'
import type { Skeleton } from './skeleton.ts'
import type { SkeletonStore } from './skeleton-store.ts'
import { DocumentAssembly } from './document-assembly.ts'
import type { ElementNumbers } from './element-numbers.ts'
import type { MemberFacts } from '../model/member-text.ts'
import type { KnownMembers } from './known-members.ts'
import type { MemberStores } from './member-stores.ts'
import { RelocatedElement, OffsetPlacement, type Placement } from './relocated-element.ts'
import { bisect } from '../../lib/bisect.ts'
import { memoize } from '../../lib/memoize.ts'
import type { Configuration, Material, Pipeline } from '../model/model.ts'
import { type LineFeeds, lineFeedsIn } from '../text/line-feeds.ts'

/** The long lists whose members have names that are unique as written. */
const LISTS = 'templates|agents'

/** Recently read skeletons and members of documents, and the places of members. */
export interface ReadCache {
  readonly finder: MemberFinder
  readonly skeletons: SkeletonStore
  readonly stores: MemberStores
  readonly numbers: ElementNumbers
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
  known: KnownMembers | null = null,
): Generator<void, ConfigDocument | null> {
  const source = sourceOf(bytes)
  yield
  const found = source === null ? null : (known?.places ?? (yield* cache.finder.find(source)))
  if (source === null || found === null || !isInPieces(source, found)) return null
  yield
  const skeleton = yield* cache.skeletons.read(source, found, cache.numbers)
  const assembly =
    skeleton &&
    (yield* assemble(found, skeleton, { ...cache, source, facts: known?.pipelines ?? [] }))
  if (!skeleton || !assembly || assembly.parts > XML_LIMITS.maxParts) return null
  yield
  const { members } = assembly
  const findMark = memberMarks(source, members)
  const document = xmlOf(source, { skeleton, members, findMark })
  const configuration = assembly.configuration()
  yield
  if (known === null && !(yield* isValid(document, configuration))) return null
  cache.finder.remember(source, members)
  const { schemaVersion } = configuration
  const { hasPlainSecrets } = assembly
  return Object.assign(document, { bytes, schemaVersion, configuration, hasPlainSecrets })
}

/** The text of a document; null where it has none. That of most, which are ASCII, is decoded when it is asked for. */
function sourceOf(bytes: Uint8Array<ArrayBuffer>): TextSource | null {
  if (bytes.length > XML_LIMITS.maxBytes) return null
  if (isAscii(bytes)) return new AsciiText(bytes)
  const decoding = decodeXml(bytes)
  return decoding.ok ? decoding.text : null
}

function isInPieces({ length }: TextSource, found: readonly FoundMember[]): boolean {
  let outside = length
  for (const { start, end } of found) {
    if (end - start > MAX_PIECE_LENGTH) return false
    outside -= end - start
  }
  return outside <= MAX_PIECE_LENGTH
}

/** Whether there are no faults across the members. The skeleton and each of them have none. */
function* isValid(document: XmlDocument, configuration: Configuration): Generator<void, boolean> {
  if (!isSound(document) || hasUnknownReferences(configuration)) return false
  return (yield* checkRules(configuration)).length === 0
}

function* assemble(
  found: readonly FoundMember[],
  skeleton: Skeleton,
  parts: Pick<ReadCache, 'stores' | 'numbers'> & {
    readonly source: TextSource
    readonly facts: readonly MemberFacts[]
  },
): Generator<void, DocumentAssembly | null> {
  const assembly = new DocumentAssembly(skeleton, parts)
  parts.stores.beginRound()
  for (const [n, member] of found.entries()) {
    const placeholder = skeleton.placeholders[n]
    if (!placeholder || !assembly.add(member, placeholder)) return null
    yield
  }
  return assembly
}

function xmlOf(
  source: TextSource,
  parts: Pick<DocumentAssembly, 'members'> & {
    readonly skeleton: Skeleton
    readonly findMark: FindMark
  },
): XmlDocument {
  const placement = new SkeletonPlacement(parts.skeleton, parts.members)
  return {
    get text() {
      return source.slice()
    },
    source,
    root: new RelocatedElement(parts.skeleton.root, null, placement),
    lines: new LineIndex(source, parts.findMark),
  }
}

function isSound(document: XmlDocument): boolean {
  const findings = new Findings(document)
  for (const list of elementsAt(document.root, LISTS)) checkAcross(list, findings)
  return findings.problems().length === 0
}

/** So many other members are found one by one. */
const MANY = 1_000

/** Places a skeleton in its document, with the members in the place of their placeholders. */
class SkeletonPlacement implements Placement {
  readonly first: number
  readonly #skeleton: Skeleton
  readonly #members: readonly ReadMember[]

  constructor(skeleton: Skeleton, members: readonly ReadMember[]) {
    this.first = skeleton.first
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
    return new RelocatedElement(
      member.element,
      parent,
      new OffsetPlacement(member.start, member.element.first),
    )
  }

  findNamed(list: XmlElement, { element, key }: NamedChild): XmlElement | null | undefined {
    const name = list.parent === this.#skeleton.root ? listOf(list.name, element) : null
    if (name === null) return undefined
    const n = this.#skeleton.names.find(this.#members, name, key)
    const standing = n === undefined ? undefined : this.#skeleton.placeholders[n]?.element
    return standing?.parent === list ? standing : null
  }

  holding(number: number): XmlElement | null {
    const n = this.#members.findIndex(({ element }) => element.has(number))
    return this.#skeleton.placeholders[n]?.element ?? null
  }

  differing(list: XmlElement, other: Placement): readonly XmlElement[] | null {
    if (!(other instanceof SkeletonPlacement) || other.#skeleton !== this.#skeleton) return null
    if (list.parent !== this.#skeleton.root) return null
    const { placeholders } = this.#skeleton
    const high = placeholders.length
    const from = bisect({ high }, (n) => (placeholders[n]?.start ?? 0) < list.span.start)
    const found: XmlElement[] = []
    for (let n = from; placeholders[n]?.element.parent === list; n += 1) {
      if (this.#members[n]?.element === other.#members[n]?.element) continue
      const standing = placeholders[n]?.element
      if (standing) found.push(standing)
    }
    return found.length > MANY ? null : found
  }

  #memberAt(element: XmlElement): ReadMember | undefined {
    const n = this.#skeleton.order.get(element)
    return n === undefined ? undefined : this.#members[n]
  }
}

/** Whether the pipelines of a model refer to unknown packages or scms. */
function hasUnknownReferences({ repositories, scms, groups }: Configuration): boolean {
  const referring = groups.flatMap(({ pipelines }) => pipelines.filter(refersToOthers))
  if (referring.length === 0) return false
  const packages = new Set(repositories.flatMap((each) => each.packages).map((each) => each.id))
  const ids = { package: packages, scm: new Set(scms.map((each) => each.id)) }
  return referring.some(({ materials }) =>
    materials.some((material) => isReference(material) && !ids[material.kind].has(material.ref)),
  )
}

const refersToOthers = memoize(({ materials }: Pipeline) => materials.some(isReference))

function isReference(material: Material): material is Extract<Material, { readonly ref: string }> {
  return material.kind === 'package' || material.kind === 'scm'
}

const FIRST: LineMark = { offset: 0, line: 0, start: 0 }

/**
 * Marks the lines at the ends of the members of a document, when one is first asked for. The lines of a member are
 * counted once.
 */
function memberMarks(source: TextSource, members: readonly ReadMember[]): FindMark {
  let marked: MarkedLines | null = null
  return (offset) => (marked ??= new MarkedLines(source, members)).before(offset)
}

/** A mark at the start and one at the end of each member, without an object for each of them. */
class MarkedLines {
  readonly #offsets: Uint32Array
  readonly #lines: Uint32Array
  readonly #starts: Uint32Array

  constructor(source: TextSource, members: readonly ReadMember[]) {
    const length = 2 * members.length
    this.#offsets = new Uint32Array(length)
    this.#lines = new Uint32Array(length)
    this.#starts = new Uint32Array(length)
    let last = FIRST
    for (const [n, { start, end, element }] of members.entries()) {
      last = behind(last, start, lineFeedsIn(source.slice(last.offset, start)))
      this.#set(2 * n, last)
      last = behind(last, end, element.lineFeeds)
      this.#set(2 * n + 1, last)
    }
  }

  /** The last mark that is not behind an offset. */
  before(offset: number): LineMark {
    const offsets = this.#offsets
    const n = bisect({ high: offsets.length }, (at) => (offsets[at] ?? 0) <= offset) - 1
    const [marked, line, start] = [offsets[n], this.#lines[n], this.#starts[n]]
    if (marked === undefined || line === undefined || start === undefined) return FIRST
    return { offset: marked, line, start }
  }

  #set(n: number, { offset, line, start }: LineMark): void {
    this.#offsets[n] = offset
    this.#lines[n] = line
    this.#starts[n] = start
  }
}

/** The mark at an offset behind another one, by the line feeds between them. */
function behind(mark: LineMark, offset: number, { count, last }: LineFeeds): LineMark {
  const start = last < 0 ? mark.start : mark.offset + last + 1
  return { offset, line: mark.line + count, start }
}
