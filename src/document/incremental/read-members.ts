import type { ConfigDocument } from '../document.ts'
import { LineIndex } from '../text/line-index.ts'
import { checkRulesInSteps } from '../rules/rules.ts'
import { checkOutside } from '../structure/structure.ts'
import { Findings } from '../structure/findings.ts'
import { hasUnknownReferences } from '../structure/uniqueness.ts'
import { decodeXml } from '../xml/xml-bytes.ts'
import { XML_LIMITS } from '../xml/xml-limits.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { findMembers, listOf, type MemberPlace } from './find-members.ts'
import type { Skeleton } from './skeleton.ts'
import { SkeletonPlacement } from './skeleton-placement.ts'
import type { SkeletonStore } from './skeleton-store.ts'
import { DocumentAssembly } from './document-assembly.ts'
import type { MemberStores } from './member-stores.ts'
import { RelocatedElement } from './relocated-element.ts'

/** What was read lately. */
export interface ReadCache {
  readonly frames: SkeletonStore
  readonly stores: MemberStores
}

/** Characters of a member, or of all that is no member, that are read in one turn. */
const LARGEST_PIECE = 2 ** 18

/**
 * Reads a document member by member, and gives way after each. Null where it is not valid, or not
 * to be read in this way.
 */
export function* readMembers(
  bytes: Uint8Array,
  known: ReadCache,
): Generator<void, ConfigDocument | null> {
  const text = textOf(bytes)
  const places = text === null ? null : findMembers(text)
  if (text === null || places === null || !isInPieces(text, places)) return null
  yield
  const frame = yield* known.frames.read(text, places)
  const gathering = frame && (yield* gather(text, { frame, places, stores: known.stores }))
  if (!frame || !gathering || gathering.parts > XML_LIMITS.maxParts) return null
  yield
  const document = documentOf(text, frame, gathering)
  const configuration = gathering.configuration()
  yield
  if (!isSound(document) || hasUnknownReferences(configuration)) return null
  if ((yield* checkRulesInSteps(configuration)).length > 0) return null
  const { schemaVersion } = configuration
  return {
    ...document,
    bytes,
    schemaVersion,
    configuration,
    hasPlainSecrets: gathering.hasPlainSecrets,
  }
}

function textOf(bytes: Uint8Array): string | null {
  if (bytes.length > XML_LIMITS.maxBytes) return null
  const decoding = decodeXml(bytes)
  return decoding.ok ? decoding.text : null
}

function isInPieces(text: string, places: readonly MemberPlace[]): boolean {
  let outside = text.length
  for (const { start, end } of places) {
    if (end - start > LARGEST_PIECE) return false
    outside -= end - start
  }
  return outside <= LARGEST_PIECE
}

function* gather(
  text: string,
  {
    frame,
    places,
    stores,
  }: { frame: Skeleton; places: readonly MemberPlace[]; stores: MemberStores },
): Generator<void, DocumentAssembly | null> {
  const gathering = new DocumentAssembly(frame, stores)
  stores.beginRound()
  for (const [n, place] of places.entries()) {
    const slot = frame.slots[n]
    if (!slot || !gathering.take(text.slice(place.start, place.end), place, slot)) return null
    yield
  }
  return gathering
}

function documentOf(text: string, frame: Skeleton, { members }: DocumentAssembly): XmlDocument {
  const placement = new SkeletonPlacement(frame, members)
  return {
    text,
    root: new RelocatedElement(frame.root, null, placement),
    lines: new LineIndex(text),
  }
}

/** Whether nothing is wrong outside of the members, and with all of them together. */
function isSound(document: XmlDocument): boolean {
  const findings = new Findings(document)
  checkOutside(document.root, findings, isMember)
  return findings.problems().length === 0
}

function isMember({ name, parent }: XmlElement): boolean {
  if (!parent || listOf(parent.name, name) === null) return false
  return parent.parent !== null && parent.parent.parent === null
}
