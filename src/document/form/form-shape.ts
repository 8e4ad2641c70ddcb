import { VALUE_TYPES, type ValueType } from '../schema/value-types.ts'
import { type ElementRule, ruleOf, type Shape } from '../schema/vocabulary.ts'
import { editionOf } from '../structure/structure.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { formLabel, rankOf } from './form-labels.ts'

/** A field of a form, and the attribute or the text that it is about. */
export interface FieldPart {
  readonly kind: 'attribute' | 'text' | 'secret'
  /** The name of the attribute; `text` for the text of the element. */
  readonly name: string
  readonly label: string
  readonly type: ValueType
  readonly required: boolean
  /** The value where the document has none; null for none. */
  readonly absent: string | null
}

/** A child element of which there is one at most, with fields of its own. */
export interface SectionPart {
  readonly kind: 'section'
  readonly name: string
  readonly label: string
  readonly shape: FormShape
}

/** Child elements of which there may be several. */
export interface FormList {
  readonly kind: 'list'
  /** The name in addresses of fields: that of the holder, or of the items. */
  readonly name: string
  /** The child element that holds the items; null where they are in the element itself. */
  readonly holder: string | null
  readonly label: string
  /** The word for a row of whatever kind. */
  readonly item: string
  /** The kinds of rows, in the order in which they are offered. */
  readonly rows: readonly RowKind[]
}

export interface RowKind {
  /** Tells the rows of a list apart. */
  readonly kind: string
  readonly element: string
  readonly label: string
  readonly shape: FormShape
}

export type FormPart = FieldPart | SectionPart | FormList

/** The parts of an element that a form shows, as the schema table has them. */
export interface FormShape {
  readonly key: string
  readonly parts: readonly FormPart[]
  /** The names of its child elements in the order of the schema. */
  readonly order: readonly string[]
  /** A variable is a row of its own kind: its value is in a child, in clear or sealed. */
  readonly variable: 'plain' | 'secure' | null
}

type Version = 'exact' | 'others'

/** The entities that have a form, and the schema's key of each. */
const FORMS: ReadonlyMap<string, string> = new Map([
  ['pipeline', 'pipelines/pipeline'],
  ['template', 'templates/pipeline'],
  ['group', 'pipelines'],
  ['environment', 'environment'],
  ['role', 'roles/role'],
])

export const FORM_KINDS: readonly string[] = [...FORMS.keys()]

export function hasForm(kind: string): boolean {
  return FORMS.has(kind)
}

/** Elements that a form leaves alone: they are entities, or the work of plugins and older tools. */
const LEFT_ALONE: ReadonlySet<string> = new Set([
  'pipelines/pipeline',
  'oncancel',
  'mingle',
  'properties',
  'log',
  'dependencies',
  'task',
  'fetchPluggableArtifact',
  'pluggableArtifact',
  'agentConfig',
  'configuration',
  'property',
  'auth',
])

/** Attributes that say nothing where they are. */
const WITHOUT_MEANING: ReadonlySet<string> = new Set([
  'fetchartifact@buildfile',
  'fetchartifact@target',
  'fetchartifact@workingdir',
])

/** Elements without attributes that are nothing but their text. */
const NEEDS_TEXT: ReadonlySet<string> = new Set([
  'user',
  'role',
  'users/user',
  'role/user',
  'resource',
])

const shapes = new Map<string, FormShape>()

/**
 * The form of entities of a kind in a document of that schema; null for a kind without one.
 *
 * @param element The name of its element: a role that a plugin fills has no form.
 */
export function formOf(root: XmlElement, kind: string, element?: string): FormShape | null {
  const key = FORMS.get(kind)
  if (key === undefined || element === 'pluginRole') return null
  return shapeOf(ruleOf(key), editionOf(root) === 'exact' ? 'exact' : 'others')
}

/** The name of the element of a new entity of a kind. */
export function elementOfNew(kind: string): string {
  const key = FORMS.get(kind) ?? kind
  return key.slice(key.lastIndexOf('/') + 1)
}

function shapeOf(
  rule: ElementRule,
  version: Version,
  variable: FormShape['variable'] = null,
): FormShape {
  const cacheKey = `${version} ${rule.key} ${variable}`
  const known = shapes.get(cacheKey)
  if (known) return known
  const shape = makeShape(rule, version, variable)
  shapes.set(cacheKey, shape)
  return shape
}

