import { z } from 'zod'
import type { Attributes } from '../schema/attribute.ts'
import type { ElementRow } from '../schema/element.ts'
import type { ModelNode } from './model-node.ts'

/** Where an element is: its number in the document. A large one has hundreds of thousands, and a number takes no object. */
export const At = z.number()
export type At = z.infer<typeof At>

const NONE: readonly never[] = Object.freeze([])

/** A list. All that are empty are one, as most of them are: a large document has hundreds of thousands. */
export function manyOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .readonly()
    .transform((items): readonly z.output<Item>[] => (items.length === 0 ? NONE : items))
}

/** A part of the model: its form, and how it is read from an element. */
export interface ModelField<Form extends z.ZodType = z.ZodType> {
  readonly form: Form
  /** Returns the input of the form. */
  readonly read: (node: ModelNode) => unknown
}

/** The model of an element, which is a field where the element is part of another. */
export interface Model<Form extends z.ZodType = z.ZodType> extends ModelField<Form> {
  readonly read: (node: ModelNode) => Readonly<Record<string, unknown>>
}

export type ValueOf<Of extends ModelField> = z.output<Of['form']>

/** Builds a part of the model, or reports the values that do not have its form. */
export function build<Form extends z.ZodType>(
  of: ModelField<Form>,
  node: ModelNode,
): z.ZodSafeParseResult<z.output<Form>> {
  return of.form.safeParse(of.read(node))
}

type Fields = Readonly<Record<string, ModelField>>
type None = { readonly [Name in never]: never }

type FieldName<Own, Name> = Name extends undefined ? Own : Name extends string ? Name : never
type FormsOf<Of extends Attributes> = {
  [Own in keyof Of as FieldName<Own, Of[Own]['facts']['field']>]: Of[Own]['facts']['form']
}
type ShapeOf<Own extends Attributes, Texts extends Attributes, More extends Fields> = Flat<
  { at: typeof At } & Omit<FormsOf<Own> & FormsOf<Texts>, keyof More> & {
      [Name in keyof More]: More[Name]['form']
    }
>
type Flat<Shape> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodType ? Shape[Name] : never
}

/** The model of an element: its place, the fields of its row in the schema, and more of its own. */
export function modelOf<
  Own extends Attributes = None,
  Texts extends Attributes = None,
  More extends Fields = None,
>(
  row: { readonly attributes?: Own; readonly texts?: Texts },
  more?: More,
): Model<z.ZodObject<ShapeOf<Own, Texts, More>>>
export function modelOf({ attributes = {}, texts = {} }: ElementRow, more: Fields = {}): Model {
  const fields = new Map<string, ModelField>([
    ['at', { form: At, read: ({ at }) => at }],
    ...fieldsOf(attributes, (node, name) => node.attribute(name)),
    ...fieldsOf(texts, (node, name) => node.textOf(name)),
    ...Object.entries(more),
  ])
  const readers = [...fields]
  const forms = readers.map(([name, { form }]) => [name, form] as const)
  return {
    form: z.object(Object.fromEntries(forms)),
    read: (node) => {
      const values: Record<string, unknown> = {}
      for (const [name, { read }] of readers) values[name] = read(node)
      return values
    },
  }
}

function fieldsOf(
  of: Attributes,
  textOf: (node: ModelNode, name: string) => string | null,
): (readonly [string, ModelField])[] {
  return Object.entries(of).flatMap(([name, { facts }]) => {
    const { field = name, form, absent } = facts
    const read = (node: ModelNode) => textOf(node, name) ?? absent
    return field === null ? [] : [[field, { form, read }] as const]
  })
}

/** A field that is the same in all. */
export function constant<Value extends string>(value: Value): ModelField<z.ZodLiteral<Value>> {
  return { form: z.literal(value), read: () => value }
}

/** A child element, or null where there is none. */
export function one<Form extends z.ZodType>(
  name: string,
  of: ModelField<Form>,
): ModelField<z.ZodNullable<Form>> {
  return {
    form: of.form.nullable(),
    read: (node) => {
      const child = node.child(name)
      return child && of.read(child)
    },
  }
}

/** The elements at the end of a path of names. */
export function many<Form extends z.ZodType>(of: ModelField<Form>, ...path: readonly string[]) {
  return {
    form: manyOf(of.form),
    read: (node: ModelNode) => node.list(...path).map((each) => of.read(each)),
  }
}

/** Every child of a child element, whatever its name. */
export function childrenOf<Form extends z.ZodType>(name: string, of: ModelField<Form>) {
  return {
    form: manyOf(of.form),
    read: (node: ModelNode) => (node.child(name)?.children ?? []).map((each) => of.read(each)),
  }
}

export const ELEMENT_NAME: ModelField<z.ZodString> = { form: z.string(), read: ({ name }) => name }

export const OWN_TEXT: ModelField<z.ZodString> = { form: z.string(), read: ({ text }) => text }
