import { childElements, elementText } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

/** An element with the text of its document. */
export interface WrittenElement {
  readonly text: string
  readonly element: XmlElement
}

/** More lines of an element are not looked for in its document. */
const MAX_LOOKED_FOR = 200

/** The attributes that tell where a material comes from. */
const ADDRESSES = ['url', 'port', 'ref', 'pipelineName']

/**
 * Whether an element that has changed under another name is known to be the same one, and not another that was copied
 * from the same model: a line with a value that stood nowhere else in its document is still in it, and so is one of the
 * materials of a pipeline, of the members of a group, an environment or a role.
 */
export function isRecognised(before: WrittenElement, after: WrittenElement): boolean {
  return sharesPurpose(before.element, after.element) && keepsOwnLine(before, after)
}

function sharesPurpose(before: XmlElement, after: XmlElement): boolean {
  const purposes = purposesOf(before)
  const others = new Set(purposesOf(after))
  return purposes.length === 0 || purposes.some((purpose) => others.has(purpose))
}

/** The materials of a pipeline, or the members of what has some. */
function purposesOf(element: XmlElement): readonly string[] {
  const { name } = element
  if (name === 'pipelines') return namesIn(element, 'pipeline')
  if (name === 'environment')
    return [...namesIn(element, 'pipeline'), ...namesIn(element, 'physical')]
  if (name === 'role') return inside(element, 'user').map((user) => elementText(user).trim())
  const materials = inside(element, 'materials').flatMap(childElements)
  const sources = materials.filter((material) => material.name !== 'pipeline')
  return (sources.length > 0 ? sources : materials).map(addressOf)
}

function namesIn(element: XmlElement, name: string): readonly string[] {
  return inside(element, name).map(
    (each) => each.attributeValue('name') ?? each.attributeValue('uuid') ?? '',
  )
}

function addressOf(material: XmlElement): string {
  return [material.name, ...ADDRESSES.map((name) => material.attributeValue(name) ?? '')].join(' ')
}

/** The elements of a name in another one, at any depth. */
function inside(element: XmlElement, name: string): readonly XmlElement[] {
  return childElements(element).flatMap((child) =>
    child.name === name ? [child] : inside(child, name),
  )
}

function keepsOwnLine(before: WrittenElement, after: WrittenElement): boolean {
  const kept = new Set(linesOf(after))
  const { start, end } = before.element.span
  const [above, below] = [before.text.slice(0, start), before.text.slice(end)]
  return linesOf(before)
    .filter((line) => kept.has(line))
    .slice(0, MAX_LOOKED_FOR)
    .some((line) => !above.includes(line) && !below.includes(line))
}

/** The lines of an element that have a value, each once. */
function linesOf({ text, element: { span } }: WrittenElement): readonly string[] {
  const lines = text.slice(span.start, span.end).split('\n')
  return [...new Set(lines.map((line) => line.trim()).filter((line) => /=|>[^<]/.test(line)))]
}