function makeShape(
  rule: ElementRule,
  version: Version,
  variable: FormShape['variable'],
): FormShape {
  const { key } = rule
  const own = rule[version]
  const order = own.particles.flatMap(({ names }) => names)
  const fields = attributeFields(key, own)
  if (rule.key === 'variable') {
    const name = fields.filter((field) => field.name === 'name')
    const isSecure = variable === 'secure'
    const kind = isSecure ? 'secret' : 'text'
    const value = fieldOf(key, 'value', { kind, required: isSecure })
    return { key, parts: [...name, value], order, variable }
  }
  const text: FieldPart[] =
    own.text === null
      ? []
      : [fieldOf(key, 'text', { kind: 'text', type: own.text, required: NEEDS_TEXT.has(key) })]
  const children = childParts(own, version).toSorted((one, other) => rankOf(one) - rankOf(other))
  return { key, parts: [...fields, ...text, ...children], order, variable }
}

function attributeFields(key: string, { attributes }: Shape): FieldPart[] {
  return [...attributes].flatMap(([name, rule]) => {
    if (WITHOUT_MEANING.has(`${key}@${name}`) || name === 'encryptedPassword') return []
    const kind = name === 'password' ? 'secret' : 'attribute'
    return [fieldOf(key, name, { ...rule, kind })]
  })
}

function fieldOf(
  key: string,
  name: string,
  { type = VALUE_TYPES.text, required = false, absent = null, kind }: Partial<FieldPart>,
): FieldPart {
  return {
    kind: kind ?? 'attribute',
    name,
    label: formLabel(`${key}@${name}`),
    type,
    required,
    absent,
  }
}

function childParts({ particles, children }: Shape, version: Version): FormPart[] {
  return particles.flatMap(({ names, max }): FormPart[] => {
    const rules = names.flatMap((name) => {
      const rule = children.get(name)
      const isShown = rule && !LEFT_ALONE.has(rule.key) && !rule[version].open
      return isShown ? [{ name, rule }] : []
    })
    const holders = rules.flatMap(({ name, rule }) => {
      const held = heldBy(rule[version], version)
      return held === null ? [] : [listPart(rule.key, name, held)]
    })
    if (holders.length > 0) return holders
    if (max === 1) return rules.map(({ name, rule }) => sectionPart(name, rule, version))
    // Side by side, elements of different meaning are lists of their own: arguments, conditions.
    return rules.map(({ name, rule }) =>
      listPart(rule.key, name, { isOwn: true, rows: rowsOf(name, rule, version) }),
    )
  })
}

function sectionPart(name: string, rule: ElementRule, version: Version): SectionPart {
  const label = formLabel(rule.key)
  return { kind: 'section', name, label, shape: shapeOf(rule, version) }
}

interface Held {
  readonly isOwn: boolean
  readonly rows: readonly RowKind[]
}

function listPart(key: string, name: string, { isOwn, rows }: Held): FormList {
  const [label, item] = [formLabel(`${key}*`), formLabel(`${key}+`)]
  return { kind: 'list', name, holder: isOwn ? null : name, label, item, rows }
}

/** The rows of an element that is nothing but a list; null for any other. */
function heldBy(own: Shape, version: Version): Held | null {
  const [particle, ...others] = own.particles
  const isList =
    particle !== undefined &&
    others.length === 0 &&
    particle.max > 1 &&
    own.attributes.size === 0 &&
    own.text === null
  if (!isList) return null
  const rows = particle.names.flatMap((name) => {
    const rule = own.children.get(name)
    if (rule === undefined || LEFT_ALONE.has(rule.key) || rule[version].open) return []
    return rowsOf(name, rule, version)
  })
  return rows.length === 0 ? null : { isOwn: false, rows }
}

function rowsOf(name: string, rule: ElementRule, version: Version): RowKind[] {
  if (rule.key === 'variable') {
    return (['plain', 'secure'] as const).map((variable) => ({
      kind: variable === 'plain' ? name : 'secure',
      element: name,
      label: variable === 'plain' ? 'variable' : 'secure variable',
      shape: shapeOf(rule, version, variable),
    }))
  }
  const label = formLabel(`${rule.key}+`)
  return [{ kind: name, element: name, label, shape: shapeOf(rule, version) }]
}
