import { contentOf } from '../compare/content.ts'
import type { EntityRenames } from '../compare/compare-entities.ts'
import { childElements, elementsAt } from '../xml/xml-elements.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { type FollowedChanges, matchSiblings, siblingKey } from './match-siblings.ts'

/** A value for the base and for each of the two edits of it. */
export interface MergeSides<Value> {
  readonly base: Value
  readonly ours: Value
  readonly theirs: Value
}

/** One of the two edits. */
export type Editor = 'ours' | 'theirs'

/** The renames of entities on each side, from their names in the base. */
export type MergeRenames = Readonly<Record<Editor, EntityRenames>>

export const NO_RENAMES: MergeRenames = { ours: [], theirs: [] }

/** The changes that are followed to where they went. */
export type FollowedSides = Pick<FollowedChanges, 'followsLikely'> & {
  readonly renames: MergeRenames
}

type MergedText = Pick<XmlDocument, 'root' | 'text'>

/** One element as the three documents have it; null where a document has it not. */
export class Thing implements MergeSides<XmlElement | null> {
  base: XmlElement | null = null
  ours: XmlElement | null = null
  theirs: XmlElement | null = null
  /** Whether a side has another element in its place, so that the place alone says that it is the same. */
  isReplaced = false

  /** The element in one of the documents. */
  get any(): XmlElement {
    const element = this.theirs ?? this.ours ?? this.base
    if (element === null) throw new Error('a thing that no document has')
    return element
  }
}

const PIPELINES = 'pipelines/pipeline'

/**
 * Matches the elements of three documents that are the same thing. Pipelines are followed from
 * group to group.
 */
export class Things {
  readonly root = new Thing()
  /** Whether a side has a pipeline in another group than the base. */
  readonly hasMoves: boolean
  readonly #things = new Map<XmlElement, Thing>()

  readonly #documents: MergeSides<MergedText>
  readonly #followed: FollowedSides

  constructor(documents: MergeSides<MergedText>, followed: FollowedSides) {
    this.#documents = documents
    this.#followed = followed
    const roots = mapSides(documents, ({ root }) => root)
    this.#set(this.root, 'base', roots.base)
    this.#set(this.root, 'ours', roots.ours)
    this.#set(this.root, 'theirs', roots.theirs)
    this.match(mapSides(roots, childElements))
    const pipelines = mapSides(roots, (root) => elementsAt(root, PIPELINES))
    this.match(pipelines)
    this.hasMoves = [...pipelines.ours, ...pipelines.theirs].some((pipeline) => {
      const thing = this.of(pipeline)
      return this.isMoved(thing, 'ours') || this.isMoved(thing, 'theirs')
    })
  }

  of(element: XmlElement): Thing {
    const thing = this.#things.get(element)
    if (thing === undefined) throw new Error('an element that was not matched')
    return thing
  }

  /** Whether a side has a thing in another element than the base. */
  isMoved(thing: Thing, side: Editor): boolean {
    const [before, after] = [thing.base?.parent, thing[side]?.parent]
    return before != null && after != null && this.of(before) !== this.of(after)
  }

  /**
   * Matches the elements of a list that are not matched yet. False where one side has changed a
   * list in which it cannot be told which elements the other side has changed.
   */
  match(lists: MergeSides<readonly XmlElement[]>): boolean {
    const { base, ours, theirs } = mapSides(lists, (list) =>
      list.filter((element) => !this.#things.has(element)),
    )
    for (const element of base) this.#set(new Thing(), 'base', element)
    const changes = {
      ours: this.#matchSide(base, ours, 'ours'),
      theirs: this.#matchSide(base, theirs, 'theirs'),
    }
    const keys = new Map(changes.ours.added.map((thing) => [keyOf(thing), thing]))
    for (const thing of changes.theirs.added) {
      const same = keys.get(keyOf(thing))
      if (same?.theirs === null && thing.theirs) this.#set(same, 'theirs', thing.theirs)
    }
    const isUnclear = (one: Editor, other: Editor) =>
      changes[one].isAmbiguous && changes[other].isLooseChanged
    return !isUnclear('ours', 'theirs') && !isUnclear('theirs', 'ours')
  }

  #matchSide(base: readonly XmlElement[], elements: readonly XmlElement[], side: Editor) {
    const { twins, replaced, ...matching } = matchSiblings(base, elements, this.#followedOn(side))
    const added: Thing[] = []
    for (const element of elements) {
      const twin = twins.get(element)
      const thing = twin === undefined ? new Thing() : this.of(twin)
      this.#set(thing, side, element)
      if (replaced.has(element)) thing.isReplaced = true
      if (twin === undefined) added.push(thing)
    }
    return { ...matching, added }
  }

  #followedOn(side: Editor): FollowedChanges {
    const { renames, followsLikely } = this.#followed
    const { base, [side]: changed } = this.#documents
    return {
      before: base.text,
      after: changed.text,
      renames: renames[side],
      followsLikely,
    }
  }

  #set(thing: Thing, side: keyof MergeSides<unknown>, element: XmlElement): void {
    thing[side] = element
    this.#things.set(element, thing)
  }
}

export function mapSides<From, To>(
  sides: MergeSides<From>,
  map: (value: From) => To,
): MergeSides<To> {
  return { base: map(sides.base), ours: map(sides.ours), theirs: map(sides.theirs) }
}

/** The same of what is not everywhere. */
export function mapEach<From, To>(
  { base, ours, theirs }: MergeSides<From | null>,
  map: (value: From) => To,
): MergeSides<To | null> {
  const mapIt = (value: From | null) => (value === null ? null : map(value))
  return { base: mapIt(base), ours: mapIt(ours), theirs: mapIt(theirs) }
}

/** The value of the side that has changed it; undefined where each has changed it in its own way. */
export function settled<Value>({ base, ours, theirs }: MergeSides<Value>): Value | undefined {
  if (ours === base || ours === theirs) return theirs
  return theirs === base ? ours : undefined
}

/** The key that is the same when both sides have added the same thing. */
function keyOf({ any }: Thing): string {
  return siblingKey(any) ?? contentOf(any)
}
