import { attributeOf, childElements, elementText } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

export type EntityKind = 'pipeline' | 'group' | 'template' | 'environment' | 'agent' | 'role'

/** A part of the configuration that users look up by name. */
export interface Entity {
  readonly kind: EntityKind
  /** The name that it is found by; the uuid of an agent. */
  readonly name: string
  /** The name that people know it by; the host name of an agent. */
  readonly label: string
}

const DEFAULT_GROUP = 'defaultGroup'

/** The entity of an element, or null for a part of one. */
export function entityOf(element: XmlElement): Entity | null {
  const kind = kindOf(element)
  if (kind === null) return null
  const name = siblingIdentity(element)
  const label = kind === 'agent' ? (attributeOf(element, 'hostname') ?? name) : name
  return { kind, name, label }
}

function kindOf({ name, parent }: XmlElement): EntityKind | null {
  if (name === 'pipelines') return parent?.name === 'cruise' ? 'group' : null
  if (name === 'environment') return 'environment'
  if (name === 'agent') return 'agent'
  if (name === 'role' || name === 'pluginRole') return parent?.name === 'roles' ? 'role' : null
  if (name !== 'pipeline') return null
  if (parent?.name === 'templates') return 'template'
  return isGroup(parent) ? 'pipeline' : null
}

function isGroup(element: XmlElement | null): boolean {
  return element?.name === 'pipelines' && element.parent?.name === 'cruise'
}

/** Attributes that identify an element among its siblings. The first one present counts. */
const IDENTITIES = ['name', 'id', 'uuid', 'pipelineName', 'url', 'port', 'ref', 'src', 'pattern']
const IDENTIFIED_BY_TEXT = new Set(['user', 'role', 'resource'])

/** The identity of an element among its siblings; empty when it has none. */
export function siblingIdentity(element: XmlElement): string {
  if (isGroup(element)) return attributeOf(element, 'group') ?? DEFAULT_GROUP
  for (const name of IDENTITIES) {
    const identity = attributeOf(element, name)
    if (identity !== null) return identity
  }
  if (IDENTIFIED_BY_TEXT.has(element.name)) return elementText(element).trim()
  if (element.name !== 'property') return ''
  const key = childElements(element).find(({ name }) => name === 'key')
  return key ? elementText(key).trim() : ''
}
