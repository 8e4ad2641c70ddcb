// Writes documents until the store refuses one, then reads what is there and tries once more.
import { z } from 'zod'
import { openSqliteState } from '../../../dist/state/open-sqlite.js'

const TEXT = { name: 'text', schema: z.string() }
const store = await openSqliteState(process.argv[2])
const put = () =>
  store.change(async (tx) => {
    const number = await tx.next('number')
    await tx.put(TEXT, `${number}`, 'x'.repeat(4000))
    return number
  })

let written = 0
const refusals = []
while (refusals.length < 2) {
  const outcomes = await Promise.allSettled([put(), put()])
  written += outcomes.filter(({ status }) => status === 'fulfilled').length
  refusals.push(...outcomes.flatMap(({ reason }) => (reason ? [reason.code ?? `${reason}`] : [])))
}
const readable = (await store.list(TEXT)).length
process.stdout.write(JSON.stringify({ written, refusals, readable }))
