import { z } from 'zod'
import type { DocumentKind } from '../../../src/core/document-kind.ts'
import type { StateStore } from '../../../src/state/state-store.ts'

const Note = z.object({ text: z.string(), tags: z.array(z.string()).readonly() })
export const NOTE: DocumentKind<z.infer<typeof Note>> = { name: 'note', schema: Note }
export const NUMBER: DocumentKind<number> = { name: 'number', schema: z.number() }
export const TEXT: DocumentKind<string> = { name: 'note', schema: z.string() }

export async function fill(store: StateStore, count: number): Promise<void> {
  await store.change(async (tx) => {
    for (let n = 1; n <= count; n += 1) {
      await tx.put(NUMBER, `n${n}`, n)
      await tx.append('all', `n${n}`)
    }
  })
}

export async function dumped(from: StateStore): Promise<string[]> {
  const lines: string[] = []
  for await (const line of from.dump()) lines.push(line)
  return lines
}

export async function* streamed(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}

export async function filled(store: StateStore, count: number): Promise<string[]> {
  await store.change(async (tx) => {
    await tx.next('ids', 41)
    for (let n = 1; n <= count; n += 1) {
      await tx.put(NUMBER, `n${n}`, n)
      await tx.append(`list ${n % 2}`, `n${n}`)
    }
    await tx.put(NOTE, 'odd', { text: '\n\0 \u2028 __proto__', tags: ['😀'] })
  })
  return dumped(store)
}
