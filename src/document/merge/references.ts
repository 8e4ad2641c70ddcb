import { nameKey } from '../../core/name-key.ts'
import type { EntityElement } from '../entities/entities.ts'
import { elementText } from '../xml/xml-elements.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { Span, XmlElement } from '../xml/xml-tree.ts'

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

/** The places where a document names an entity of a plain name without being its definition. */
export function referencesTo(
  { text, root }: Pick<XmlDocument, 'text' | 'root'>,
  { kind: { prefix }, name }: Pick<EntityElement, 'kind' | 'name'>,
): readonly Span[] {
  const word = name.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const occurrences = text.matchAll(new RegExp(`(?<=["'>/\\s])${word}(?=["'</\\s])`, 'gi'))
  const spans = Array.from(occurrences, ({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
  }))
  return spans.filter((span) => isReference({ text, root }, span, { prefix, key: nameKey(name) }))
}

function isReference(
  { text, root }: Pick<XmlDocument, 'text' | 'root'>,
  span: Span,
  { prefix, key }: { readonly prefix: string; readonly key: string },
): boolean {
  if (nameKey(text.slice(span.start, span.end)) !== key) return false
  const element = innermostAt(root, span.start)
  if (span.start >= element.openTag.end) {
    const isOfRole = prefix === 'role' && element.name === 'role'
    return isOfRole && nameKey(elementText(element).trim()) === key
  }
  const attribute = [...element.attributes.values()].find(
    ({ valueSpan }) => valueSpan.start <= span.start && span.end <= valueSpan.end,
  )
  if (attribute === undefined || kindNamedBy(element, attribute.name) !== prefix) return false
  const [before, after] = [
    text.slice(attribute.valueSpan.start, span.start),
    text.slice(span.end, attribute.valueSpan.end),
  ]
  return /(?:^|\/)\s*$/.test(before) && /^\s*(?:\/|$)/.test(after)
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
