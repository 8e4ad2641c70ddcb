// @module-tag long
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { placesIn } from '../../support/service/backups.ts'
import { gitLine } from '../../support/git/git.ts'
import { LoadedService } from '../../support/service/loaded-service.ts'
import { start } from '../../support/programs/start.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { until } from '../../support/programs/until.ts'
import { WebhookReceiver } from '../../support/service/webhook-receiver.ts'

const ROUNDS = 4

/** A list without what stands right behind its equal. */
function withoutRepeats(list: readonly string[]): string[] {
  return list.filter((item, n) => item !== list[n - 1])
}

describe('a service with a webhook that is killed under load', () => {
  it(
    'delivers every revision at least once and in order, over all of its lives',
    { timeout: 180_000 },
    async () => {
      const [folder, receiver] = [tempDir(), await WebhookReceiver.open()]
      mkdirSync(join(folder, 'state'))
      receiver.writeFile(join(folder, 'state', 'webhooks.json'))
      for (let round = 0; round < ROUNDS; round += 1) {
        const load = await LoadedService.start(folder, `round-${round}`)
        await until(() => load.saved.length > 3 + round)
        await load.kill()
      }

      const last = start(['serve', '--port', '0', ...placesIn(folder)])
      await last.line(/^cairn ready (\S+)\n$/)

      const repository = join(folder, 'config-repo')
      const commits = gitLine(repository, 'rev-list', '--reverse', 'HEAD').split('\n').slice(1)
      await expect.poll(() => receiver.taken().at(-1)).toBe(commits.at(-1))
      expect(withoutRepeats(receiver.taken())).toEqual(commits)
    },
  )
})
