import { History } from '../../../src/history/history.ts'
import { documentOf, inspect, preparingBy, save } from './history-folder.ts'

/** Saves one document after the other and packs after each, telling every digest once it is acknowledged. */
const [repository = '', round = ''] = process.argv.slice(2)
const history = await History.open({
  repository,
  fileName: 'config.xml',
  inspect,
  prepare: preparingBy(inspect),
  firstDocument: () => Buffer.from(documentOf('first')),
  serverEdition: 'OpenSource',
  serverVersion: '1.0.0',
  clock: Date.now,
  pollInterval: 60_000,
  report: () => {},
  programPath: process.env['PATH'],
  packWhen: { looseObjects: 1, looseBytes: 1, packs: 1 },
})
for (let n = 0; ; n += 1) {
  const { revision } = await save(history, documentOf(`${round}-${n}`))
  process.stdout.write(`${revision.digest}\n`)
  await history.maintain()
}
