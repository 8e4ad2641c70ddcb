import { childElements, elementText } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import type { TextSource } from '../text/text-source.ts'

/**
 * A canonical text of an element, without layout, comments and the order of its attributes: two
 * elements have the same content when these texts are equal.
 */
export function contentOf(element: XmlElement, without: string | null = null): string {
  const attributes = attributesOf(element, without)
  const inner = childElements(element).map((child) => contentOf(child))
  const text = JSON.stringify(elementText(element).trim())
  return `<${element.name} ${attributes.join(' ')}>${text}${inner.join('')}</>`
}

function attributesOf({ attributes }: XmlElement, without: string | null): readonly string[] {
  return [...attributes.values()]
    .filter(({ name }) => name !== without)
    .map(({ name, value }) => `${name}=${JSON.stringify(value)}`)
    .toSorted()
}

/** The same without what identifies the element: the attribute `@name`, the text of the child `key`, or its own (`#text`). */
export function contentBeside(element: XmlElement, identity: string): string {
  if (identity.startsWith('@')) return contentOf(element, identity.slice(1))
  const inner = childElements(element).map((child) =>
    child.name === identity ? withoutText(child) : contentOf(child),
  )
  return [withoutText(element), ...inner].join('')
}

function withoutText(element: XmlElement): string {
  return [element.name, ...attributesOf(element, null)].join(' ')
}

/** The comments in an element, as they are in the text. */
export function commentsOf(
  text: TextSource,
  element: XmlElement,
  without: ReadonlySet<XmlElement>,
): string[] {
  return element.children.flatMap((child) => {
    if (child.kind === 'aside') return [text.slice(child.span.start, child.span.end)]
    return child.kind === 'text' || without.has(child) ? [] : commentsOf(text, child, without)
  })
}
