import type { XmlElement } from '../xml-tree.ts'
import { attributeOf, textOf } from '../xml-elements.ts'

export type EntityKind = 'pipeline' | 'group' | 'template' | 'environment' | 'agent' | 'role'

/** Something of the configuration that has a history of its own. */
export interface Entity {
  readonly kind: EntityKind
  /** The name that it is found by; the uuid of an agent. */
  readonly name: string
  /** The name that people know it by; the host name of an agent. */
  readonly label: string
}

/** One thing that is different. Secrets are hidden in it already. */
export interface Change {
  readonly kind: 'added' | 'removed' | 'renamed' | 'moved' | 'changed' | 'reordered' | 'reformatted'
  /** What it is about; null for the server, for repositories, and for the document as a whole. */
  readonly entity: Entity | null
  /** The place within the entity, such as `stage test` and `job integration`. */
  readonly path: readonly string[]
  /** What is different there: an attribute, a list. Empty for the place itself. */
  readonly what: string
  readonly before: string | null
  readonly after: string | null
  /** Keys of all the entities that it touches, such as `pipeline/checkout`. */
  readonly touches: readonly string[]
}

export function entityKey({ kind, name }: Entity): string {
  return `${kind}/${name}`
}

/** The keys of all entities that some changes touch, each once. */
export function touchedEntities(changes: readonly Change[]): string[] {
  return [...new Set(changes.flatMap(({ touches }) => touches))]
}

const DEFAULT_GROUP = 'defaultGroup'

/** The entity that an element is, or null for one that is a part of something. */
export function entityOf(element: XmlElement): Entity | null {
  const kind = kindOf(element)
  if (kind === null) return null
  const name = identityOf(element)
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

/** Attributes that tell an element from its like. The first one that it has counts. */
const IDENTITIES = ['name', 'id', 'uuid', 'pipelineName', 'url', 'port', 'ref', 'src', 'pattern']
const IDENTIFIED_BY_TEXT = new Set(['user', 'role', 'resource'])

/** What tells an element from its like beside it; empty where nothing does. */
export function identityOf(element: XmlElement): string {
  if (isGroup(element)) return attributeOf(element, 'group') ?? DEFAULT_GROUP
  for (const name of IDENTITIES) {
    const identity = attributeOf(element, name)
    if (identity !== null) return identity
  }
  if (IDENTIFIED_BY_TEXT.has(element.name)) return textOf(element).trim()
  if (element.name !== 'property') return ''
  const key = element.children.find((child) => child.kind === 'element' && child.name === 'key')
  return key?.kind === 'element' ? textOf(key).trim() : ''
}

/** The attribute whose change is a change of name, or null where a change is only that. */
export function nameAttributeOf(element: XmlElement): string | null {
  if (isGroup(element)) return 'group'
  return element.attributes.has('name') ? 'name' : null
}
