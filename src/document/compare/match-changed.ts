import { contentBeside } from './content.ts'
import { elementKindOf, isNamed } from './element-kind.ts'
import { type Matching, refine } from './match.ts'
import type { ElementPart } from './parts.ts'

/** Pairs parts that are equal but for their name. */
export function matchWithoutName(matching: Matching<ElementPart>): Matching<ElementPart> {
  return refine(matching, ({ element, order }) => {
    const { by } = elementKindOf(element)
    return by !== null && isNamed(element) ? `${order} ${contentBeside(element, by)}` : null
  })
}

/** Pairs values that stand where others stood, between the same parts of their list; those that are equal otherwise first. */
export function matchValues(
  matching: Matching<ElementPart>,
  before: readonly ElementPart[],
  after: readonly ElementPart[],
): Matching<ElementPart> {
  if (!matching.removed.some(isValue) || !matching.added.some(isValue)) return matching
  const numbers = new Map(
    matching.pairs.flatMap(([one, other], number) => [
      [one, number],
      [other, number],
    ]),
  )
  const places = new Map([...placesIn(before, numbers), ...placesIn(after, numbers)])
  const alike = refine(matching, (part) => {
    const [place, { by }] = [places.get(part), elementKindOf(part.element)]
    return place === undefined || by === null ? null : `${place} ${contentBeside(part.element, by)}`
  })
  return refine(alike, (part) => places.get(part) ?? null)
}

function isValue({ element }: ElementPart): boolean {
  return elementKindOf(element).isValue
}

/** The places of the values that have no partner: the list, and the last part before them that has one. */
function placesIn(
  parts: readonly ElementPart[],
  numbers: ReadonlyMap<ElementPart, number>,
): ReadonlyMap<ElementPart, string> {
  const last = new Map<string, number>()
  const places = new Map<ElementPart, string>()
  for (const part of parts) {
    const number = numbers.get(part)
    const list = `${part.order} ${part.element.name}`
    if (number !== undefined) last.set(list, number)
    else if (isValue(part)) places.set(part, `${list} ${last.get(list) ?? ''}`)
  }
  return places
}
