import { expect, it } from 'vitest'
import { change, documentOf, HistoryFolder } from '../../support/history/history-folder.ts'

it('knows the trailers of the newest save without a look at its commit', async () => {
  await using folder = new HistoryFolder()
  const history = await folder.open()
  const trailers = [['Proposal', '7'] as const]
  const { revision } = await change(history, 'ana', documentTwo, { trailers })
  const [start, name] = [revision.commit.slice(0, 2), revision.commit.slice(2)]

  folder.remove(`.git/objects/${start}/${name}`)

  expect(await history.readTrailers(revision)).toEqual(trailers)
})

async function documentTwo(): Promise<Uint8Array<ArrayBuffer>> {
  return Buffer.from(documentOf('two'))
}
