// @module-tag long
import { expect, it } from 'vitest'
import { tempDir } from '../../support/disk/temp-folder.ts'
import {
  CLOCK_JUMP,
  FULL_DATABASE,
  HALF_OPEN,
  LATE_DATABASE,
  ONE_CUT_OFF,
  RESTART_DATABASE,
  STOP_AND_WAKE,
  TWO_TAKE_OVERS,
} from '../../support/faults/faults.ts'
import { soakServers } from '../../support/faults/servers-soak.ts'

const FAULTS = [
  TWO_TAKE_OVERS,
  STOP_AND_WAKE,
  HALF_OPEN,
  RESTART_DATABASE,
  ONE_CUT_OFF,
  LATE_DATABASE,
  CLOCK_JUMP,
  FULL_DATABASE,
]

it(
  'three servers contradict themselves in nothing, whatever happens to one of them',
  { timeout: 480_000, tags: ['postgresql', 'long'] },
  async () => {
    const next = (count: number) => FAULTS[count] ?? null

    const outcome = await soakServers({ folder: tempDir(), next, isDiskSmall: true })

    expect(outcome.problems).toEqual([])
    expect(outcome.lost).toEqual([])
    expect(outcome.doubled).toEqual([])
    // A server is lost in three of them, in one of these twice.
    expect(outcome.losses).toHaveLength(4)
    expect(outcome.recoveries).toHaveLength(FAULTS.length)
    expect(outcome.saves).toBeGreaterThan(FAULTS.length)
  },
)
