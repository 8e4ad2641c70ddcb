import { describe, expect, it } from 'vitest'
import type { ProgramEnd, ProgramRun } from '../../../src/processes/run-program.ts'
import { runToEnd } from '../../../src/processes/starter.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const HALF_A_GIGABYTE = 2 ** 29
const USUAL = { program: 'sh', env: { PATH: '/usr/bin:/bin' }, input: '', timeout: 60_000 }

const UNWANTED = 'is wanted no longer'

const RUNS: Readonly<Record<string, Partial<ProgramRun>>> = {
  'prints and reads': {
    args: [
      '-c',
      'pwd; echo "$1 $WORD"; cat; printf "\\303" >&2; echo all >&2',
      'sh',
      'an $argument',
    ],
    env: { ...USUAL.env, WORD: 'ä\u2028word' },
    input: 'two\nlines',
  },
  'prints much': { args: ['-c', 'head -c 3000000 /dev/zero | tr "\\0" x'] },
  'ends with a number': { args: ['-c', 'exit 3'] },
  'is ended by a signal': { args: ['-c', 'kill -9 $$'] },
  'is not there': { program: 'no-such-program', args: [] },
  'begins in no folder': { args: ['-c', 'pwd'], cwd: '/no/such/folder' },
  [UNWANTED]: { args: ['-c', 'sleep 600'], timeout: 2_000 },
  'does not end': { args: ['-c', 'trap "" TERM; sleep 600 & sleep 600'], timeout: 50 },
}

async function endsIn(cwd: string): Promise<Record<string, ProgramEnd>> {
  const ends = Object.entries(RUNS).map(async ([name, run]) => {
    const signal = name === UNWANTED ? AbortSignal.abort() : new AbortController().signal
    return [name, await runToEnd({ ...USUAL, cwd, args: [], ...run }, signal)] as const
  })
  return Object.fromEntries(await Promise.all(ends))
}

describe('a program', () => {
  it('ends for a large process as for a small one, and for the next who asks', async () => {
    const cwd = tempDir()
    const whileSmall = await endsIn(cwd)
    const kept = Buffer.alloc(HALF_A_GIGABYTE, 1)
    const [whileLarge, again] = [await endsIn(cwd), await endsIn(cwd)]

    expect(kept).toHaveLength(HALF_A_GIGABYTE)
    expect(whileLarge).toEqual(whileSmall)
    expect(again).toEqual(whileSmall)
    expect(whileSmall[UNWANTED]?.reason).toBe('it was stopped')
    expect(whileSmall['prints and reads']).toMatchObject({
      code: 0,
      stdout: `${cwd}\nan $argument ä\u2028word\ntwo\nlines`,
      reason: null,
    })
  })
})
