import type { z } from 'zod'

/** A family of JSON documents in the state store: its name there, and the form each one has. */
export interface DocumentKind<Value> {
  readonly name: string
  readonly schema: z.ZodType<Value>
}
