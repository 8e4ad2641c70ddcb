import { isSameName } from '../../core/name-key.ts'
import { type CooperativeWork, runSync } from '../../lib/cooperative.ts'
import type { ConfigDocument } from '../document.ts'
import { HIDDEN } from '../entities/change.ts'
import { entityName, entityOf } from '../entities/entities.ts'
import { isSecretName } from '../entities/shown-value.ts'
import type { At, Pipeline } from '../model/model.ts'
import { elementFinder } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { expandConfiguration } from './effective.ts'

/** A place in a document: an entity, and a line of the document, counted from 1. */
export interface ValuePlace {
  readonly entity: string
  readonly line: number
}

/** A value of a pipeline as it runs. */
export interface EffectiveValue {
  /** Its place in the pipeline, such as `stages/build/jobs/unit/tasks/1/command`. */
  readonly path: string
  /** A secret is {@link HIDDEN}. */
  readonly value: string
  /** The value with its params, where it has some. */
  readonly written?: string
  /** The element that has it: that of the pipeline, or of its template. */
  readonly from: ValuePlace
  /** The definitions of its params. */
  readonly params?: readonly (ValuePlace & { readonly name: string })[]
}

/** A pipeline with its template and its params filled in. */
export interface EffectiveForm {
  readonly name: string
  readonly group: string
  /** Null without a template. */
  readonly template: string | null
  readonly values: readonly EffectiveValue[]
}

/** The pipeline of a name as it runs, or null where the document has none. */
export function effectivePipeline(document: ConfigDocument, name: string): EffectiveForm | null {
  const { configuration } = document
  const expanded = runSync(expandConfiguration(configuration)).configuration
  for (const [n, group] of expanded.groups.entries()) {
    const place = group.pipelines.findIndex((each) => isSameName(each.name, name))
    const pipeline = group.pipelines[place]
    const own = configuration.groups[n]?.pipelines[place]
    if (pipeline === undefined || own === undefined) continue
    const template = configuration.templates.find((each) =>
      isSameName(each.name, own.template ?? ''),
    )
    const written = {
      ...own,
      stages: own.stages.length > 0 ? own.stages : (template?.stages ?? []),
    }
    const values = runSync(valuesOf(document, { pipeline, written }))
    return { name: pipeline.name, group: group.name, template: own.template, values }
  }
  return null
}

/** The same as text, a line for each value, to be compared. */
export function renderEffective({ values }: EffectiveForm): string {
  return values.map(({ path, value }) => `${path}: ${JSON.stringify(value)}\n`).join('')
}

function* valuesOf(
  document: ConfigDocument,
  { pipeline, written }: { readonly pipeline: Pipeline; readonly written: Pipeline },
): CooperativeWork<readonly EffectiveValue[]> {
  const find = elementFinder(document.root)
  const placeOf = (at: At) => placeIn(document, find(at))
  const params = new Map(written.params.map((each) => [each.name, each.at]))
  const values: EffectiveValue[] = []
  for (const leaf of leavesOf(pipeline, { written, at: pipeline.at, path: [] })) {
    const used = leaf.written === leaf.value ? [] : paramsIn(leaf.written)
    const definitions = used.flatMap((name) => {
      const at = params.get(name)
      return at === undefined ? [] : [{ name, ...placeOf(at) }]
    })
    values.push({
      path: leaf.path.join('/'),
      value: leaf.value,
      ...(leaf.written === leaf.value ? {} : { written: leaf.written }),
      from: placeOf(leaf.at),
      ...(definitions.length === 0 ? {} : { params: definitions }),
    })
    yield
  }
  return values
}

/** A value of the model that is neither missing nor empty. */
interface Leaf {
  readonly path: readonly string[]
  readonly value: string
  readonly written: string
  readonly at: At
}

interface Walk {
  /** The same part before its params were filled in. */
  readonly written: unknown
  /** The element of the part around. */
  readonly at: At
  readonly path: readonly string[]
}

function* leavesOf(part: unknown, { written, at, path }: Walk): Generator<Leaf, void> {
  if (part === null || part === undefined || part === '') return
  if (Array.isArray(part)) {
    for (const [n, item] of part.entries()) {
      const own = Array.isArray(written) ? written[n] : null
      yield* leavesOf(item, { written: own, at, path: [...path, labelOf(item, n)] })
    }
  } else if (typeof part === 'object') {
    const fields = new Map(Object.entries(written ?? {}))
    const isSecure = 'secure' in part && part.secure === true
    const own = 'at' in part && typeof part.at === 'number' ? part.at : at
    for (const [key, value] of Object.entries(part)) {
      if (key === 'at' || key === 'unknown') continue
      const isSecret =
        value !== null &&
        (isSecretName(key) || key.startsWith('encrypted') || (isSecure && key === 'value'))
      const shown = isSecret ? HIDDEN : value
      const as = isSecret ? HIDDEN : fields.get(key)
      yield* leavesOf(shown, { written: as, at: own, path: [...path, key] })
    }
  } else {
    const value = scalarText(part)
    yield { path, value, written: scalarText(written) || value, at }
  }
}

/** The text of a value of the model; empty for a part that has values in it. */
function scalarText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : ''
}

/** The name of an item of a list, or its number from 1. */
function labelOf(item: unknown, n: number): string {
  if (typeof item !== 'object' || item === null || !('name' in item)) return `${n + 1}`
  return typeof item.name === 'string' && item.name !== '' ? item.name : `${n + 1}`
}

function paramsIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/#\{([^}]*)\}/g), ([, name = '']) => name))]
}

function placeIn({ lines }: ConfigDocument, element: XmlElement): ValuePlace {
  let holder: XmlElement | null = element
  while (holder !== null && entityOf(holder) === null) holder = holder.parent
  const entity = holder === null ? null : entityOf(holder)
  const { line } = lines.positionOf(element.span.start)
  return { entity: entity === null ? '' : entityName(entity), line }
}
