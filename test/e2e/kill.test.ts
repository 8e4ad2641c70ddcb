import { describe, expect, it } from 'vitest'
import { killRepeatedly } from '../support/kill-repeatedly.ts'
import { tempDir } from '../support/temp-folder.ts'

describe('a server that is killed under load', () => {
  it(
    'loses nothing that it acknowledged, and leaves a repository that git finds whole',
    { timeout: 240_000 },
    async () => {
      const outcome = await killRepeatedly({ folder: tempDir(), kills: 12, savers: 4 })

      expect(outcome.acknowledged).toBeGreaterThan(12)
      expect(outcome.lost).toEqual([])
      expect(outcome.fsck).toBe('')
      expect(outcome.status).toBe('')
    },
  )
})
