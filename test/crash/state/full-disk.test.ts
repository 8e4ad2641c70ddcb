import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { DocumentKind } from '../../../src/core/document-kind.ts'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'
import { bundled } from '../../support/programs/bundle.ts'

const FILLER = new URL('./filler.ts', import.meta.url)
const MAX_FILE_KB = 2000
const TEXT: DocumentKind<string> = { name: 'text', schema: z.string() }
const Told = z.object({ written: z.int(), refusals: z.array(z.string()), readable: z.int() })

describe('a state store that can grow no more', () => {
  it(
    'is unavailable for changes, still answers, and keeps everything acknowledged',
    { tags: ['bash'] },
    async () => {
      using folder = new TempFolder()
      const file = folder.file('state.db')
      const command = `ulimit -f ${MAX_FILE_KB}; exec "$0" "$@"`

      const filler = spawnSync('bash', ['-c', command, process.execPath, bundled(FILLER), file], {
        encoding: 'utf8',
      })
      const told = Told.parse(JSON.parse(filler.stdout))

      await using store = await openSqliteState(file)
      expect(told.refusals).toEqual(['unavailable', 'unavailable'])
      expect(told.written).toBeGreaterThan(100)
      expect(told.readable).toBe(told.written)
      expect(await store.counter('number')).toBe(told.written)
      expect(await store.list(TEXT)).toHaveLength(told.written)
      expect(await store.check([TEXT])).toEqual([])
      expect(await store.change((tx) => tx.next('number'))).toBe(told.written + 1)
    },
  )
})
