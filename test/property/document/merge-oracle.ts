import { commentsOf } from '../../../src/document/changes/content.ts'
import { childElements, elementText } from '../../../src/document/xml/xml-elements.ts'
import type { XmlDocument } from '../../../src/document/xml/xml-reader.ts'
import type { XmlElement } from '../../../src/document/xml/xml-tree.ts'
import { runSync } from '../../../src/lib/cooperative.ts'
import { mergeMembers } from '../../../src/document/merge/merge-members.ts'
import { mergeEdits } from '../../../src/configuration/save/merge-edits.ts'
import { rememberedDocument } from '../../support/documents/xml-documents.ts'
import { type NamedEdit, namesOf, Picks, randomEdit, renamedTo } from './merge-edits.ts'

/** Two edits of a document, and the document itself. */
export interface Triple {
  readonly base: string
  readonly ours: Edited
  readonly theirs: Edited
}

interface Edited {
  readonly text: string
  readonly edits: readonly NamedEdit[]
}

/** A random triple of a document; null where there is nothing to edit. */
export function randomTriple(base: string, seed: number): Triple | null {
  const picks = new Picks(seed)
  const [ours, theirs] = [editsOf(base, picks, 'o'), editsOf(base, picks, 't')]
  return ours.edits.length > 0 && theirs.edits.length > 0 ? { base, ours, theirs } : null
}

function editsOf(base: string, picks: Picks, side: string): Edited {
  const document = rememberedDocument(base)
  const edits: NamedEdit[] = []
  let text = base
  const count = 1 + picks.below(3)
  for (let n = 0; n < count; n += 1) {
    const edit = randomEdit(document, picks, `${side}${n}`)
    const next = edit?.apply(text, renamesOf(edits)) ?? null
    if (edit === null || next === null || touch([edit], edits)) continue
    edits.push(edit)
    text = next
  }
  return { text, edits }
}

/** Whether some edits change a part that others change too, or something in it. */
export function touch(some: readonly NamedEdit[], others: readonly NamedEdit[]): boolean {
  const parts = others.flatMap((edit) => edit.parts)
  return some.some((edit) =>
    edit.parts.some((part) => parts.some((other) => isWithin(part, other))),
  )
}

function isWithin(one: string, other: string): boolean {
  if (one === other) return true
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  // What stands at, around or in front of a thing goes with it; what is in it too.
  const plain = long.replace(/^(?:place|note|order):/, '')
  return ['/', '@'].some((mark) => plain.startsWith(`${short}${mark}`)) || plain === short
}

function renamesOf(edits: readonly NamedEdit[]): ReadonlyMap<string, string> {
  return new Map(edits.flatMap(({ renamed }) => (renamed ? [renamed] : [])))
}

/** The fault of the merge of a triple; null when there is none. */
export function faultOf(triple: Triple): string | null {
  const documents = {
    base: rememberedDocument(triple.base),
    ours: rememberedDocument(triple.ours.text),
    theirs: rememberedDocument(triple.theirs.text),
  }
  const { text, conflicts } = runSync(mergeEdits(documents))
  const quick = quicklyMerged(triple)
  if (quick !== null && (conflicts.length > 0 || quick !== text))
    return 'members put in place differ'
  const merged = rememberedDocument(text)
  if (touch(triple.ours.edits, triple.theirs.edits)) {
    return conflicts.length > 0 ? null : wrongPart(triple, merged)
  }
  const orders = [inTurn(triple.theirs, triple.ours), inTurn(triple.ours, triple.theirs)].flatMap(
    (each) => each ?? [],
  )
  if (orders.length === 0) return conflicts.length > 0 ? null : wrongPart(triple, merged)
  const [conflict] = conflicts
  if (conflict) {
    const { path, ours, theirs } = conflict
    return mayContradict(triple) ? null : `conflict at ${path}: ${ours.text} / ${theirs.text}`
  }
  const found = meaningOf(merged)
  if (orders.some((order) => meaningOf(rememberedDocument(order)) === found))
    return wrongPart(triple, merged)
  return `not the edits one after the other`
}

