import type { Pipeline } from '../../document/model/model.ts'
import { written } from '../../document/model/written-part.ts'
import type { ChangedPlace } from './rules/question.ts'

/** The words for the items of lists, as changes and paths name them. */
const WORDS: Readonly<Record<string, string>> = {
  stages: 'stage',
  jobs: 'job',
  tasks: 'task',
  materials: 'material',
  variables: 'variable',
  artifacts: 'artifact',
  resources: 'resource',
  tabs: 'tab',
  properties: 'property',
  arguments: 'argument',
}
/** Parts that do nothing by themselves: what they fill in differs too. */
const WITHOUT_EFFECT: readonly string[] = ['at', 'unknown', 'params', 'template']
/** In place of a name: it may be any. */
const ANY = '…'

/** The places in which two pipelines run differently, their templates and params filled in. */
export function runningPlaces(before: Pipeline, after: Pipeline): readonly ChangedPlace[] {
  return [...differences(before, after, [])]
}

function* differences(
  before: unknown,
  after: unknown,
  steps: readonly string[],
): Generator<ChangedPlace> {
  const [older, newer] = [fieldsOf(before), fieldsOf(after)]
  for (const key of new Set([...older.keys(), ...newer.keys()])) {
    const [had, has] = [older.get(key), newer.get(key)]
    if (WITHOUT_EFFECT.includes(key) || written(had) === written(has)) continue
    if (Array.isArray(had) && Array.isArray(has)) {
      yield* listDifferences(had, has, { steps, word: WORDS[key] ?? key })
    } else if (isObject(had) && isObject(has)) yield* differences(had, has, [...steps, key])
    else yield placeAt([...steps, key], isObject(had) || isObject(has))
  }
}

/** Items are told apart by their names, and those without by their numbers. */
function* listDifferences(
  before: readonly unknown[],
  after: readonly unknown[],
  { steps, word }: { readonly steps: readonly string[]; readonly word: string },
): Generator<ChangedPlace> {
  const [older, newer] = [byName(before), byName(after)]
  const isAnotherOrder = [...older.keys()].join('\n') !== [...newer.keys()].join('\n')
  if (isAnotherOrder) yield placeAt([...steps, `${word} ${ANY}`])
  for (const [name, has] of newer) {
    const had = older.get(name)
    const label = `${word} ${nameOf(has) ?? ANY}`
    if (isObject(had) && isObject(has)) yield* differences(had, has, [...steps, label])
    else if (written(had) !== written(has)) yield placeAt([...steps, label], had === undefined)
  }
  for (const [name, had] of older)
    if (!newer.has(name)) yield placeAt([...steps, `${word} ${nameOf(had) ?? ANY}`], true)
}

function byName(items: readonly unknown[]): ReadonlyMap<string, unknown> {
  return new Map(items.map((item, n) => [nameOf(item) ?? `${n}`, item]))
}

function placeAt(steps: readonly string[], isWhole = false): ChangedPlace {
  return { steps, sort: 'content', isWhole, isDerived: true }
}

function nameOf(item: unknown): string | null {
  if (!isObject(item) || !('name' in item)) return null
  return typeof item.name === 'string' && item.name !== '' ? item.name : null
}

function fieldsOf(part: unknown): ReadonlyMap<string, unknown> {
  return new Map(isObject(part) ? Object.entries(part) : [])
}

function isObject(part: unknown): part is object {
  return typeof part === 'object' && part !== null
}
