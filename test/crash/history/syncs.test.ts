import { expect, it } from 'vitest'
import { FaultyFs } from '../../support/disk/faulty-fs.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'

/** Three objects, the branch and the live file, each with its folder, and the one above new folders. */
const MAX_SYNCS = 11

it('syncs what a save cannot make anew, and nothing else', async () => {
  await using folder = new HistoryFolder()
  const fs = new FaultyFs()
  const history = await folder.open({ fs: fs.promises })
  await save(history, documentOf('two'))

  const before = fs.syncs
  await save(history, documentOf('three'))

  const syncs = fs.syncs - before
  expect(syncs).toBeLessThanOrEqual(MAX_SYNCS)
  expect(syncs).toBeGreaterThanOrEqual(4)
})
