import type { z } from 'zod'

/** The fields that an agent gets of a part of the configuration, by its row of the schema. */
export function sentOf<Sent extends z.ZodObject>(sent: Sent, fields: z.output<Sent>): z.output<Sent>
export function sentOf({ shape }: z.ZodObject, fields: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, fields[name]]))
}

/** The same, an empty text counting as none in a field that may be none. */
export function givenOf<Sent extends z.ZodObject>(
  sent: Sent,
  fields: z.output<Sent>,
): z.output<Sent>
export function givenOf({ shape }: z.ZodObject, fields: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(shape).map(([name, form]) => {
      const isNone = fields[name] === '' && form.isNullable()
      return [name, isNone ? null : fields[name]]
    }),
  )
}
