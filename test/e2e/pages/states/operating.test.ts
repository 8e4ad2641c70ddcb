// @module-tag long
// @module-tag chromium

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../support/disk/temp-folder.ts'
import { documentWith } from '../../../support/documents/documents.ts'
import { useBrowser } from '../../../support/pages/browser.ts'
import { sendForm } from '../../../support/pages/page-forms.ts'
import { SLOW, walkOf } from '../../../support/pages/walk.ts'
import { until } from '../../../support/programs/until.ts'
import { save } from '../../../support/service/saving.ts'
import { startService } from '../../../support/service/service.ts'
import { WebhookReceiver } from '../../../support/service/webhook-receiver.ts'

const chromium = useBrowser()

describe('the states of pages for operators fit and are accessible', SLOW, () => {
  it('with deliveries to a webhook, and during maintenance', async () => {
    const receiver = await WebhookReceiver.open()
    const file = join(tempDir(), 'webhooks.json')
    receiver.writeFile(file)
    const service = await startService(['--webhooks-file', file])
    await save(service, documentWith('alpha'))
    await until(() => receiver.calls.length === 1)
    const walk = await walkOf(chromium.browser, service)
    await walk.through({ webhooks: '/webhooks', maintenance: '/maintenance' })

    const reason = 'New disks '.repeat(30)
    await sendForm(service, '/maintenance', { saves: 'refused', starts: 'refused', reason })

    await walk.through({ 'maintenance-set': '/maintenance', 'maintenance-seen': '/config' })
    expect(walk.wrong()).toEqual({})
  })
})
