import { z } from 'zod'
import { VALUE_TYPES, type ValueType, type ValueTypeName } from './value-types.ts'

export const Text = z.string()
export const OptionalText = z.string().nullable()

export const Flag = z
  .string()
  .trim()
  .pipe(z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], case: 'sensitive' }))

/** A number as XML Schema writes it. `NaN` and `INF` are numbers there. */
export const OptionalNumber = z
  .string()
  .transform((text) => Number(text.trim().replace('INF', 'Infinity')))
  .nullable()

interface AttributeFacts<Form, Field> {
  readonly type: ValueType
  /** Whether a document needs it: at every version, at the one that is known exactly, or not at all. */
  readonly required: 'everywhere' | 'exact' | 'nowhere'
  /** Whether all versions have it, or only others than the one that is known exactly. */
  readonly versions: 'all' | 'others'
  /** The value where it is absent. */
  readonly absent: string | null
  readonly form: Form
  /** The name of its field in the model: undefined for the same name, null where it has none. */
  readonly field: Field
}

/**
 * One attribute of an element, or a child element that holds a single value: its type, the versions of the schema that
 * have it, and the field of the model that it becomes.
 */
export class Attribute<
  Form extends z.ZodType = z.ZodType,
  Field extends string | null | undefined = string | null | undefined,
> {
  readonly facts: AttributeFacts<Form, Field>

  constructor(facts: AttributeFacts<Form, Field>) {
    this.facts = facts
  }

  /** The field that it becomes has another name. */
  as<Name extends string>(field: Name): Attribute<Form, Name> {
    return new Attribute({ ...this.facts, field })
  }

  /** Leaves the attribute without a field of its own in the model. */
  withoutField(): Attribute<Form, null> {
    return new Attribute({ ...this.facts, field: null })
  }

  /** The version that is known exactly does not have it. */
  elsewhere(): Attribute<Form, Field> {
    return new Attribute({ ...this.facts, versions: 'others' })
  }

  /** A document needs it. */
  needed(): Attribute<Form, Field> {
    return new Attribute({ ...this.facts, required: 'everywhere' })
  }

  /** Other versions than the one that is known exactly do not need it. */
  optionalElsewhere(): Attribute<Form, Field> {
    return new Attribute({ ...this.facts, required: 'exact' })
  }

  /** Where it is absent, it counts as this. */
  or(absent: string): Attribute<typeof Text, Field> {
    return new Attribute({ ...this.facts, absent, form: Text })
  }

  /** The form of its field. */
  into<Other extends z.ZodType>(form: Other): Attribute<Other, Field> {
    return new Attribute({ ...this.facts, form })
  }
}

export type Attributes = Readonly<Record<string, Attribute>>

const FACTS = { required: 'nowhere', versions: 'all', absent: null, field: undefined } as const

export function optional(type: ValueTypeName): Attribute<typeof OptionalText, undefined> {
  return new Attribute({ ...FACTS, type: VALUE_TYPES[type], form: OptionalText })
}

/** Empty in the model of a document that lacks it, which the check of the structure refuses. */
export function required(type: ValueTypeName): Attribute<typeof Text, undefined> {
  return optional(type).or('').needed()
}

export function flag(absent: 'true' | 'false'): Attribute<typeof Flag, undefined> {
  return new Attribute({ ...FACTS, type: VALUE_TYPES.boolean, absent, form: Flag })
}

export function number(
  type: 'integer' | 'positive' | 'double',
): Attribute<typeof OptionalNumber, undefined> {
  return new Attribute({ ...FACTS, type: VALUE_TYPES[type], form: OptionalNumber })
}
