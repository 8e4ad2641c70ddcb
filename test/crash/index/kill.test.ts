import { copyFileSync, existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { HistoryIndex } from '../../../src/index/history-index.ts'
import { fastImport } from '../../support/git/fast-import.ts'
import { documentOf, HistoryFolder } from '../../support/history/history-folder.ts'
import { indexFile, indexOf } from '../../support/history/history-index.ts'

const REVISIONS = 180
/** The revisions at which the process is killed, in the order of the walk. */
const CUTS = [181, 160, 131, 120, 80, 31, 1]

/** The file as a killed process leaves it. */
function copyOf(file: string): string {
  const copy = indexFile()
  for (const end of ['', '-wal']) {
    if (existsSync(`${file}${end}`)) copyFileSync(`${file}${end}`, `${copy}${end}`)
  }
  return copy
}

async function answersOf(index: HistoryIndex): Promise<unknown> {
  await index.settle()
  const { revisions } = await index.entities.revisionsOf('document')
  const found: string[] = []
  for await (const some of index.texts.search('line 7 of').revisions())
    found.push(...some.map(({ commit }) => commit))
  return { numbers: Array.from(revisions, ({ number }) => number), found }
}

describe('an index whose process is killed while it is written', () => {
  it(
    'is finished by the next one, which reads no revision that is in it',
    { tags: ['long'] },
    async () => {
      await using folder = new HistoryFolder()
      folder.init()
      folder.commit(documentOf('empty'))
      await fastImport(
        folder.path,
        Array.from({ length: REVISIONS }, (_, n) => documentOf(`line ${n % 9} of ${n}`)),
      )
      folder.git('reset', '--quiet', '--hard')
      await using history = await folder.open()
      const file = indexFile()
      const copies: { readonly copy: string; readonly indexed: number }[] = []
      const whole = indexOf(history, {
        file,
        examine: async (revision) => {
          if (!CUTS.includes(history.numberOf(revision) ?? 0)) return
          copies.push({ copy: copyOf(file), indexed: whole.entities.progress().indexed })
        },
      })
      const expected = await answersOf(whole)

      expect(copies).toHaveLength(CUTS.length)
      for (const { copy, indexed } of copies) {
        let examined = 0
        const examine = async () => {
          examined += 1
        }
        expect(await answersOf(indexOf(history, { file: copy, examine }))).toEqual(expected)
        expect(examined).toBe(REVISIONS + 1 - indexed)
      }
    },
  )
})
