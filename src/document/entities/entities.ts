import { nameKey } from '../../core/name-key.ts'
import { elementsAt, type PathSteps, parseElementPath, elementText } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import type { DocumentChange } from './change.ts'
import { shownText } from './shown-value.ts'

/** The group of pipelines whose group has no name. */
export const DEFAULT_GROUP = 'defaultGroup'

/** A kind of entity with its own history. */
export interface EntityDefinition {
  /** The word for an entity of this kind. */
  readonly word: string
  /** The first part of the entity's name, and all of it when there is only one. */
  readonly prefix: string
  /** Where its elements are below the root. */
  readonly steps: PathSteps
  /** The attribute (`@name`) that names it, or its text (`#text`); `-` when there is only one. */
  readonly by: string
  readonly defaultName: string
  /** Whether it is inside the `server` element. */
  readonly isOfServer: boolean
  /** Whether names that differ only in case are different. */
  readonly isExact: boolean
  /** The attribute with the name for people, where that is another; it may change while the name stays. */
  readonly labelledBy: string | null
  /** Whether the editor opens one on its own. */
  readonly isEdited: boolean
  /** Whether there may be thousands, one below the other in a list. */
  readonly isListed: boolean
  /** Whether entities of other kinds are in it. */
  readonly holdsOthers: boolean
}

interface Row extends Partial<Omit<EntityDefinition, 'steps' | 'isOfServer'>> {
  readonly word: string
  readonly at: string
  readonly by: string
}

export interface EntityElement {
  readonly kind: EntityDefinition
  readonly name: string
  readonly element: XmlElement
}

/** The table of entities. What is said nowhere else about a kind is said here. */
const TABLE: readonly Row[] = [
  { word: 'pipeline', at: 'pipelines/pipeline', by: '@name', isEdited: true, isListed: true },
  { word: 'template', at: 'templates/pipeline', by: '@name', isEdited: true, isListed: true },
  {
    word: 'group',
    at: 'pipelines',
    by: '@group',
    defaultName: DEFAULT_GROUP,
    isEdited: true,
    holdsOthers: true,
  },
  {
    word: 'environment',
    at: 'environments/environment',
    by: '@name',
    isEdited: true,
    isListed: true,
  },
  { word: 'server', at: 'server', by: '-', holdsOthers: true },
  {
    word: 'administrator',
    prefix: 'user',
    at: 'server/security/admins/user',
    by: '#text',
    isExact: true,
  },
  { word: 'administrator role', prefix: 'role', at: 'server/security/admins/role', by: '#text' },
  { word: 'role', at: 'server/security/roles/role|pluginRole', by: '@name', isEdited: true },
  { word: 'repository', at: 'repositories/repository', by: '@name' },
  { word: 'scm', at: 'scms/scm', by: '@name' },
  { word: 'config-repo', at: 'config-repos/config-repo', by: '@id' },
  { word: 'artifact-store', at: 'artifactStores/artifactStore', by: '@id' },
  { word: 'secret-config', at: 'secretConfigs/secretConfig', by: '@id' },
  { word: 'cluster-profile', at: 'elastic/clusterProfiles/clusterProfile', by: '@id' },
  { word: 'agent-profile', at: 'elastic/agentProfiles|profiles/agentProfile|profile', by: '@id' },
  {
    word: 'agent',
    at: 'agents/agent',
    by: '@uuid',
    isExact: true,
    labelledBy: 'hostname',
    isEdited: true,
    isListed: true,
  },
]

/** Every kind, the most important first. */
export const ENTITY_KINDS: readonly EntityDefinition[] = TABLE.map(({ at, ...row }) => ({
  prefix: row.word,
  steps: parseElementPath(at),
  isOfServer: at.startsWith('server/'),
  defaultName: '',
  isExact: false,
  labelledBy: null,
  isEdited: false,
  isListed: false,
  holdsOthers: false,
  ...row,
}))

const BY_PREFIX: ReadonlyMap<string, readonly EntityDefinition[]> = new Map(
  ENTITY_KINDS.map(({ prefix }) => [prefix, ENTITY_KINDS.filter((kind) => kind.prefix === prefix)]),
)

/** Elements outside of entities belong to the document. */
export const DOCUMENT = 'document'
export const DOCUMENT_LABEL = 'configuration'
export const SERVER = 'server'

/** The first parts of the names of entities, the most important first. */
export const ENTITY_PREFIXES: readonly string[] = [
  ...new Set(ENTITY_KINDS.map(({ prefix }) => prefix)),
  DOCUMENT,
]

/** The kind whose elements are where a path below the root leads to; null for none. */
export function kindAt(path: readonly string[]): EntityDefinition | null {
  return ENTITY_KINDS.find(({ steps }) => isAt(path, steps)) ?? null
}

/** Whether a path below the root leads to where steps lead. */
export function isAt(path: readonly string[], steps: PathSteps): boolean {
  return path.length === steps.length && steps.every((names, n) => names.includes(path[n] ?? ''))
}

