// Writes documents until the store refuses one, then reads what is there and tries once more.
import { z } from 'zod'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'

const TEXT = { name: 'text', schema: z.string() }
const store = await openSqliteState(process.argv[2] ?? '')
const put = () =>
  store.change(async (tx) => {
    const number = await tx.next('number')
    await tx.put(TEXT, `${number}`, 'x'.repeat(4000))
    return number
  })

let written = 0
const refusals: string[] = []
while (refusals.length < 2) {
  const outcomes = await Promise.allSettled([put(), put()])
  written += outcomes.filter(({ status }) => status === 'fulfilled').length
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') refusals.push(outcome.reason.code ?? `${outcome.reason}`)
  }
}
const readable = (await store.list(TEXT)).length
process.stdout.write(JSON.stringify({ written, refusals, readable }))
