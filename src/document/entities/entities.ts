import { nameKey } from '../../core/name-key.ts'
import {
  attributeOf,
  elementsAt,
  type PathSteps,
  parseElementPath,
  elementText,
} from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import type { DocumentChange } from './change.ts'
import { shownText } from './shown-value.ts'

/** A kind of entity with its own history. */
export interface EntityDefinition {
  /** The first part of the entity's name, and all of it when there is only one. */
  readonly prefix: string
  readonly word: string
  readonly steps: PathSteps
  /** Whether it is inside the `server` element. */
  readonly isOfServer: boolean
  /** The attribute that names it, or its text. */
  readonly by: string
  readonly defaultName: string
  readonly isExact: boolean
}

/** An entity of a document, with its element. */
export interface EntityElement {
  readonly kind: EntityDefinition
  readonly name: string
  readonly element: XmlElement
}

/** `word = prefix place name`, in the order of importance. `?x` names what has no name. */
const NOTATION = `
  pipeline = pipeline pipelines/pipeline @name
  template = template templates/pipeline @name
  group = group pipelines @group ?defaultGroup
  environment = environment environments/environment @name
  server = server server -
  administrator = user server/security/admins/user #text !
  administrator role = role server/security/admins/role #text
  role = role server/security/roles/role|pluginRole @name
  repository = repository repositories/repository @name
  scm = scm scms/scm @name
  config-repo = config-repo config-repos/config-repo @id
  artifact-store = artifact-store artifactStores/artifactStore @id
  secret-config = secret-config secretConfigs/secretConfig @id
  cluster-profile = cluster-profile elastic/clusterProfiles/clusterProfile @id
  agent-profile = agent-profile elastic/agentProfiles/agentProfile @id
  agent = agent agents/agent @uuid !
`

/** Every kind, the most important first. */
export const ENTITY_KINDS: readonly EntityDefinition[] = NOTATION.trim().split('\n').map(parseKind)

/** The words for the kinds whose entities are named with a prefix. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  ENTITY_KINDS.map(({ prefix }) => [
    prefix,
    ENTITY_KINDS.filter((kind) => kind.prefix === prefix).map(({ word }) => word),
  ]),
)

function parseKind(line: string): EntityDefinition {
  const [word = '', meaning = ''] = line.trim().split(' = ')
  const [prefix = '', place = '', by = '', mark = ''] = meaning.split(' ')
  const otherwise = mark.startsWith('?') ? mark.slice(1) : ''
  const steps = parseElementPath(place)
  const isOfServer = place.startsWith('server/')
  return { prefix, word, steps, isOfServer, by, defaultName: otherwise, isExact: mark === '!' }
}

/** Elements outside of entities belong to the document. */
export const DOCUMENT = 'document'
export const DOCUMENT_LABEL = 'configuration'
export const SERVER = 'server'

/** The first parts of the names of entities, the most important first. */
export const ENTITY_PREFIXES: readonly string[] = [
  ...new Set(ENTITY_KINDS.map(({ prefix }) => prefix)),
  DOCUMENT,
]

/** The entities of one kind in a document, in its order. */
export function entitiesIn(root: XmlElement, kind: EntityDefinition): EntityElement[] {
  return elementsAt(root, kind.steps).map((element) => asEntity(element, kind))
}

export function asEntity(element: XmlElement, kind: EntityDefinition): EntityElement {
  return { kind, name: nameIn(element, kind), element }
}

/** The key of an entity among its kind. */
export function entityKey({ kind, name }: EntityElement): string {
  return kind.isExact ? name : nameKey(name)
}

/** The name for people: of an agent, that of its host. */
export function entityLabel({ kind, name, element }: EntityElement): string {
  const label = kind.prefix === 'agent' ? (attributeOf(element, 'hostname') ?? name) : name
  return shownText(label === '' ? kind.word : label)
}

function nameIn(element: XmlElement, { by, defaultName: otherwise }: EntityDefinition): string {
  if (by === '-') return ''
  if (by === '#text') return elementText(element).trim()
  return attributeOf(element, by.slice(1)) ?? otherwise
}

/** `pipeline/NAME`, or the prefix alone where there is but one. */
export function entityName({ kind, name }: Pick<EntityElement, 'kind' | 'name'>): string {
  return kind.by === '-' ? kind.prefix : `${kind.prefix}/${name}`
}

/** The folded name of an entity, equal for all spellings. */
export function foldEntity(entity: string): string {
  return /^(?:agent|user)\//.test(entity) ? entity : nameKey(entity)
}

/** The word for an entity that a change is about as a whole; null when it is about a part of one. */
export function wholeEntityWord({ entity, label, path, subject }: DocumentChange): string | null {
  if (path.length > 0) return null
  const [prefix] = entity.split('/', 1)
  const words = WORDS.get(prefix ?? '') ?? []
  return words.find((word) => subject === word || subject === `${word} ${label}`) ?? null
}
