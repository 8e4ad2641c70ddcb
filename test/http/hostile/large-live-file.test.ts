import { readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { save } from '../../support/service/saving.ts'
import { startService } from '../../support/service/service.ts'
import { until } from '../../support/programs/until.ts'

/** More than a process could read at once; as a file with a hole it takes no room. */
const HUGE = 4_294_967_296

describe('a live file that is far too large', () => {
  it('is not read: it is reported, and set aside by the next save', async () => {
    const service = await startService(['--poll-interval', '100ms'])
    await save(service, documentWith('before'))

    truncateSync(join(service.repository, 'config.xml'), HUGE)
    await until(async () =>
      (await (await service.fetch('/health')).text()).includes(`${HUGE} bytes`),
    )
    const saved = await save(service, documentWith('after'))

    expect(saved.status).toBe(200)
    const current = await service.fetch('/api/admin/config.xml')
    expect(await current.text()).toBe(documentWith('after'))
    expect(readdirSync(service.repository).join()).toContain('config.xml.invalid-')
    expect(await (await service.fetch('/health')).text()).not.toContain(`${HUGE} bytes`)
  })
})
