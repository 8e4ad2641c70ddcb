import { nameKey } from '../../core/name-key.ts'
import { splitEntity } from '../entities/entities.ts'
import { childElements, elementText } from '../xml/xml-elements.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { Span, XmlElement } from '../xml/xml-tree.ts'
import { addToGroup } from '../../lib/grouping.ts'

/** Attributes that name an entity of some kind, by the last elements on the way to them. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  'materials/pipeline@pipelineName': 'pipeline',
  'dependencies/depends@pipeline': 'pipeline',
  'fetchartifact@pipeline': 'pipeline',
  'fetchPluggableArtifact@pipeline': 'pipeline',
  'environment/pipelines/pipeline@name': 'pipeline',
  'pipelines/pipeline@template': 'template',
  'job@elasticProfileId': 'agent-profile',
  'agentProfile@clusterProfileId': 'cluster-profile',
  'artifact@storeId': 'artifact-store',
}

/** Names that are written as they are, in an attribute as in a text. */
const PLAIN_NAME = /^[^<>&"'/\s](?:[^<>&"'/\r\n\t]*[^<>&"'/\s])?$/

export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name)
}

/** Text between two marks, of which one may be in front of a name and the other behind it. */
const TOKEN = /["'>/]([^"'<>/&]*)(?=["'</])/g
/** Tokens that are looked at in one step. */
const STEP = 8_192

/** The places where a document names some entities without being their definitions, by their folded names, in steps. */
export function* referencesIn(
  { text, root }: Pick<XmlDocument, 'text' | 'root'>,
  entities: ReadonlySet<string>,
): Generator<unknown, ReadonlyMap<string, readonly Span[]>> {
  const names = new Set(Array.from(entities, (entity) => splitEntity(entity).name))
  const found = new Map<string, Span[]>()
  let count = 0
  for (const { index, 1: token = '' } of text.matchAll(TOKEN)) {
    count += 1
    if (count % STEP === 0) yield
    const name = nameKey(token.trim())
    if (!names.has(name)) continue
    const start = index + 1 + token.length - token.trimStart().length
    const span = { start, end: start + token.trim().length }
    const entity = `${kindNamedAt({ text, root }, span)}/${name}`
    if (entities.has(entity)) addToGroup(found, entity, span)
  }
  return found
}

/** The first part of the name of the entity that is named at a place; null for none. */
function kindNamedAt(
  { text, root }: Pick<XmlDocument, 'text' | 'root'>,
  span: Span,
): string | null {
  const element = innermostAt(root, span.start)
  if (span.start >= element.openTag.end) {
    const isOfRole = element.name === 'role' && childElements(element).length === 0
    return isOfRole && elementText(element).trim() === text.slice(span.start, span.end)
      ? 'role'
      : null
  }
  const attribute = [...element.attributes.values()].find(
    ({ valueSpan }) => valueSpan.start <= span.start && span.end <= valueSpan.end,
  )
  return attribute === undefined ? null : kindNamedBy(element, attribute.name)
}

/** The first part of the names of the entities that an attribute names; null for none. */
function kindNamedBy(element: XmlElement, attribute: string): string | null {
  const path: string[] = []
  for (let at: XmlElement | null = element; at !== null && path.length < 3; at = at.parent) {
    path.unshift(at.name)
    const kind = ATTRIBUTES[`${path.join('/')}@${attribute}`]
    if (kind !== undefined) return kind
  }
  return null
}

function innermostAt(root: XmlElement, offset: number): XmlElement {
  let element = root
  for (;;) {
    const inner = element.children.find(
      (child): child is XmlElement =>
        child.kind === 'element' && child.span.start <= offset && offset < child.span.end,
    )
    if (inner === undefined) return element
    element = inner
  }
}
