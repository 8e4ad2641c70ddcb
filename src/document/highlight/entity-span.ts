import { isSameName } from '../../core/name-key.ts'
import { ENTITY_KINDS, entityName, foldEntity, isAt, kindOfPrefix } from '../entities/entities.ts'
import { runSync } from '../../lib/cooperative.ts'
import type { PathSteps } from '../xml/xml-elements.ts'
import type { Span } from '../xml/xml-tree.ts'
import { attribute, nameOfTag } from './open-path.ts'
import { WholeElements } from './whole-elements.ts'
import { type Construct, constructAt, tagNameOf } from './xml-scanner.ts'

/** The wanted element: its place below the root, and its tag. */
interface Wanted {
  readonly steps: PathSteps
  readonly isIt: (tag: Span) => boolean
}

/**
 * Where an entity such as `pipeline/checkout` is in a document, found in steps and without reading all of
 * it; null where the document has none, or when it is named by its text as administrators are.
 */
export function* entitySpan(text: string, entity: string): Generator<void, Span | null> {
  const key = foldEntity(entity)
  const [prefix] = key.split('/', 1)
  for (const kind of ENTITY_KINDS) {
    if (kind.prefix !== prefix || kind.by === '#text') continue
    const isIt = (tag: Span) =>
      foldEntity(entityName({ kind, name: nameOfTag(text, tag, kind) })) === key
    const span = yield* spanOf(text, { steps: kind.steps, isIt })
    if (span) return span
  }
  return null
}

/** Where a stage is in the text of a pipeline or template. */
export function stageSpan(text: string, stage: string): Span | null {
  const isIt = (tag: Span) => {
    const name = attribute(text, { tag }, 'name')
    return name !== null && isSameName(name, stage)
  }
  return runSync(spanOf(text, { steps: [['stage']], isIt }))
}

/** The groups of pipelines in a document, by the names of the pipelines in folded spelling. */
export function groupsOfPipelines(text: string): ReadonlyMap<string, string> {
  const [pipeline, group] = [kindOfPrefix('pipeline'), kindOfPrefix('group')]
  const groups = new Map<string, string>()
  let name = ''
  for (const { tag, path } of openTags(text, new WholeElements(text))) {
    if (group !== null && isAt(path, group.steps)) name = nameOfTag(text, tag, group)
    if (pipeline === null || !isAt(path, pipeline.steps)) continue
    const entity = { kind: pipeline, name: nameOfTag(text, tag, pipeline) }
    groups.set(foldEntity(entityName(entity)), name)
  }
  return groups
}

function* spanOf(text: string, wanted: Wanted): Generator<void, Span | null> {
  const wholes = new WholeElements(text)
  for (const { tag, path } of openTags(text, wholes)) {
    if (isAt(path, wanted.steps) && wanted.isIt(tag)) {
      return { start: tag.start, end: yield* endOf(text, tag, wholes) }
    }
    yield
  }
  return null
}

interface OpenTag {
  readonly tag: Construct
  /** The names of the elements from below the root down to this one. */
  readonly path: readonly string[]
}

/** The opening tags of a text, without those in elements whose ends are found without a look at them. */
function* openTags(text: string, wholes: WholeElements): Generator<OpenTag, void> {
  const open: string[] = []
  for (let at = 0; at < text.length;) {
    const tag = constructAt(text, at)
    at = tag.end
    if (tag.kind === 'close') close(open, tagNameOf(text, tag))
    if (tag.kind !== 'open') continue
    const name = tagNameOf(text, tag)
    yield { tag, path: [...open, name].slice(1) }
    if (isEmpty(text, tag)) continue
    const end = open.length === 0 ? null : wholes.endOf(name, tag)
    if (end === null) open.push(name)
    else at = end
  }
}

function close(open: string[], name: string): void {
  const place = open.lastIndexOf(name)
  if (place !== -1) open.length = place
}

function isEmpty(text: string, { end }: Construct): boolean {
  return text[end - 2] === '/'
}

function* endOf(text: string, tag: Construct, wholes: WholeElements): Generator<void, number> {
  if (isEmpty(text, tag)) return tag.end
  const name = tagNameOf(text, tag)
  const end = wholes.endOf(name, tag)
  if (end !== null) return end
  let depth = 1
  for (let at = tag.end; at < text.length;) {
    const construct = constructAt(text, at)
    at = construct.end
    const inner = tagNameOf(text, construct)
    const isSame = inner === name
    if (construct.kind === 'open' && isSame && !isEmpty(text, construct)) depth += 1
    if (construct.kind === 'open' && !isSame && !isEmpty(text, construct)) {
      at = wholes.endOf(inner, construct) ?? at
    }
    if (construct.kind === 'close' && isSame) depth -= 1
    if (depth === 0) return at
    yield
  }
  return text.length
}
