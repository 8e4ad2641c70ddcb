// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'
import { tempFolder } from '../../support/disk/temp-folder.ts'
import { casesOf } from '../../support/programs/all-cases.ts'
import { bundled } from '../../support/programs/bundle.ts'

const WRITER = new URL('./writer.ts', import.meta.url)
const TEXT = { name: 'text', schema: z.string() }
const KILLS = casesOf({ all: 60, mostly: 20 })

/** The last number that a writer acknowledged; it is killed so many milliseconds after the first copy of its log began. */
async function lastOfKilled(file: string, afterMs: number): Promise<number> {
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const writer = spawn(process.execPath, [bundled(WRITER), file], { stdio: [...stdio] })
  const ended = once(writer, 'close')
  const numbers: number[] = []
  for await (const line of createInterface(writer.stdout)) {
    numbers.push(Number(line))
    // A change has some 150 pages, and from 1,000 on the log is copied.
    if (numbers.length === 10) setTimeout(() => writer.kill('SIGKILL'), afterMs)
  }
  await ended
  return numbers.at(-1) ?? 0
}

it(`a state that is killed while its log is copied has everything, after ${KILLS} kills`, async () => {
  const file = tempFolder().file('state.sqlite')
  for (let kill = 0; kill < KILLS; kill += 1) {
    const last = await lastOfKilled(file, kill * 3)

    await using store = await openSqliteState(file)
    const number = await store.counter('number')
    expect(number).toBeGreaterThanOrEqual(last)
    for (let each = number; each > number - 10; each -= 1)
      expect(await store.find(TEXT, `${each % 10}`)).toMatch(new RegExp(`^${each} `))
    expect(await store.check([TEXT])).toEqual([])
  }
})
