import { contentOf } from '../compare/content.ts'
import { elementKindOf, isList } from '../compare/element-kind.ts'
import { entityName, entityOf } from '../entities/entities.ts'
import { childElements, elementsAt } from '../xml/xml-elements.ts'
import { pathOf } from '../xml/element-path.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { Span, XmlElement } from '../xml/xml-tree.ts'
import {
  type ElementContent,
  innerSpan,
  NO_CONTENT,
  readContent,
  type Segment,
} from './element-content.ts'
import type { ConflictDecisions, ConflictVersion, Decision } from './merge-conflict.ts'
import { type Gap, mergeOrder, schemaRank } from './merge-order.ts'
import { mergeTag, tagBody, tagEnd } from './merge-tag.ts'
import {
  type Editor,
  mapSides,
  mapEach,
  settled,
  type MergeSides,
  type Thing,
  Things,
  type FollowedSides,
} from './things.ts'

/** Merges two edits of some lines; null where they touch. */
export type MergeLines = (texts: MergeSides<string>) => string | null

/** The content of an element that is merged. */
interface Inner {
  readonly text: string
  readonly hasChildren: boolean
}

/** The children of an element in each document, by what they are. */
type Children = MergeSides<ReadonlyMap<Thing, Segment>>

type Spans = MergeSides<Span | null>

/**
 * Merges two edits of a document by what its elements are. Each part that one side alone has changed
 * is as that side has it, in the place that both give it; what neither has changed keeps its bytes.
 */
export class DocumentMerge {
  readonly #documents: MergeSides<XmlDocument>
  readonly #decisions: ConflictDecisions
  readonly #mergeLines: MergeLines
  readonly #things: Things
  /** The results of decisions about things that one side has removed and the other has changed. */
  readonly #decided = new Map<Thing, string | null>()
  /** The sides whose places are taken for things that both have moved. */
  readonly #placed = new Map<Thing, Editor>()
  /** The segments of the members of groups that a moved pipeline stands in on one side. */
  readonly #members = new Map<XmlElement, ReadonlyMap<XmlElement, Segment>>()

  constructor(
    documents: MergeSides<XmlDocument>,
    deps: {
      readonly decisions: ConflictDecisions
      readonly mergeLines: MergeLines
      readonly followed: FollowedSides
    },
  ) {
    this.#documents = documents
    this.#decisions = deps.decisions
    this.#mergeLines = deps.mergeLines
    this.#things = new Things(documents, deps.followed)
  }

