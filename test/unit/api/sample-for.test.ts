import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sampleFor } from '../../../src/api/description/example.ts'

const Name = z.string().meta({ example: 'hello' })

describe('an example of a schema', () => {
  it('is made of the examples of its parts, without what may be absent', () => {
    const schema = z.object({
      name: Name,
      names: z.array(Name).readonly(),
      state: z.enum(['open', 'closed']),
      kind: z.literal('pipeline'),
      isPaused: z.boolean(),
      by: Name.optional(),
      cause: Name.exactOptional(),
      locked: z.string().nullable(),
      group: Name.nullable(),
    })

    expect(sampleFor(schema)).toEqual({
      name: 'hello',
      names: ['hello'],
      state: 'open',
      kind: 'pipeline',
      isPaused: false,
      locked: null,
      group: 'hello',
    })
  })

  it('is its own where it has one, null among them', () => {
    const schema = z.object({
      last: Name.nullable().meta({ example: null }),
      tags: z.array(Name).meta({ example: [] }),
    })

    expect(sampleFor(schema)).toEqual({ last: null, tags: [] })
  })

  it('is unknown where a part has none', () => {
    expect(sampleFor(z.array(z.object({ name: Name, text: z.string() })))).toBeUndefined()
  })
})
