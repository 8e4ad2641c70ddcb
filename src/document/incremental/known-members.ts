import type { ConfigDocument } from '../document.ts'
import { memberTextOf, type MemberFacts } from '../model/member-text.ts'
import { childElements } from '../xml/xml-elements.ts'
import { listOf, type MemberPlace } from './find-members.ts'

/** The members of a document that is known to be valid, so that a program that knows them need not look for faults. */
export interface KnownMembers {
  /** Where all members stand, in the order of the document. */
  readonly places: readonly MemberPlace[]
  /** The facts about the pipelines among them. */
  readonly pipelines: readonly MemberFacts[]
}

/** The members of a valid document, in steps; null for one that was not read in parts. */
export function* knownMembersOf({
  root,
  configuration,
}: ConfigDocument): Generator<void, KnownMembers | null> {
  const pipelines: MemberFacts[] = []
  for (const pipeline of configuration.groups.flatMap((group) => group.pipelines)) {
    const text = memberTextOf(pipeline)
    if (text === null) return null
    pipelines.push(text.facts)
    yield
  }
  const places: MemberPlace[] = []
  for (const list of childElements(root)) {
    for (const member of childElements(list)) {
      const name = listOf(list.name, member.name)
      if (name) places.push({ list: name, ...member.span })
      yield
    }
  }
  return { places, pipelines }
}
