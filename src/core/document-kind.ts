import type { z } from 'zod'

/** A kind of JSON document in the state store: its name there, and its schema. */
export interface DocumentKind<Value> {
  readonly name: string
  readonly schema: z.ZodType<Value>
}
