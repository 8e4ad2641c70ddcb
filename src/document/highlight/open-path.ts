import { DEFAULT_GROUP, type EntityDefinition, kindAt } from '../entities/entities.ts'
import { IDENTITIES, LISTS } from '../xml/element-path.ts'
import type { Span } from '../xml/xml-tree.ts'
import type { OpenElement } from './xml-scanner.ts'

/** A step such as `stage` and `test`: the word for an element, and its name if it has one. */
export interface PathPart {
  readonly word: string
  readonly name: string | null
}

/** The elements with their own history. */
export interface PathEntity {
  readonly kind: string
  readonly name: string
}

/** Describes the place of open elements: group, pipeline, stage, job. */
export function pathOfOpen(text: string, open: readonly OpenElement[]): PathPart[] {
  const parts = open.flatMap((element, n) => {
    const above = open[n - 1]?.name ?? ''
    const name = identityOf(text, element)
    if (n === 0 || (LISTS.has(element.name) && !isGroup(element, above))) return []
    return [{ word: wordFor(element, above), name }]
  })
  const lastNamed = parts.findLastIndex(({ name }) => name !== null)
  return lastNamed === -1 ? parts.slice(0, 1) : parts.slice(0, lastNamed + 1)
}

/** The entity that some open elements belong to: the pipeline rather than its group. */
export function entityOfOpen(text: string, open: readonly OpenElement[]): PathEntity | null {
  const path = open.slice(1).map(({ name }) => name)
  const found = open.slice(1).flatMap((element, n) => {
    const kind = kindAt(path.slice(0, n + 1))
    if (!kind?.isEdited) return []
    const name = nameOfTag(text, element.tag, kind)
    return name === '' ? [] : [{ kind: kind.prefix, name, holdsOthers: kind.holdsOthers }]
  })
  const entity = found.findLast(({ holdsOthers }) => !holdsOthers) ?? found[0]
  return entity ? { kind: entity.kind, name: entity.name } : null
}

/** The name of an entity by its opening tag. */
export function nameOfTag(
  text: string,
  tag: Span,
  { by, defaultName }: Pick<EntityDefinition, 'by' | 'defaultName'>,
): string {
  return by.startsWith('@') ? (attribute(text, { tag }, by.slice(1)) ?? defaultName) : ''
}

function isGroup({ name }: OpenElement, above: string): boolean {
  return name === 'pipelines' && above === 'cruise'
}

function wordFor(element: OpenElement, above: string): string {
  if (isGroup(element, above)) return 'group'
  const { name } = element
  if (name !== 'pipeline') return name
  if (above === 'templates') return 'template'
  return above === 'materials' ? 'upstream pipeline' : name
}

function identityOf(text: string, element: OpenElement): string | null {
  if (element.name === 'pipelines') return attribute(text, element, 'group') ?? DEFAULT_GROUP
  if (element.name === 'agent') return attribute(text, element, 'hostname')
  for (const name of IDENTITIES) {
    const identity = attribute(text, element, name)
    if (identity !== null) return identity
  }
  return null
}

const REFERENCES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** The value of an attribute of an opening tag, or null. */
export function attribute(
  text: string,
  { tag }: Pick<OpenElement, 'tag'>,
  name: string,
): string | null {
  const source = text.slice(tag.start, tag.end)
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(source)
  const value = found?.[1] ?? found?.[2]
  if (value === undefined) return null
  return value.replace(/&(\w+);/g, (whole, word: string) => REFERENCES.get(word) ?? whole)
}