/** The merge that only puts members in their place; null where it takes more. */
export function quicklyMerged({ base, ours, theirs }: Triple): string | null {
  const [before, one, other] = [base, ours.text, theirs.text].map((text) => Buffer.from(text))
  if (!before || !one || !other) return null
  return runSync(mergeMembers({ base: before, ours: one, theirs: other }))
}

/** A renamed thing is followed only where nothing else of it has changed and no other one is equal to it. */
function mayContradict({ ours, theirs }: Triple): boolean {
  return isOfRenamed(ours, theirs.edits) || isOfRenamed(theirs, ours.edits)
}

function isOfRenamed({ edits }: Edited, others: readonly NamedEdit[]): boolean {
  const names = edits.flatMap(({ renamed }) => (renamed ? [`/pipeline ${renamed[0]}`] : []))
  return names.some((name) => others.some(({ parts }) => parts.some((part) => part.includes(name))))
}

function inTurn(first: Edited, second: Edited): string | null {
  let text: string | null = first.text
  const renames = new Map(renamesOf(first.edits))
  for (const edit of second.edits) {
    text = text === null ? null : edit.apply(text, renames)
    if (edit.renamed) renames.set(...edit.renamed)
  }
  return text
}

/** The content and the comments of a document, in the order of things only where that means something. */
function meaningOf(document: XmlDocument): string {
  const write = (element: XmlElement): string => {
    const attributes = Array.from(
      element.attributes.values(),
      ({ name, value }) => `${name}=${value}`,
    )
    const children = childElements(element).map(write)
    const isOrdered = element.name === 'tasks' || element.name === 'exec'
    const inner = isOrdered ? children : children.toSorted()
    const text = elementText(element).trim()
    return `<${element.name} ${attributes.toSorted().join(' ')}>${text}${inner.join('')}</>`
  }
  const comments = commentsOf(document.text, document.root, new Set())
  return [write(document.root), ...comments.toSorted()].join('\n')
}

/** A part of the merge that is as no side would have it; null for none. */
function wrongPart({ base, ours, theirs }: Triple, merged: XmlDocument): string | null {
  const renames = new Map([...renamesOf(ours.edits), ...renamesOf(theirs.edits)])
  const former = new Map(Array.from(renames, ([from, to]) => [to, from]))
  const partsIn = (document: XmlDocument) =>
    new Map(Array.from(namesOf(document), ([name, element]) => [renamedTo(name, former), element]))
  const sides = [base, ours.text, theirs.text].map((text) => partsIn(rememberedDocument(text)))
  const [before, mine, others] = sides
  const found = partsIn(merged)
  for (const [name, element] of found) {
    const [old, one, other] = [before?.get(name), mine?.get(name), others?.get(name)]
    if (!one && !other) {
      if (name.includes('/task ')) continue
      return `nobody has ${name}`
    }
    if (!old || !one || !other) continue
    for (const attribute of new Set(
      [old, one, other, element].flatMap((each) => [...each.attributes.keys()]),
    )) {
      const [was, left, right] = [old, one, other].map((each) => each.attributeValue(attribute))
      const expected = left === was || left === right ? right : right === was ? left : undefined
      const value = element.attributeValue(attribute)
      if (expected === undefined || expected !== value) return `${name}@${attribute} is ${value}`
    }
    if (childElements(element).length > 0) continue
    const [was, left, right] = [old, one, other].map((each) => elementText(each).trim())
    const expected = left === was || left === right ? right : right === was ? left : undefined
    const text = elementText(element).trim()
    const isText = childElements(one).length + childElements(other).length === 0
    if (isText && expected !== text) return `${name} is ${text}`
  }
  for (const [name] of before ?? []) {
    const isEverywhere = mine?.has(name) === true && others?.has(name) === true
    if (isEverywhere && !found.has(name)) return `${name} is lost`
  }
  return null
}
