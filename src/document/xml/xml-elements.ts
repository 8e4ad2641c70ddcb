import type { NamedChild, XmlElement } from './xml-tree.ts'

/** The accepted names at each step of a path down the tree. */
export type PathSteps = readonly (readonly string[])[]

/** Reads a path such as `roles/role|pluginRole`; names joined by `|` stand for either. */
export function parseElementPath(path: string): PathSteps {
  return path.split('/').map((step) => step.split('|'))
}

/** The child elements, in document order. */
export function childElements(parent: XmlElement): XmlElement[] {
  const found: XmlElement[] = []
  for (const child of parent.children) {
    if (child.kind === 'element') found.push(child)
  }
  return found
}

/** Finds elements by their numbers. The children of each element are listed once: thousands of siblings may be asked for. */
export function elementFinder(root: XmlElement): (number: number) => XmlElement {
  const listed = new Map<XmlElement, readonly XmlElement[]>()
  const childAbove = (element: XmlElement, number: number) => {
    const children = listed.get(element) ?? childElements(element)
    listed.set(element, children)
    return children.find((child) => child.number <= number && number <= child.last)
  }
  return (number) => {
    let found = root.findPart?.(number) ?? root
    for (;;) {
      const next = found.number === number ? undefined : childAbove(found, number)
      if (next === undefined) return found
      found = next
    }
  }
}

/**
 * The elements at the end of a path; with a test, those of them that it accepts. The test gets them in
 * their order and may not ask for their places, so that a few of thousands are quickly found; one is found
 * at once where the test accepts only those of a name.
 */
export function elementsAt(
  from: XmlElement,
  path: string | PathSteps,
  isWanted?: (element: XmlElement) => boolean,
  key?: string,
): XmlElement[] {
  const steps = typeof path === 'string' ? parseElementPath(path) : path
  let found = [from]
  for (const [n, names] of steps.entries()) {
    const test = n === steps.length - 1 ? isWanted : undefined
    const [element = ''] = names
    const named = key === undefined || names.length > 1 ? undefined : { element, key }
    found = found.flatMap((parent) => childrenNamed(parent, names, test, named))
  }
  return found
}

function childrenNamed(
  parent: XmlElement,
  names: readonly string[],
  isWanted?: (element: XmlElement) => boolean,
  named?: NamedChild,
): XmlElement[] {
  if (isWanted && parent.findChildren) {
    return parent.findChildren((child) => names.includes(child.name) && isWanted(child), named)
  }
  const found: XmlElement[] = []
  for (const child of parent.children) {
    if (child.kind !== 'element' || !names.includes(child.name)) continue
    if (!isWanted || isWanted(child)) found.push(child)
  }
  return found
}

/** The text of an element, its CDATA sections included. */
export function elementText({ children }: XmlElement): string {
  let text = ''
  for (const child of children) {
    if (child.kind === 'text') text += child.text
  }
  return text
}

/** Whether a boolean attribute is true, which has two spellings. */
export function isTrue(element: XmlElement, name: string): boolean {
  const value = element.attributeValue(name)?.trim()
  return value === 'true' || value === '1'
}

/** An element and all below it, in document order. */
export function* walkElements(element: XmlElement): Generator<XmlElement> {
  yield element
  for (const child of element.children) {
    if (child.kind === 'element') yield* walkElements(child)
  }
}
