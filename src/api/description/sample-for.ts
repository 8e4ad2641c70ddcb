import { z } from 'zod'

/**
 * An example of what a schema describes: its own (`meta({ example })`), or one made of those of its parts. What
 * may be null or absent is so without one of its own. Undefined where an example is missing.
 */
export function sampleFor(schema: z.core.$ZodType): unknown {
  const own = z.globalRegistry.get(schema)
  if (own && 'example' in own) return own['example']
  if (schema instanceof z.ZodObject) return objectSample(schema)
  if (schema instanceof z.ZodArray) return listOf(sampleFor(schema.element))
  if (schema instanceof z.ZodNullable) return sampleFor(schema.unwrap()) ?? null
  if (schema instanceof z.ZodReadonly) return sampleFor(schema.unwrap())
  if (schema instanceof z.ZodLiteral) return schema.value
  if (schema instanceof z.ZodEnum) return schema.options[0]
  if (schema instanceof z.ZodBoolean) return false
  return undefined
}

function listOf(sample: unknown): unknown[] | undefined {
  return sample === undefined ? undefined : [sample]
}

function objectSample({ shape }: z.ZodObject): Record<string, unknown> | undefined {
  const sample: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(shape)) {
    const value = isOptional(field) ? z.globalRegistry.get(field)?.['example'] : sampleFor(field)
    if (value !== undefined) sample[name] = value
    else if (!isOptional(field)) return undefined
  }
  return sample
}

function isOptional(field: z.core.$ZodType): boolean {
  return field instanceof z.ZodOptional || field instanceof z.ZodExactOptional
}
