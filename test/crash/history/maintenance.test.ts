// @module-tag long
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Digest } from '../../../src/core/digest.ts'
import { fsErrorCode } from '../../../src/storage/fs-error.ts'
import { HistoryFolder } from '../../support/history/history-folder.ts'
import { bundled } from '../../support/programs/bundle.ts'

const PROGRAM = new URL('../../support/history/maintaining-program.ts', import.meta.url)
const ROUNDS = 6

/** Saves and packs until some saves were acknowledged, and is killed with all its git commands soon after. */
async function saveAndPackUntilKilled(repository: string, round: number): Promise<string[]> {
  const args = [bundled(PROGRAM), repository, `round-${round}`]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let told = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text))
  while (told.split('\n').length < 4) await once(child.stdout, 'data')
  await wait(round * 9)
  killWithCommands(child)
  await once(child, 'close')
  return told.split('\n').slice(0, -1)
}

/** Each git command of maintenance leads a process group of its own. */
function killWithCommands({ pid = 0 }: ChildProcess): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  for (const id of [pid, ...children.filter(Boolean).flatMap((each) => [-Number(each), +each])]) {
    try {
      process.kill(id, 'SIGKILL')
    } catch (error) {
      if (fsErrorCode(error) !== 'ESRCH') throw error
    }
  }
}

it('loses nothing that was acknowledged when it is killed while git packs', async () => {
  await using folder = new HistoryFolder()
  const acknowledged: string[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    acknowledged.push(...(await saveAndPackUntilKilled(folder.path, round)))
  }

  const history = await folder.open()
  const documents = acknowledged.map(async (digest) => {
    const revision = history.find(Digest.parse(digest))
    return revision === null ? null : history.readDocument(revision)
  })

  expect(await Promise.all(documents)).not.toContain(null)
  expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS * 3)
  expect(folder.complaints()).toBe('')
})
