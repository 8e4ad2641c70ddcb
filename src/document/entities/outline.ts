import { SERVER } from './entities.ts'
import { entityOf, siblingIdentity } from './entity-of.ts'
import { childElements, elementsAt, parseElementPath } from '../xml/xml-elements.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

/** A place in a document that people look for, with its lines, counted from 1. */
export interface OutlineEntry {
  /** What it is called: `group`, `pipeline`, `stage`, or the element's own name for a section. */
  readonly kind: string
  /** Empty for a section that has no name. */
  readonly name: string
  /** `pipeline/NAME`, `stage/PIPELINE/NAME`, `server`: what it is in the history; null for others. */
  readonly entity: string | null
  readonly first: number
  readonly last: number
  readonly children: readonly OutlineEntry[]
}

/** Sections whose members are worth a place of their own. */
const LISTED = new Set(['templates', 'environments', 'agents'])
const ROLES = parseElementPath('security/roles/role|pluginRole')

/**
 * Groups with their pipelines and stages, the server with its roles, and the other sections, in the
 * order of the document.
 */
export function outlineOf({ root, lines }: Pick<XmlDocument, 'root' | 'lines'>): OutlineEntry[] {
  const entry = (element: XmlElement, members: readonly XmlElement[]): OutlineEntry => ({
    kind: entityOf(element)?.kind ?? element.name,
    name: nameOf(element),
    entity: historyOf(element),
    first: lines.positionOf(element.span.start).line,
    last: lines.positionOf(element.span.end - 1).line,
    children: members.map((member) => entry(member, membersOf(member))),
  })
  return childElements(root).map((element) => entry(element, membersOf(element)))
}

function historyOf(element: XmlElement): string | null {
  const entity = entityOf(element)
  if (entity) return `${entity.kind}/${entity.name}`
  if (element.name === SERVER) return SERVER
  const pipeline = element.parent && entityOf(element.parent)
  if (element.name !== 'stage' || pipeline?.kind !== 'pipeline') return null
  return `stage/${pipeline.name}/${siblingIdentity(element)}`
}

function membersOf(element: XmlElement): XmlElement[] {
  if (element.name === SERVER) return elementsAt(element, ROLES)
  const children = childElements(element)
  if (LISTED.has(element.name)) return children
  const kind = entityOf(element)?.kind
  if (kind === 'group') return children.filter(({ name }) => name === 'pipeline')
  const hasStages = kind === 'pipeline' || kind === 'template'
  return hasStages ? children.filter(({ name }) => name === 'stage') : []
}

function nameOf(element: XmlElement): string {
  const entity = entityOf(element)
  if (entity) return entity.label
  return element.name === 'stage' ? siblingIdentity(element) : ''
}