  /** The merged text, in steps. */
  *merge(): Generator<unknown, string> {
    const { root } = this.#things
    const before = mapSides(this.#documents, ({ root: { span } }) => ({
      start: 0,
      end: span.start,
    }))
    const after = mapSides(this.#documents, ({ text, root: { span } }) => ({
      start: span.end,
      end: text.length,
    }))
    const element = yield* this.#element(root)
    return [this.#notes(root, before), element ?? '', this.#notes(root, after)].join('')
  }

  /** The merged text of an element; null for a list that one side has taken away and that is empty. */
  *#element(thing: Thing): Generator<unknown, string | null> {
    yield
    const decided = this.#decided.get(thing)
    if (decided !== undefined) return decided
    const spans = mapEach(thing, ({ span }) => span)
    const isDivided = this.#things.hasMoves && holdsPipelines(thing.any)
    const whole = isDivided ? undefined : settled(this.#texts(spans))
    if (whole !== undefined) return whole
    if (this.#isIndivisible(thing)) return this.#decideText(thing, 'whole', spans)
    const body = this.#tagBody(thing)
    const inner = yield* this.#inner(thing)
    const isTakenAway = thing.base !== null && (thing.ours === null || thing.theirs === null)
    if (isTakenAway && !inner.hasChildren) return null
    return this.#enclosed(thing, body, inner.text)
  }

  /** Whether an edit of the element is understood only as a whole. */
  #isIndivisible(thing: Thing): boolean {
    if (thing.ours === null || thing.theirs === null) return false
    if (thing.base === null) return !isList(thing.any) && !holdsPipelines(thing.any)
    return thing.isReplaced || settled(mapEach(thing, commandOf)) === undefined
  }

  #enclosed(thing: Thing, body: string, inner: string): string {
    const ends = this.#textsOf(thing, (text, element) => tagEnd({ text, element }))
    const closes = this.#textsOf(thing, (text, { closeTag }) =>
      closeTag === null ? null : text.slice(closeTag.start, closeTag.end),
    )
    const end = settled(ends) ?? ends.theirs ?? ends.ours ?? ''
    if (inner === '' && end.endsWith('/>')) return `${body}${end}`
    const close = closes.theirs ?? closes.ours ?? `</${thing.any.name}>`
    return `${body}${end.endsWith('/>') ? '>' : end}${inner}${close}`
  }

  #tagBody(thing: Thing): string {
    const bodies = this.#textsOf(thing, (text, element) => tagBody({ text, element }))
    const body = settled(bodies)
    if (body != null) return body
    const { base, ours, theirs } = thing
    if (base === null || ours === null || theirs === null) return bodies.theirs ?? bodies.ours ?? ''
    const elements = { base, ours, theirs }
    const tags = mapSides(SIDES, (side) => ({
      text: this.#documents[side].text,
      element: elements[side],
    }))
    return mergeTag(tags, (attribute) => {
      const spans = mapSides(elements, ({ attributes }) => attributes.get(attribute.name)?.span)
      const decision = this.#decide(
        thing,
        `@${attribute.name}`,
        mapSides(spans, (span) => span ?? null),
      )
      return attribute[decision === 'both' ? 'theirs' : decision]
    })
  }

  *#inner(thing: Thing): Generator<unknown, Inner> {
    const spans = mapEach(thing, innerSpan)
    const contents = mapSides(SIDES, (side) => {
      const element = thing[side]
      return element === null ? NO_CONTENT : readContent(this.#documents[side].text, element)
    })
    const all = [contents.base, contents.ours, contents.theirs]
    const isText = all.some(({ hasText }) => hasText)
    const isFlat = all.every(({ segments }) => segments.length === 0)
    if (isText) return { text: this.#lines(thing, isFlat, spans), hasChildren: true }
    if (isFlat) return { text: this.#notes(thing, spans), hasChildren: false }
    const isClear = this.#things.match(
      mapSides(contents, ({ segments }) => segments.map(({ element }) => element)),
    )
    if (!isClear) return { text: this.#decideText(thing, 'content', spans), hasChildren: true }
    return yield* this.#list(thing, contents)
  }

  *#list(thing: Thing, contents: MergeSides<ElementContent>): Generator<unknown, Inner> {
    const children = mapSides(
      contents,
      ({ segments }) => new Map(segments.map((each) => [this.#things.of(each.element), each])),
    )
    const pieces: string[] = []
    for (const child of this.#order(thing, children)) {
      const element = yield* this.#element(child)
      if (element === null) continue
      const own = mapSides(
        SIDES,
        (side) => children[side].get(child) ?? this.#elsewhere(side, child),
      )
      const lead = this.#notes(
        child,
        mapSides(own, (segment) => segment?.lead ?? null),
      )
      const trail = this.#notes(
        child,
        mapSides(own, (segment) => segment?.trail ?? null),
      )
      pieces.push(lead, element, trail)
    }
    const tails = mapSides(contents, ({ segments, tail }) => (segments.length > 0 ? tail : null))
    const emptied = pieces.length > 0 ? undefined : EDITORS.find((side) => tails[side] === null)
    if (emptied !== undefined) {
      // Of the tail of the other side only comments matter: the list is as it was emptied.
      const texts = this.#texts(tails)
      const isNoted =
        commentsIn(`${texts.ours ?? ''}${texts.theirs ?? ''}`) !== commentsIn(texts.base ?? '')
      const inner = mapEach(thing, innerSpan)[emptied]
      if (!isNoted || inner === null)
        return { text: inner === null ? '' : this.#slice(emptied, inner), hasChildren: false }
    }
    return { text: [...pieces, this.#notes(thing, tails)].join(''), hasChildren: pieces.length > 0 }
  }

  /** The segment of a thing that a side has in another place: what stands around it there goes with it. */
  #elsewhere(side: keyof MergeSides<unknown>, { [side]: element }: Thing): Segment | undefined {
    if (element?.parent == null) return undefined
    const { parent } = element
    const members =
      this.#members.get(parent) ??
      new Map(
        readContent(this.#documents[side].text, parent).segments.map((each) => [
          each.element,
          each,
        ]),
      )
    this.#members.set(parent, members)
    return members.get(element)
  }

  /** The children of the merged element, in their order. */
  #order(parent: Thing, children: Children): readonly Thing[] {
    const orders = mapSides(children, (segments) => [...segments.keys()])
    const all = new Set([...orders.ours, ...orders.theirs])
    const present = new Set([...all].filter((child) => this.#isPresent(child, children)))
    const isOrdered = [...all].some(isOrderedThing)
    return mergeOrder(orders, {
      isPresent: (child) => present.has(child),
      isOrdered,
      join: (gap) => this.#join(parent, children, gap),
      choose: () => {
        const spans = mapEach(parent, innerSpan)
        return this.#decide(parent, 'order', spans) === 'ours' ? 'ours' : 'theirs'
      },
    })
  }

  /** Whether the merged element has a child that one of the sides has in it. */
  #isPresent(child: Thing, { base, ours, theirs }: Children): boolean {
    if (ours.has(child) && theirs.has(child)) return true
    const [here, other] = ours.has(child)
      ? (['ours', 'theirs'] as const)
      : (['theirs', 'ours'] as const)
    const isOld = base.has(child)
    if (child[other] !== null) return !isOld && this.#isPlaced(child, here)
    if (child.base === null || (isOld && isList(child.any))) return true
    return this.#isKept(child, { here, segments: { base, here: here === 'ours' ? ours : theirs } })
  }

  /** Whether a thing that a side has brought here stays, though the other may have put it elsewhere. */
  #isPlaced(child: Thing, here: Editor): boolean {
    const other = here === 'ours' ? 'theirs' : 'ours'
    if (child.base !== null && !this.#things.isMoved(child, other)) return true
    const known = this.#placed.get(child)
    if (known !== undefined) return known === here
    const tags = mapEach(child, ({ openTag }) => openTag)
    const place = this.#decide(child, 'place', tags) === 'ours' ? 'ours' : 'theirs'
    this.#placed.set(child, place)
    return place === here
  }

  /** Whether a thing stays that the other side has taken away: only where this side has changed it. */
  #isKept(
    child: Thing,
    {
      here,
      segments,
    }: {
      readonly here: Editor
      readonly segments: Record<'base' | 'here', ReadonlyMap<Thing, Segment>>
    },
  ): boolean {
    const texts = this.#texts(mapEach(child, ({ span }) => span))
    const noteIn = (side: keyof MergeSides<unknown>, segment: Segment | undefined) =>
      segment === undefined
        ? null
        : commentsIn(this.#slice(side, segment.lead) + this.#slice(side, segment.trail))
    const isNoted =
      noteIn(here, segments.here.get(child)) !== noteIn('base', segments.base.get(child))
    if (!isNoted && (texts[here] === texts.base || this.#isDissolved(child, here))) return false
    const spans = mapEach(child, ({ span }) => span)
    const decision = this.#decide(child, 'removed', spans)
    const kept = decision === 'both' ? null : texts[decision]
    this.#decided.set(child, kept)
    return kept !== null
  }

  /** Whether the other side has taken away a group whose changed pipelines it has elsewhere. */
  #isDissolved(group: Thing, here: Editor): boolean {
    const { base, [here]: mine } = group
    if (base === null || mine === null || !holdsPipelines(mine) || !this.#things.hasMoves)
      return false
    const [other] = here === 'ours' ? (['theirs'] as const) : (['ours'] as const)
    const own = (side: 'base' | Editor, element: XmlElement) => {
      const rest = childElements(element).filter((child) => {
        if (child.name !== 'pipeline') return true
        const thing = this.#things.of(child)
        return thing[other] === null || (side === here && this.#things.isMoved(thing, here))
      })
      const { text } = this.#documents[side]
      return [
        tagBody({ text, element }),
        ...rest.map(({ span }) => text.slice(span.start, span.end)),
      ]
    }
    return own('base', base).join('\n') === own(here, mine).join('\n')
  }

  /** Joins the additions of both sides in one place. */
  #join(parent: Thing, children: Children, gap: Gap<Thing>): readonly Thing[] {
    const isContested =
      gap.ours.some(isOrderedThing) && [...gap.theirs, ...gap.gone].some(isOrderedThing)
    if (!isContested) {
      const rankOf = schemaRank(parent.any)
      const inOrder = [...gap.ours, ...gap.theirs]
      return inOrder.toSorted((one, other) => rankOf(one.any) - rankOf(other.any))
    }
    const runs = { base: gap.gone, ours: gap.ours, theirs: gap.theirs }
    const spans = mapSides(SIDES, (side) =>
      spanOf(runs[side].map((each) => children[side].get(each))),
    )
    const canBeBoth = gap.theirs.length > 0
    switch (this.#decide(parent, 'gap', spans, canBeBoth)) {
      case 'ours':
        return gap.ours
      case 'both':
        return [...gap.theirs, ...gap.ours]
      case 'theirs':
        return gap.theirs
      case 'base':
        return []
    }
  }

  /** Merges white space and comments, of which comments matter. */
  #notes(thing: Thing, spans: Spans): string {
    const texts = this.#texts(spans)
    if (texts.ours === null || texts.theirs === null) return texts.theirs ?? texts.ours ?? ''
    const whole = settled(texts)
    if (whole !== undefined) return whole ?? ''
    const [base, ours, theirs] = [texts.base, texts.ours, texts.theirs].map((text) =>
      commentsIn(text ?? ''),
    )
    if (ours === base || ours === theirs) return texts.theirs
    if (theirs === base) return texts.ours
    const merged = this.#mergeLines({
      base: texts.base ?? '',
      ours: texts.ours,
      theirs: texts.theirs,
    })
    if (merged !== null) return merged
    const decision = this.#decide(thing, 'notes', spans, true)
    return decision === 'both' ? `${texts.theirs.trimEnd()}${texts.ours}` : (texts[decision] ?? '')
  }

  /** Merges text by lines, as nothing smaller has a name; beside elements only as a whole. */
  #lines(thing: Thing, isFlat: boolean, spans: Spans): string {
    const { base, ours, theirs } = this.#texts(spans)
    const whole = settled({ base, ours, theirs })
    if (whole !== undefined) return whole ?? ''
    const isEverywhere = base !== null && ours !== null && theirs !== null
    const merged = isFlat && isEverywhere ? this.#mergeLines({ base, ours, theirs }) : null
    return merged ?? this.#decideText(thing, 'text', spans)
  }

  #decideText(thing: Thing, aspect: string, spans: Spans): string {
    const decision = this.#decide(thing, aspect, spans)
    return this.#texts(spans)[decision === 'both' ? 'theirs' : decision] ?? ''
  }

  #decide(thing: Thing, aspect: string, spans: Spans, canBeBoth = false): Decision {
    const versions = mapSides(SIDES, (side): ConflictVersion => {
      const span = spans[side]
      const start = span?.start ?? thing[side]?.span.start ?? 0
      const { line } = this.#documents[side].lines.positionOf(start)
      return { text: span === null ? '' : this.#slice(side, span), line }
    })
    const [path, entity] = [pathOf(thing.any), entityAround(thing.any)]
    return this.#decisions.decide(aspect, { path, entity, ...versions, canBeBoth })
  }

  #texts(spans: Spans): MergeSides<string | null> {
    return mapSides(SIDES, (side) => {
      const span = spans[side]
      return span === null ? null : this.#slice(side, span)
    })
  }

  #textsOf(
    thing: Thing,
    read: (text: string, element: XmlElement) => string | null,
  ): MergeSides<string | null> {
    return mapSides(SIDES, (side) => {
      const element = thing[side]
      return element === null ? null : read(this.#documents[side].text, element)
    })
  }

  #slice(side: keyof MergeSides<unknown>, { start, end }: Span): string {
    return this.#documents[side].text.slice(start, end)
  }
}

