// @module-tag long

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { fastImport } from '../../support/git/fast-import.ts'
import { HistoryFolder } from '../../support/history/history-folder.ts'
import { indexFile, indexOf } from '../../support/history/history-index.ts'

const REVISIONS = 1_500
const NAMES = Array.from({ length: 20 }, (_, n) => `pipeline-${n}`)
const WHOLE = documentWith(...NAMES).replace(/^.*\n/, '')

describe('the disk space of a history in which each revision changed a line', () => {
  it('is less than 900 bytes a revision, of the index and the list of revisions', async () => {
    await using folder = new HistoryFolder()
    folder.init()
    folder.commit(WHOLE)
    const lines = WHOLE.split('\n')
    const places = lines.flatMap((line, place) => (line.includes('<git url') ? [place] : []))
    const documents = Array.from({ length: REVISIONS }, (_, n) => {
      lines[places[n % places.length] ?? 0] = `        <git url="https://example.org/${n}.git" />`
      return lines.join('\n')
    })
    await fastImport(folder.path, documents)
    folder.git('reset', '-q', '--hard')
    const history = await folder.open()
    const file = indexFile()
    const index = indexOf(history, { file })

    await index.settle()
    await index[Symbol.asyncDispose]()

    const list = join(folder.path, '.git', 'cairn', 'revisions')
    const [kept, indexed] = [list, file].map((each) => statSync(each).size / REVISIONS)
    expect(kept).toBeLessThan(100)
    expect(indexed).toBeLessThan(800)
  })
})
