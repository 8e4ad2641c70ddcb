// @module-tag long
import { describe, expect, it } from 'vitest'
import { casesOf } from '../support/programs/all-cases.ts'
import { soak } from '../support/soak/soak.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

const KILLS = casesOf({ all: 6, mostly: 4 })
const EVERYTHING = [
  'saves by put',
  'saves by form',
  'edits of the live file',
  'commits by git',
  'commits in bursts',
  'snapshots read',
  'differences read',
  'lists read',
  'looks with git',
  'calls of intruders',
  'runs started',
  'jobs taken',
  'jobs reported',
  'decisions about agents',
]

describe('a server that everybody uses and that is killed again and again', () => {
  it(
    'has everything that it acknowledged, whole, after each start',
    { timeout: 240_000 },
    async () => {
      const { problems } = await soak({
        folder: tempDir(),
        goesOn: (kills) => kills < KILLS,
        // The last one lasts until everything has happened.
        mayEnd: (kills, counts) =>
          kills + 1 < KILLS || EVERYTHING.every((what) => counts.has(what)),
      })

      expect(problems).toEqual([])
    },
  )
})
