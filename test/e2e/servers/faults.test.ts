import { expect, it } from 'vitest'
import { tempDir } from '../../support/disk/temp-folder.ts'
import {
  HALF_OPEN,
  KILL_HOLDER,
  RESTART_DATABASE,
  STOP_AND_WAKE,
} from '../../support/faults/faults.ts'
import { soakServers } from '../../support/faults/servers-soak.ts'

const FAULTS = [KILL_HOLDER, STOP_AND_WAKE, HALF_OPEN, RESTART_DATABASE]

it(
  'three servers contradict themselves in nothing, whatever happens to one of them',
  { timeout: 480_000, tags: ['postgresql', 'long'] },
  async () => {
    const next = (count: number) => FAULTS[count] ?? null

    const outcome = await soakServers({ folder: tempDir(), next })

    expect(outcome.problems).toEqual([])
    expect(outcome.lost).toEqual([])
    expect(outcome.doubled).toEqual([])
    expect(outcome.losses).toHaveLength(3)
    expect(outcome.saves).toBeGreaterThan(FAULTS.length)
  },
)
