import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { replaceSqliteState } from '../../../src/state/salvage-sqlite.ts'
import { FaultyFs, LOSSES } from '../../support/disk/faulty-fs.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

/**
 * The outcomes of a start: the old store with its log, one that is refused, or the new store alone.
 */
const SOUND = ['damaged with its log', 'empty', 'empty with its log', 'made']

function found(file: string): string {
  const log = existsSync(`${file}-wal`) ? ' with its log' : ''
  const text = existsSync(file) ? readFileSync(file, 'utf8') : 'absent'
  return `${text === '' ? 'empty' : text}${log}`
}

describe('a power cut while a store is replaced', () => {
  it.each(LOSSES)('that loses %s never leaves an old log beside the new store', async (loss) => {
    const outcomes: string[] = []
    for (let isDone = false; !isDone;) {
      const [file, work] = [join(tempDir(), 'state.sqlite'), join(tempDir(), 'work')]
      mkdirSync(work)
      const made = join(work, 'made.sqlite')
      for (const [path, text] of Object.entries({ [file]: 'damaged', [made]: 'made' }))
        writeFileSync(path, text)
      for (const suffix of ['-wal', '-shm']) writeFileSync(`${file}${suffix}`, 'log')
      const disk = new FaultyFs({ cutAfter: outcomes.length, loss })

      const [{ status }] = await Promise.allSettled([replaceSqliteState(file, made, disk.promises)])
      await disk.cut()

      isDone = status === 'fulfilled'
      expect(isDone ? ['made'] : SOUND).toContain(found(file))
      outcomes.push(found(file))
    }

    expect(outcomes[0]).toBe('damaged with its log')
    expect(outcomes).toContain('empty')
  })
})
