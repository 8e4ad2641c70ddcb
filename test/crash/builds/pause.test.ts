// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { PIPELINE_PAUSE } from '../../../src/builds/engine/documents.ts'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { bundled } from '../../support/programs/bundle.ts'

const PAUSER = new URL('./pauser.ts', import.meta.url)
const KILLS = 12

/** The last step that was acknowledged before a kill, which comes at once after the awaited one. */
async function lastStep(file: string, from: { first: number; awaited: number }): Promise<number> {
  const pauser = spawn(process.execPath, [bundled(PAUSER), file, `${from.first}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(pauser, 'close')
  let last = from.first
  for await (const line of createInterface(pauser.stdout)) {
    last = Number(line)
    if (last - from.first === from.awaited) pauser.kill('SIGKILL')
  }
  await ended
  return last
}

/** The cause of the pause in the state after a step. */
function after(step: number): string | null {
  return step % 3 === 0 ? null : `${step}`
}

describe('a pause whose server is killed at any moment', () => {
  it(`is there when it was acknowledged, after ${KILLS} kills`, { timeout: 120_000 }, async () => {
    const file = join(tempDir(), 'state.db')
    let first = 1
    for (let kill = 0; kill < KILLS; kill += 1) {
      const last = await lastStep(file, { first, awaited: 1 + ((kill * 7) % 10) })
      await using store = await openSqliteState(file)
      const pause = await store.find(PIPELINE_PAUSE, 'app')

      // The step after the last one may be on disk too, though it was not acknowledged yet.
      expect([after(last), after(last + 1)]).toContain(pause?.cause ?? null)
      first = last + 1
    }
  })
})
