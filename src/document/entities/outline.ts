import { entitiesIn, ENTITY_KINDS, entityName, entityOf, labelIn, SERVER } from './entities.ts'
import { childElements } from '../xml/xml-elements.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

/** A place in a document that people look for, with its lines, counted from 1. */
export interface OutlineEntry {
  /** The kind: `group`, `pipeline`, `stage`, or the element's own name for a section. */
  readonly kind: string
  /** Empty for a section that has no name. */
  readonly name: string
  /** `pipeline/NAME`, `stage/PIPELINE/NAME`, `server`: what it is in the history; null for others. */
  readonly entity: string | null
  readonly first: number
  readonly last: number
  readonly children: readonly OutlineEntry[]
}

/** Sections whose members are worth a place of their own; groups have names themselves. */
const LISTS = new Set(
  ENTITY_KINDS.filter(({ isListed }) => isListed).flatMap(({ steps: [list = []] }) => list),
)

/**
 * Groups with their pipelines and stages, the server with its roles, and the other sections, in the
 * order of the document.
 */
export function outlineOf({ root, lines }: Pick<XmlDocument, 'root' | 'lines'>): OutlineEntry[] {
  const roles = rolesIn(root)
  const membersOf = (element: XmlElement): readonly XmlElement[] =>
    element.name === SERVER ? roles : listedIn(element)
  const entry = (element: XmlElement): OutlineEntry => {
    const entity = entityOf(element)
    const stage = entity ? null : stageOf(element)
    return {
      kind: entity?.kind.word ?? element.name,
      name: entity ? labelIn(entity) : (stage?.name ?? ''),
      entity: entity ? entityName(entity) : (stage?.entity ?? null),
      first: lines.positionOf(element.span.start).line,
      last: lines.positionOf(element.span.end - 1).line,
      children: membersOf(element).map(entry),
    }
  }
  return childElements(root).map(entry)
}

function rolesIn(root: XmlElement): readonly XmlElement[] {
  const roles = ENTITY_KINDS.filter(({ word }) => word === 'role')
  return roles.flatMap((kind) => entitiesIn(root, kind)).map(({ element }) => element)
}

function listedIn(element: XmlElement): readonly XmlElement[] {
  const children = childElements(element)
  const kind = entityOf(element)?.kind
  if (kind?.word === 'group') return children.filter(({ name }) => name === 'pipeline')
  if (kind?.word === 'pipeline' || kind?.word === 'template') {
    return children.filter(({ name }) => name === 'stage')
  }
  return LISTS.has(element.name) ? children : []
}

/** A stage has a history only where it is one of a pipeline. */
function stageOf(
  element: XmlElement,
): { readonly name: string; readonly entity: string | null } | null {
  if (element.name !== 'stage') return null
  const name = element.attributeValue('name') ?? ''
  const pipeline = element.parent && entityOf(element.parent)
  const entity = pipeline?.kind.word === 'pipeline' ? `stage/${pipeline.name}/${name}` : null
  return { name, entity }
}
