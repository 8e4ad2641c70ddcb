import { findMembers } from '../incremental/find-members.ts'
import { decodeXml } from '../xml/xml-bytes.ts'
import type { MergeSides } from './things.ts'

/** A document as its members and the texts around them. */
interface MemberTexts {
  readonly members: readonly string[]
  /** The text in front of each member, and behind the last one. */
  readonly around: readonly string[]
  /** The start tag of the list that each member is in, such as a group. */
  readonly lists: readonly string[]
}

interface ChangedMember {
  readonly from: string
  readonly to: string
}

/** The attribute by which a member is the same in another document. */
const NAME = /\s(?:name|uuid)\s*=\s*(?:"[^"]*"|'[^']*')/
const ANY_NAME = /\s(?:name|id)\s*=\s*(?:"[^"]*"|'[^']*')/g
const LIST = /^.*(<(?:pipelines|templates|agents)[\s>][^>]*)/s

/**
 * Merges two edits of which one changes nothing but the insides of members of the long lists, and the other
 * leaves these members and all names as they were: they only have to be put in their place. Null for other edits, and where the
 * tags of a document tell too little.
 */
export function* mergeMembers(documents: MergeSides<Uint8Array>): Generator<void, string | null> {
  const base = yield* memberTexts(documents.base)
  const ours = base && (yield* memberTexts(documents.ours))
  const theirs = ours && (yield* memberTexts(documents.theirs))
  if (base === null || ours === null || theirs === null) return null
  return putInto(theirs, base, ours) ?? putInto(ours, base, theirs)
}

function* memberTexts(bytes: Uint8Array): Generator<void, MemberTexts | null> {
  const decoding = decodeXml(bytes)
  if (!decoding.ok) return null
  const { text } = decoding
  yield
  const members: string[] = []
  const around: string[] = []
  const lists: string[] = []
  let end = 0
  let list = ''
  const finding = findMembers(text, null)
  let step = finding.next()
  for (; !step.done; step = finding.next()) {
    const { start, end: next } = step.value
    const before = text.slice(end, start)
    list = LIST.exec(before)?.[1] ?? list
    members.push(text.slice(start, next))
    around.push(before)
    lists.push(list)
    end = next
    yield
  }
  around.push(text.slice(end))
  return step.value ? { members, around, lists } : null
}

/** The edit put into another one; null where it takes more than to put members in their place. */
function putInto(other: MemberTexts, base: MemberTexts, edit: MemberTexts): string | null {
  const changed = changedInside(base, edit)
  if (changed === null || isNameGone(base, other)) return null
  const members = [...other.members]
  const [formerPlaces, places] = [onlyPlaces(base.members), onlyPlaces(other.members)]
  for (const { from, to } of changed) {
    const [former, place] = [formerPlaces.get(from) ?? null, places.get(from) ?? null]
    if (former === null || place === null || base.lists[former] !== other.lists[place]) return null
    members[place] = to
  }
  const last = other.around.at(-1) ?? ''
  return members.map((text, n) => `${other.around[n] ?? ''}${text}`).join('') + last
}

/** The members that differ; null where something else does, or a member has another name. */
function changedInside(base: MemberTexts, edit: MemberTexts): readonly ChangedMember[] | null {
  if (base.around.length !== edit.around.length) return null
  if (!base.around.every((text, n) => text === edit.around[n])) return null
  const changed = base.members.flatMap((from, n) => {
    const to = edit.members[n] ?? from
    return from === to ? [] : [{ from, to }]
  })
  return changed.every(({ from, to }) => nameOf(from) === nameOf(to)) ? changed : null
}

/** Whether something has its name no more: the edit may refer to it, or is about what has another name. */
function isNameGone(base: MemberTexts, other: MemberTexts): boolean {
  const names = namesIn(other)
  return [...namesIn(base)].some((name) => !names.has(name))
}

function namesIn({ members, around, lists }: MemberTexts): ReadonlySet<string> {
  const own = members.map((member, n) => `${/<\w+/.exec(lists[n] ?? '')?.[0]}${nameOf(member)}`)
  const others = around.flatMap((text) => [...text.matchAll(ANY_NAME)].map(([name]) => name))
  return new Set([...own, ...others])
}

function nameOf(member: string): string | undefined {
  return NAME.exec(member)?.[0]
}

/** The place of each text that one member has; null for one that several have. */
function onlyPlaces(members: readonly string[]): ReadonlyMap<string, number | null> {
  const places = new Map<string, number | null>()
  for (const [place, text] of members.entries()) places.set(text, places.has(text) ? null : place)
  return places
}
