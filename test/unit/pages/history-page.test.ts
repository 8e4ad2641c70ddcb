import { expect, it, onTestFinished } from 'vitest'
import { ChangesFile } from '../../../src/configuration/changes/changes-file.ts'
import { ChangeSummary } from '../../../src/configuration/changes/change-summary.ts'
import { EntityIndex } from '../../../src/configuration/changes/entity-index.ts'
import { readHistoryPage } from '../../../src/pages/history/history-page.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const EVERYTHING = {
  text: '',
  username: '',
  kind: null,
  entity: '',
  since: null,
  until: null,
  agents: false,
  withoutNoise: false,
}

it('shows the history of one moment though a revision comes while it is read', async () => {
  await using folder = new HistoryFolder()
  const history = await folder.open()
  await save(history, documentOf('two'))
  const summary = new ChangeSummary({ find: () => null })
  const file = new ChangesFile(`${tempDir()}/changes`)
  const entities = new EntityIndex({ history, summary, file, log: () => undefined })
  onTestFinished(() => entities[Symbol.asyncDispose]())
  const details = {
    find: () => null,
    isKnown: () => false,
    compute: async () => void (await save(history, documentOf('three'))),
  }
  const deps = { history, entities, details, access: { may: () => true } }
  const reader = { username: 'admin' }

  const page = await readHistoryPage(deps, reader, { filter: EVERYTHING, offset: 0 })

  expect(history.size()).toBe(3)
  expect(page).toMatchObject({ total: 2, matching: 2, current: { number: 2 } })
  expect(page.rows.map(({ revision }) => [revision.number, revision.isCurrent])).toEqual([
    [2, true],
    [1, false],
  ])
})
