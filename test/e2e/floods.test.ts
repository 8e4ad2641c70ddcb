// @module-tag long
import { expect, it } from 'vitest'
import { tempDir } from '../support/disk/temp-folder.ts'
import { until } from '../support/programs/until.ts'
import { saveUntilGone } from '../support/soak/editors.ts'
import { floodUntilGone } from '../support/soak/floods.ts'
import { Ledger } from '../support/soak/ledger.ts'
import { soakDocument } from '../support/soak/soak-document.ts'
import { SoakedServer } from '../support/soak/soaked-server.ts'

const REFUSED = ['wrong logins refused', 'invented agents', 'spellings refused', 'idle connections']
const SAVED = ['saves by put', 'saves by form']

it('floods of what is refused keep nobody from saving, and nothing in them gets an answer', async () => {
  const [folder, ledger] = [tempDir(), new Ledger()]
  const server = await SoakedServer.start(folder, ledger)
  const headers = { 'if-match': '*' }
  const body = soakDocument(folder)
  await server.call('/api/admin/config.xml', [200], { method: 'PUT', headers, body })

  const users = [...saveUntilGone(server), ...floodUntilGone(server)]
  const countOf = (what: string) => ledger.counts.get(what) ?? 0
  await until(
    () => REFUSED.every((what) => countOf(what) > 0) && SAVED.every((what) => countOf(what) > 1),
    60_000,
  )
  await Promise.all([server.kill(), ...users])

  expect(ledger.problems).toEqual([])
})
