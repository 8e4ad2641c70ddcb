// Writes one of ten documents of many pages in each change, and prints its number once it is acknowledged, until it is killed.
import { z } from 'zod'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'

const TEXT = { name: 'text', schema: z.string() }
const store = await openSqliteState(process.argv[2] ?? '')
for (;;) {
  const number = await store.change(async (tx) => {
    const next = await tx.next('number')
    await tx.put(TEXT, `${next % 10}`, `${next} `.repeat(100_000))
    return next
  })
  process.stdout.write(`${number}\n`)
}
