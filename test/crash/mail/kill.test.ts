// @module-tag long
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { aConfiguration, git } from '../../support/documents/a-configuration.ts'
import { command } from '../../support/programs/command.ts'
import { start } from '../../support/programs/start.ts'
import { until } from '../../support/programs/until.ts'
import { placesIn } from '../../support/service/backups.ts'
import { MailReceiver } from '../../support/service/mail-receiver.ts'
import { mailServerElement, subscribeByForm } from '../../support/service/mail-scene.ts'
import { save } from '../../support/service/saving.ts'
import { ADMIN_PASSWORD, callerOf } from '../../support/service/service.ts'

describe('a service that is killed when its mail is taken, before it knows', () => {
  it('sends the mail once more under the same id, and no third time', async () => {
    const [folder, receiver] = [tempDir(), await MailReceiver.open()]
    mkdirSync(join(folder, 'state'))
    const serve = async () => {
      const flags = ['--admin-password', ADMIN_PASSWORD, ...placesIn(folder)]
      const program = start(['serve', '--port', '0', ...flags])
      const url = await program.line(/^cairn ready (\S+)\n$/)
      return { program, service: { fetch: callerOf(url) } }
    }
    const documentOf = (name: string) =>
      aConfiguration({
        server: mailServerElement(receiver),
        pipelines: [{ name, materials: [git('a')] }],
      })

    const first = await serve()
    await save(first.service, documentOf('one'))
    await subscribeByForm(first.service, { entities: 'group/defaultGroup' })
    receiver.takes = 'in silence'
    await save(first.service, documentOf('two'))
    await until(() => receiver.mails.length === 1)
    first.program.process.kill('SIGKILL')
    await first.program.ended()
    receiver.takes = 'and answers'
    const second = await serve()
    await until(() => receiver.mails.length === 2 && receiver.isIdle)
    second.program.process.kill('SIGTERM')
    await second.program.ended()

    const [one, other] = receiver.mails
    expect(other?.text).toBe(one?.text)
    expect(other?.headers.get('message-id')).toBe(one?.headers.get('message-id'))
    const state = await command(['state', 'dump', '--state-dir', join(folder, 'state')])
    expect(state).toMatchObject({ code: 0, stdout: expect.stringContaining('"last-mail"') })
    expect(state.stdout).not.toContain('"document":"mail-news"')
  })
})