const EDITORS = ['ours', 'theirs'] as const
const SIDES = { base: 'base', ours: 'ours', theirs: 'theirs' } as const

/** The root, or a group. */
function holdsPipelines(element: XmlElement): boolean {
  return element.parent === null || entityOf(element)?.kind.word === 'group'
}

function entityAround(element: XmlElement): string | null {
  const entity = entityOf(element)
  if (entity !== null) return entityName(entity)
  return element.parent && entityAround(element.parent)
}

/** The attributes and children that are one command; empty for what is none. */
function commandOf(element: XmlElement): string {
  if (element.name !== 'exec') return ''
  const [command, args] = [element.attributeValue('command'), element.attributeValue('args')]
  return JSON.stringify([command, args, ...elementsAt(element, 'arg').map((arg) => contentOf(arg))])
}

/** Whether a thing is done in its turn among its siblings. */
function isOrderedThing({ any }: Thing): boolean {
  const { word } = elementKindOf(any)
  return word === 'task' || word === 'argument' || word === 'stage'
}

/** Comments without the layout around them. */
function commentsIn(notes: string): string {
  return notes.replace(/\s+/g, ' ').trim()
}

/** From the first to the last of some segments; null for none. */
function spanOf(segments: readonly (Segment | undefined)[]): Span | null {
  const [first, last] = [segments[0], segments.at(-1)]
  return first && last ? { start: first.element.span.start, end: last.element.span.end } : null
}
