import type { Definition, Notation } from './vocabulary-notation.ts'
import { VALUE_TYPES, type ValueType } from './value-types.ts'
import { AGENT_DEFINITIONS, PLUGIN_DEFINITIONS } from './vocabulary-plugins.ts'
import { PIPELINE_DEFINITIONS } from './vocabulary-pipelines.ts'
import { SERVER_DEFINITIONS } from './vocabulary-server.ts'
import { STAGE_DEFINITIONS } from './vocabulary-stages.ts'

export interface AttributeRule {
  readonly type: ValueType
  readonly required: boolean
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
}

const DEFINITIONS: ReadonlyMap<string, Definition> = new Map(
  Object.entries({
    ...SERVER_DEFINITIONS,
    ...PIPELINE_DEFINITIONS,
    ...STAGE_DEFINITIONS,
    ...PLUGIN_DEFINITIONS,
    ...AGENT_DEFINITIONS,
  }),
)

const rules = new Map<string, ElementRule>()

/** The rule of the element with this key in the definitions. */
export function ruleOf(key: string): ElementRule {
  const cached = rules.get(key)
  if (cached) return cached
  const { others = {}, ...exact } = definitionOf(key)
  const attributes = `${exact.attributes ?? ''} ${others.attributes ?? ''}`
  const content = others.content ?? exact.content
  const merged = content === undefined ? { attributes } : { attributes, content }
  const rule = { key, exact: new ParsedShape(key, exact), others: new ParsedShape(key, merged) }
  rules.set(key, rule)
  return rule
}

function definitionOf(key: string): Definition {
  const definition = DEFINITIONS.get(key)
  if (!definition) throw new Error(`the vocabulary has no ${key}`)
  return definition
}

class ParsedShape implements Shape {
  readonly attributes: ReadonlyMap<string, AttributeRule>
  readonly required: readonly string[]
  readonly particles: readonly Particle[]
  readonly ordered: boolean
  readonly text: ValueType | null
  readonly open: boolean
  readonly #key: string
  #children: ReadonlyMap<string, ElementRule> | null = null

  constructor(key: string, { attributes = '', content = '' }: Notation) {
    this.#key = key
    this.attributes = new Map(words(attributes).map(parseAttribute))
    this.required = requiredOf(this.attributes)
    this.open = content === '#any'
    this.ordered = !content.includes('&')
    const [text, elements] = this.open ? [null, []] : splitContent(content)
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
  return ruleOf(keys.find((key) => DEFINITIONS.has(key)) ?? name)
}

function requiredOf(attributes: ReadonlyMap<string, AttributeRule>): string[] {
  return [...attributes].filter(([, { required }]) => required).map(([name]) => name)
}

function words(text: string): string[] {
  return text.split(/[\s&]+/).filter((word) => word !== '')
}

function parseAttribute(word: string): [string, AttributeRule] {
  const [, name = '', type = 'text', mark] = /^([^:!]+)(?::([^!]+))?(!)?$/.exec(word) ?? []
  return [name, { type: typeNamed(type), required: mark !== undefined }]
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
  const type = VALUE_TYPES.get(name)
  if (!type) throw new Error(`there is no type ${name}`)
  return type
}

/** The rule of the root element. */
export const CRUISE: ElementRule = ruleOf('cruise')
