import { elementsAt, elementText } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

/** How the elements of a name are identified and described. */
export interface ElementKind {
  readonly word: string
  /** The attribute (`@name`), child (`key`) or text (`#text`) that is its identity, if any is. */
  readonly by: string | null
  /** Whether several may be siblings without an identity, so that their order matters. */
  readonly isSequence: boolean
  readonly isExact: boolean
  /** Whether the identity is a value: another one in its place is a change of it, not another thing. */
  readonly isValue: boolean
}

/** Elements that only contain others: their children count as children of their parent. */
const LISTS = new Set(
  (
    'environmentvariables params materials dependencies jobs tasks artifacts resources tabs ' +
    'properties users security roles admins templates environments agents pipelines repositories ' +
    'scms packages bases filter authorization auth view operate configuration rules policy ' +
    'config-repos artifactStores secretConfigs elastic clusterProfiles agentProfiles'
  ).split(' '),
)

/** `where/element = word identity`; a `*` marks a sequence, a `!` an identity of exact text, a `~` a value. */
const NOTATION = `
  stage = stage @name
  job = job @name
  variable = variable @name
  param = param @name
  artifacts/artifact = artifact @src !~
  artifacts/test = artifact @src !~
  tab = tab @name
  resource = resource #text
  property = property key
  properties/property = property @name
  packages/package = package @name
  user = user #text !
  role = role #text
  base = base @value ~
  ignore = ignore @pattern !~
  runif = runif @status ~
  physical = agent @uuid !
  pipelines/pipeline = pipeline @name
  depends = dependency @pipeline ~
  allow = allow #text ~
  deny = deny #text ~
  pluginConfiguration = pluginConfiguration @id ~
  materials/git = material *
  materials/svn = material *
  materials/hg = material *
  materials/p4 = material *
  materials/tfs = material *
  materials/pipeline = material *
  materials/package = material *
  materials/scm = material *
  exec = task *
  ant = task *
  rake = task *
  nant = task *
  fetchartifact = task *
  tasks/task = task *
  oncancel/task = task *
  arg = argument *
`

const KINDS = new Map(
  NOTATION.trim()
    .split('\n')
    .map((line) => {
      const [place = '', meaning = ''] = line.trim().split(' = ')
      return [place, parseKind(meaning)] as const
    }),
)

function parseKind(meaning: string): ElementKind {
  const [word = '', by = '', mark = ''] = meaning.split(' ')
  const isSequence = by === '*'
  const [isExact, isValue] = [mark.includes('!'), mark.includes('~')]
  return { word, by: isSequence ? null : by, isSequence, isExact, isValue }
}

const VALUE_WORDS = new Set(
  [...KINDS.values()].filter(({ isValue }) => isValue).map(({ word }) => word),
)

/** Whether elements with this word are values. */
export function isValueWord(word: string): boolean {
  return VALUE_WORDS.has(word)
}

export function isList(element: XmlElement): boolean {
  return LISTS.has(element.name) && element.attributes.size === 0
}

/** The kind of an element by its name and its parent's. */
export function elementKindOf(element: XmlElement): ElementKind {
  const { name, parent } = element
  return KINDS.get(`${parent?.name ?? ''}/${name}`) ?? KINDS.get(name) ?? otherKind(element)
}

function otherKind({ name, attributes }: XmlElement): ElementKind {
  const identity = ['name', 'id', 'uuid'].find((candidate) => attributes.has(candidate))
  const by = identity === undefined ? null : `@${identity}`
  return { word: name, by, isSequence: false, isExact: false, isValue: false }
}

/** Whether an element has a name that may become another one. Names of people, agents and the like are what they are. */
export function isNamed(element: XmlElement): boolean {
  const { by, isExact, isValue } = elementKindOf(element)
  return by !== null && by !== '#text' && !isExact && !isValue
}

/** The identity of an element among its kind, as written; null when it has none. */
export function elementIdentity(element: XmlElement): string | null {
  const { by } = elementKindOf(element)
  if (by === null) return null
  if (by === '#text') return elementText(element).trim()
  if (by.startsWith('@')) return element.attributeValue(by.slice(1))
  const [key] = elementsAt(element, by)
  return key ? elementText(key).trim() : element.attributeValue('name')
}
