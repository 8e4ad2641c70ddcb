import { commentsOf } from '../../../src/document/compare/content.ts'
import { summariseChanges } from '../../../src/document/changes/summarise-changes.ts'
import { childElements, elementText } from '../../../src/document/xml/xml-elements.ts'
import type { XmlDocument } from '../../../src/document/xml/xml-reader.ts'
import type { XmlElement } from '../../../src/document/xml/xml-tree.ts'
import { runSync } from '../../../src/lib/cooperative.ts'
import { followRenames } from '../../../src/document/merge/follow-renames.ts'
import { mergeMembers } from '../../../src/document/merge/merge-members.ts'
import { mergeEdits } from '../../../src/configuration/save/merge-edits.ts'
import { rememberedDocument } from '../../support/documents/xml-documents.ts'
import {
  formerName,
  type NamedEdit,
  namesOf,
  Picks,
  randomEdit,
  type Renamed,
} from './merge-edits.ts'

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

function renamesOf(edits: readonly NamedEdit[]): readonly Renamed[] {
  return edits.flatMap(({ renamed }) => renamed)
}

/** The fault of the merge of a triple; null when there is none. */
export function faultOf(triple: Triple): string | null {
  const documents = {
    base: rememberedDocument(triple.base),
    ours: rememberedDocument(triple.ours.text),
    theirs: rememberedDocument(triple.theirs.text),
  }
  const { text, conflicts } = runSync(mergeEdits(runSync(followRenames(documents))))
  const quick = quicklyMerged(triple)
  if (quick !== null && (conflicts.length > 0 || quick !== text))
    return 'members put in place differ'
  const merged = rememberedDocument(text)
  if (touch(triple.ours.edits, triple.theirs.edits)) {
    if (isRenamedApart(triple)) return null
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

/** Whether one side has changed what the other has renamed, and the documents tell that it is the same. */
export function isFollowed(triple: Triple): boolean {
  const { ours, theirs } = triple
  return (isWithinRenamed(ours, theirs) || isWithinRenamed(theirs, ours)) && !mayContradict(triple)
}

function isWithinRenamed(side: Edited, others: Edited): boolean {
  return side.edits.some(({ renamed: [thing] }) => {
    const inside = `${thing?.from}/`
    return others.edits.some(({ parts }) => parts.some((part) => part.includes(inside)))
  })
}

/** The merge that only puts members in their place; null where it takes more. */
export function quicklyMerged({ base, ours, theirs }: Triple): string | null {
  const [before, one, other] = [base, ours.text, theirs.text].map((text) => Buffer.from(text))
  if (!before || !one || !other) return null
  return runSync(mergeMembers({ base: before, ours: one, theirs: other }))
}

/** Whether both have renamed a thing and one of them so that nobody can tell: then each has its own. */
function isRenamedApart({ base, ours, theirs }: Triple): boolean {
  const told = [ours, theirs].map((side) => toldRenames(base, side))
  return renamesOf(ours.edits).some(({ from, to }) => {
    const other = renamesOf(theirs.edits).find((each) => each.from === from)
    return (
      other !== undefined &&
      [to, other.to].some((name, n) => told[n]?.has(lastWord(name)) === false)
    )
  })
}

function lastWord(name: string): string {
  return name.slice(name.lastIndexOf(' ') + 1)
}

/**
 * Whether a side has changed what the other has renamed, where nothing in the documents tells what has the new name: a
 * summary of the changes names no rename, other things of the kind have gone or come with it, or it has kept nothing
 * that tells it from others of its form.
 */
function mayContradict({ base, ours, theirs }: Triple): boolean {
  return isOfUntold(base, ours, theirs.edits) || isOfUntold(base, theirs, ours.edits)
}

function isOfUntold(base: string, side: Edited, others: readonly NamedEdit[]): boolean {
  const told = toldRenames(base, side)
  return side.edits.some(({ words, renamed: [thing] }) => {
    if (thing === undefined) return false
    // The pipelines of a group are in it.
    const inside = [thing.from, ...(thing.from.startsWith('/pipelines ') ? ['/pipeline '] : [])]
    const isChanged = others.some(({ parts }) =>
      parts.some((part) => inside.some((name) => part.includes(name))),
    )
    const isOneOfMany = side.edits.some((other) => other.words !== words && exchanges(other))
    return isChanged && (isOneOfMany || !told.has(lastWord(thing.to)) || !isTold(base, side, thing))
  })
}

/** Whether a renamed thing has kept a line with a value that stands nowhere else, or all of its lines. */
function isTold(base: string, side: Edited, { from, to }: Renamed): boolean {
  const [was, is] = [
    namesOf(rememberedDocument(base)).get(from),
    namesOf(rememberedDocument(side.text)).get(to),
  ]
  if (!was || !is) return false
  const [own, kept] = [linesIn(base, was), linesIn(side.text, is)]
  const others = `${base.slice(0, was.span.start)}\n${base.slice(was.span.end)}`
  const isWhole = own.slice(1).join('\n') === kept.slice(1).join('\n')
  return isWhole || own.some((line) => kept.includes(line) && !others.includes(line))
}

function linesIn(text: string, { span }: XmlElement): readonly string[] {
  const lines = text.slice(span.start, span.end).split('\n')
  return lines.map((line) => line.trim()).filter((line) => /=|>[^<]/.test(line))
}

/** Whether an edit lets things go or come. */
function exchanges({ words }: NamedEdit): boolean {
  return /^(?:add|remove|rename) /.test(words)
}

/** The new names in what a summary of the changes calls a rename, with the former ones. */
function toldRenames(base: string, { text }: Edited): ReadonlyMap<string, string> {
  const [before, after] = [rememberedDocument(base), rememberedDocument(text)]
  const changes = runSync(summariseChanges(before, after))
  return new Map(
    changes.flatMap(({ kind, from = '', to = '' }) =>
      kind === 'renamed' ? [[to.toLowerCase(), from.toLowerCase()] as const] : [],
    ),
  )
}

/** A pipeline that took the place of one that went is one with another name, where a summary says so. */
function likeRenames(base: string, side: Edited): readonly Renamed[] {
  if (!side.edits.some(exchanges)) return []
  return Array.from(toldRenames(base, side), ([to, from]) => ({
    from: `/pipeline ${from}`,
    to: `/pipeline ${to}`,
  }))
}

function inTurn(first: Edited, second: Edited): string | null {
  let text: string | null = first.text
  const renames = [...renamesOf(first.edits)]
  for (const edit of second.edits) {
    text = text === null ? null : edit.apply(text, renames)
    renames.push(...edit.renamed)
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

/** The former name of a part, which may be a reference to what was renamed. */
function formerly(name: string, renames: readonly Renamed[]): string {
  return renames.reduce(
    (found, { from, to }) => {
      const [thing, later] = [from, to].map((path) => path.slice(path.lastIndexOf('/') + 1))
      const start = [`/materials/${later}`, `/pipelines/${later}`, `/view/${later}`].find(
        (end) => found.endsWith(end) && from !== found,
      )
      return start === undefined ? found : found.slice(0, -(later ?? '').length) + thing
    },
    formerName(name, renames),
  )
}

/** A part of the merge that is as no side would have it; null for none. */
function wrongPart({ base, ours, theirs }: Triple, merged: XmlDocument): string | null {
  const renames = [ours, theirs].flatMap((side) => [
    ...renamesOf(side.edits),
    ...likeRenames(base, side),
  ])
  const partsIn = (document: XmlDocument) =>
    new Map(Array.from(namesOf(document), ([name, each]) => [formerly(name, renames), each]))
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