/** The entity that an element is, or null for a part of one. */
export function entityOf(element: XmlElement): EntityElement | null {
  const path: string[] = []
  for (let at = element; at.parent; at = at.parent) path.unshift(at.name)
  const kind = kindAt(path)
  return kind && asEntity(element, kind)
}

/** The entity of a name such as `pipeline/checkout`, or null when the document has none. */
export function findNamedEntity(root: XmlElement, name: string): EntityElement | null {
  const { kind: prefix, name: own } = splitEntity(name)
  for (const kind of name.includes('/') ? ENTITY_KINDS : []) {
    if (kind.prefix !== nameKey(prefix) || !kind.by.startsWith('@')) continue
    const found = entityNamed(root, kind, own)
    if (found) return found
  }
  return null
}

/**
 * The entities of one kind in a document, in its order; with a test, those whose name it accepts. Where it
 * accepts one name alone, the key of that finds the entity without a search.
 */
export function entitiesIn(
  root: XmlElement,
  kind: EntityDefinition,
  isWanted?: (name: string) => boolean,
  key?: string,
): EntityElement[] {
  const test = isWanted && ((element: XmlElement) => isWanted(nameIn(element, kind)))
  return elementsAt(root, kind.steps, test, key).map((element) => asEntity(element, kind))
}

/** The entity of one kind with a name, or one whose name is equal to it for its kind; null for none. */
export function entityNamed(
  root: XmlElement,
  kind: EntityDefinition,
  name: string,
): EntityElement | null {
  const key = entityKey({ kind, name })
  const test = (element: XmlElement) => entityKey(asEntity(element, kind)) === key
  const all = elementsAt(root, kind.steps, test, nameKey(name))
  const entities = all.map((element) => asEntity(element, kind))
  return entities.find((each) => each.name === name) ?? entities[0] ?? null
}

export function asEntity(element: XmlElement, kind: EntityDefinition): EntityElement {
  return { kind, name: nameIn(element, kind), element }
}

/** The key of an entity among its kind. */
export function entityKey({ kind, name }: Pick<EntityElement, 'kind' | 'name'>): string {
  return kind.isExact ? name : nameKey(name)
}

/** The name for people, as long as it fits: of an agent, that of its host. */
export function entityLabel(entity: EntityElement): string {
  const label = labelIn(entity)
  return shownText(label === '' ? entity.kind.word : label)
}

/** The name for people as it is written. */
export function labelIn({ kind, name, element }: EntityElement): string {
  return (kind.labelledBy === null ? null : element.attributeValue(kind.labelledBy)) ?? name
}

/** Whether entities of a name's kind go by another name for people. */
export function isLabelled(entity: string): boolean {
  return kindsOf(entity).some(({ labelledBy }) => labelledBy !== null)
}

/** Whether other entities are in one of this name, so that not all of its text is its own. */
export function holdsOthers(entity: string): boolean {
  return entity === DOCUMENT || kindsOf(entity).some((kind) => kind.holdsOthers)
}

/** The kinds that a name such as `role/NAME` may be of. */
function kindsOf(entity: string): readonly EntityDefinition[] {
  return BY_PREFIX.get(splitEntity(entity).kind) ?? []
}

/**
 * The kind of the entities whose names begin so; null for another word. A role is the one with users: that it
 * administers the server is a part of the server.
 */
export function kindOfPrefix(prefix: string): EntityDefinition | null {
  const kinds = BY_PREFIX.get(prefix) ?? []
  return kinds.find(({ by }) => by.startsWith('@')) ?? kinds[0] ?? null
}

function nameIn(element: XmlElement, { by, defaultName: otherwise }: EntityDefinition): string {
  if (by === '-') return ''
  if (by === '#text') return elementText(element).trim()
  return element.attributeValue(by.slice(1)) ?? otherwise
}

/** `pipeline/NAME`, or the prefix alone where there is but one. */
export function entityName({ kind, name }: Pick<EntityElement, 'kind' | 'name'>): string {
  return kind.by === '-' ? kind.prefix : `${kind.prefix}/${name}`
}

/** The kind and name of `pipeline/NAME`; the name is empty where there is but one of its kind. */
export function splitEntity(entity: string): { readonly kind: string; readonly name: string } {
  const slash = entity.indexOf('/')
  if (slash === -1) return { kind: entity, name: '' }
  return { kind: entity.slice(0, slash), name: entity.slice(slash + 1) }
}

/** The folded name of an entity, equal for all spellings. */
export function foldEntity(entity: string): string {
  return kindsOf(entity).some(({ isExact }) => isExact) ? entity : nameKey(entity)
}

/** The folded name of an entity of a kind, without what it begins with. */
export function foldNameIn({ prefix }: EntityDefinition, name: string): string {
  return kindsOf(prefix).some(({ isExact }) => isExact) ? name : nameKey(name)
}

/** The word for an entity that a change is about as a whole; null when it is about a part of one. */
export function wholeEntityWord({ entity, label, path, subject }: DocumentChange): string | null {
  if (path.length > 0) return null
  const words = kindsOf(entity).map(({ word }) => word)
  return words.find((word) => subject === word || subject === `${word} ${label}`) ?? null
}
