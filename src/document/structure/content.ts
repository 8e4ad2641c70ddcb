import { hint } from './nearest-name.ts'
import { shorten } from '../text/shorten.ts'
import type { ElementCheck } from './element-check.ts'
import type { ValueType } from './value-types.ts'
import { elementText } from '../xml/xml-elements.ts'

/** Checks the text and the children of one element against its shape. */
export function checkContent(inspection: ElementCheck): void {
  const { shape, children } = inspection
  if (shape.text && children.length === 0) checkText(inspection, shape.text)
  else checkNoText(inspection)
  checkKnown(inspection)
  checkCounts(inspection)
  if (inspection.ordered && shape.ordered) checkOrder(inspection)
}

function checkText({ element, findings }: ElementCheck, type: ValueType): void {
  const text = elementText(element)
  if (type.accepts(text)) return
  const subject = `the text of ${element.name} is "${shorten(text)}"`
  findings.add(element, `${subject}; it must ${type.must}`)
}

function checkNoText({ element, shape, findings }: ElementCheck): void {
  if (shape.text && shape.particles.length === 0) return
  const stray = element.children.find(
    (child) => child.kind === 'text' && /[^ \t\r\n]/.test(child.text),
  )
  if (!stray) return
  const offset = findings.firstInk(stray.span)
  findings.add(element, `text may not stand in ${element.name}`, offset)
}

function checkKnown({ element, children, shape, elsewhere, findings }: ElementCheck): void {
  for (const child of children) {
    if (shape.children.has(child.name)) continue
    const subject = `element "${shorten(child.name)}" in ${element.name}`
    const message = elsewhere.children.has(child.name)
      ? `${subject} does not exist at this schemaVersion`
      : () => `unknown ${subject}${hint(child.name, shape.children.keys())}`
    findings.add(child, message)
  }
}

function checkCounts({ element, children, shape, findings }: ElementCheck): void {
  for (const { names, min, max } of shape.particles) {
    if (min === 0 && (max === Infinity || children.length === 0)) continue
    const standing = children.filter(({ name }) => names.includes(name))
    if (standing.length < min) {
      const least = max === 1 ? '' : 'at least '
      findings.add(element, `${element.name} needs ${least}${oneOf(names)}`)
    }
    for (const surplus of standing.slice(max)) {
      findings.add(surplus, `${element.name} may have only ${oneOf(names)}`)
    }
  }
}

/** Reports each element that comes after one that must follow it. */
function checkOrder({ children, shape, findings }: ElementCheck): void {
  let reached = 0
  let last = ''
  for (const child of children) {
    const place = shape.particles.findIndex(({ names }) => names.includes(child.name))
    if (place < 0) continue
    if (place < reached) findings.add(child, `"${child.name}" must stand before "${last}"`)
    else [reached, last] = [place, child.name]
  }
}

/** `one "job"`, or `one of "user", "role"`. */
function oneOf(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`).join(', ')
  return names.length === 1 ? `one ${quoted}` : `one of ${quoted}`
}
