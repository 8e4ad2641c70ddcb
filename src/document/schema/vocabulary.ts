import { AGENT_ELEMENTS } from './agents.ts'
import type { Attribute } from './attribute.ts'
import type { ElementRow } from './element.ts'
import { MATERIAL_ELEMENTS } from './materials.ts'
import { PIPELINE_ELEMENTS } from './pipelines.ts'
import { PLUGIN_ELEMENTS } from './plugins.ts'
import { SERVER_ELEMENTS } from './server.ts'
import { STAGE_ELEMENTS } from './stages.ts'
import { TASK_ELEMENTS } from './tasks.ts'
import { isValueType, VALUE_TYPES, type ValueType } from './value-types.ts'

export interface AttributeRule {
  readonly type: ValueType
  readonly required: boolean
  /** The value where it is absent; null for none. */
  readonly absent: string | null
}

/** A place among the children: the elements that may be there, and how many of them. */
export interface Particle {
  readonly names: readonly string[]
  readonly min: number
  readonly max: number
}

export interface Shape {
  readonly attributes: ReadonlyMap<string, AttributeRule>
  readonly required: readonly string[]
  readonly particles: readonly Particle[]
  readonly ordered: boolean
  readonly text: ValueType | null
  /** Whether nothing in the element is checked. */
  readonly open: boolean
  readonly children: ReadonlyMap<string, ElementRule>
}

/** The meaning of an element in its place, distinguished by `key` from others of its name. */
export interface ElementRule {
  readonly key: string
  readonly exact: Shape
  readonly others: Shape
  /** Whether the order of children counts in it and below at every version. */
  readonly ordered: boolean
  /** Whether what no schema knows is kept in it and below at later versions. */
  readonly keepsUnknown: boolean
}

const ROWS: ReadonlyMap<string, ElementRow> = new Map<string, ElementRow>(
  [
    SERVER_ELEMENTS,
    PIPELINE_ELEMENTS,
    MATERIAL_ELEMENTS,
    STAGE_ELEMENTS,
    TASK_ELEMENTS,
    PLUGIN_ELEMENTS,
    AGENT_ELEMENTS,
  ].flatMap((rows) => Object.entries(rows)),
)

const rules = new Map<string, ElementRule>()

export function ruleOf(key: string): ElementRule {
  const cached = rules.get(key)
  if (cached) return cached
  const row = rowOf(key)
  const rule = {
    key,
    exact: new RowShape(key, row, 'exact'),
    others: new RowShape(key, row, 'others'),
    ordered: row.ordered === true,
    keepsUnknown: row.keepsUnknown === true,
  }
  rules.set(key, rule)
  return rule
}

function rowOf(key: string): ElementRow {
  const row = ROWS.get(key)
  if (!row) throw new Error(`the schema has no ${key}`)
  return row
}

/** The shape that an element has at the version that is known exactly, or at the others. */
class RowShape implements Shape {
  readonly attributes: ReadonlyMap<string, AttributeRule>
  readonly required: readonly string[]
  readonly particles: readonly Particle[]
  readonly ordered: boolean
  readonly text: ValueType | null
  readonly open: boolean
  readonly #key: string
  #children: ReadonlyMap<string, ElementRule> | null = null

  constructor(key: string, row: ElementRow, of: 'exact' | 'others') {
    const { attributes = {}, content = '', elsewhere = content } = row
    const notation = of === 'exact' ? content : elsewhere
    this.#key = key
    this.attributes = new Map(
      Object.entries(attributes)
        .filter(([, { facts }]) => facts.versions === 'all' || of === 'others')
        .map(([name, attribute]) => [name, attributeRule(attribute, of)]),
    )
    this.required = requiredOf(this.attributes)
    this.open = notation === '#any'
    this.ordered = !notation.includes('&')
    const [text, elements] = this.open ? [null, []] : splitContent(notation)
    this.text = text
    this.particles = elements.map(parseParticle)
  }

  /** Looked up when first asked for, because tasks may be in tasks. */
  get children(): ReadonlyMap<string, ElementRule> {
    this.#children ??= new Map(
      this.particles
        .flatMap(({ names }) => names)
        .map((name) => [name, childRule(this.#key, name)]),
    )
    return this.#children
  }
}

/** The longest key wins, so that `templates/pipeline` is not mistaken for another pipeline. */
function childRule(parent: string, name: string): ElementRule {
  const nearest = parent.slice(parent.lastIndexOf('/') + 1)
  const keys = [`${parent}/${name}`, `${nearest}/${name}`, name]
  return ruleOf(keys.find((key) => ROWS.has(key)) ?? name)
}

function requiredOf(attributes: ReadonlyMap<string, AttributeRule>): string[] {
  return [...attributes].filter(([, { required }]) => required).map(([name]) => name)
}

function words(text: string): string[] {
  return text.split(/[\s&]+/).filter((word) => word !== '')
}

function attributeRule(
  { facts: { type, required, absent } }: Attribute,
  of: 'exact' | 'others',
): AttributeRule {
  const isRequired = required === 'everywhere' || required === of
  return { type: of === 'exact' ? type : (type.elsewhere ?? type), required: isRequired, absent }
}

function splitContent(content: string): [ValueType | null, string[]] {
  const [first = '', ...rest] = words(content)
  return first.startsWith('#') ? [typeNamed(first.slice(1)), rest] : [null, words(content)]
}

function parseParticle(word: string): Particle {
  const mark = /[?*+]$/.exec(word)?.[0] ?? ''
  const names = word.replace(/[()?*+]/g, '').split('|')
  const min = mark === '?' || mark === '*' ? 0 : 1
  return { names, min, max: mark === '*' || mark === '+' ? Infinity : 1 }
}

function typeNamed(name: string): ValueType {
  if (!isValueType(name)) throw new Error(`there is no type ${name}`)
  return VALUE_TYPES[name]
}

export const CRUISE: ElementRule = ruleOf('cruise')

interface ListedAttribute {
  readonly required?: true
  /** All values, where they can be listed. */
  readonly values?: readonly string[]
}

interface ListedElement {
  readonly attributes: Readonly<Record<string, ListedAttribute>>
  /** The key of each element that it may contain, by name. */
  readonly children: Readonly<Record<string, string>>
}

/** The content of each element, by its key; the key of the root is `cruise`. */
type VocabularyListing = Readonly<Record<string, ListedElement>>

/** The vocabulary as data: of the schema version that is known exactly, or of all versions together. */
export function listVocabulary(of: 'exact' | 'others'): VocabularyListing {
  const listed = new Map<string, ListedElement>()
  const add = (rule: ElementRule) => {
    if (listed.has(rule.key)) return
    const { attributes, children } = rule[of]
    const each = [...attributes].map(([name, { type, required }]) => {
      return [name, { ...(required && { required }), ...valuesOf(type) }] as const
    })
    const keys = [...children].map(([name, { key }]) => [name, key] as const)
    listed.set(rule.key, {
      attributes: Object.fromEntries(each),
      children: Object.fromEntries(keys),
    })
    for (const child of children.values()) add(child)
  }
  add(CRUISE)
  return Object.fromEntries(listed)
}

function valuesOf({ values }: ValueType): Pick<ListedAttribute, 'values'> {
  return values === undefined ? {} : { values }
}
