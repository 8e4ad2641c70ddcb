import { isSameName } from '../../core/name-key.ts'
import { ENTITY_KINDS, entityName, foldEntity, isAt } from '../entities/entities.ts'
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
 * Where an entity such as `pipeline/checkout` is in a document, found without reading all of
 * it; null where the document has none, or when it is named by its text as administrators are.
 */
export function entitySpan(text: string, entity: string): Span | null {
  const key = foldEntity(entity)
  const [prefix] = key.split('/', 1)
  for (const kind of ENTITY_KINDS) {
    if (kind.prefix !== prefix || kind.by === '#text') continue
    const isIt = (tag: Span) =>
      foldEntity(entityName({ kind, name: nameOfTag(text, tag, kind) })) === key
    const span = spanOf(text, { steps: kind.steps, isIt })
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
  return spanOf(text, { steps: [['stage']], isIt })
}

function spanOf(text: string, wanted: Wanted): Span | null {
  const wholes = new WholeElements(text)
  const open: string[] = []
  for (let at = 0; at < text.length;) {
    const construct = constructAt(text, at)
    at = construct.end
    if (construct.kind === 'close') close(open, tagNameOf(text, construct))
    if (construct.kind !== 'open') continue
    const name = tagNameOf(text, construct)
    if (isAt([...open, name].slice(1), wanted.steps) && wanted.isIt(construct)) {
      return { start: construct.start, end: endOf(text, construct, wholes) }
    }
    if (isEmpty(text, construct)) continue
    const end = open.length === 0 ? null : wholes.endOf(name, construct)
    if (end === null) open.push(name)
    else at = end
  }
  return null
}

function close(open: string[], name: string): void {
  const place = open.lastIndexOf(name)
  if (place !== -1) open.length = place
}

function isEmpty(text: string, { end }: Construct): boolean {
  return text[end - 2] === '/'
}

function endOf(text: string, tag: Construct, wholes: WholeElements): number {
  if (isEmpty(text, tag)) return tag.end
  const name = tagNameOf(text, tag)
  const end = wholes.endOf(name, tag)
  if (end !== null) return end
  let depth = 1
  for (let at = tag.end; at < text.length;) {
    const construct = constructAt(text, at)
    at = construct.end
    const isSame = tagNameOf(text, construct) === name
    if (construct.kind === 'open' && isSame && !isEmpty(text, construct)) depth += 1
    if (construct.kind === 'close' && isSame) depth -= 1
    if (depth === 0) return at
  }
  return text.length
}
