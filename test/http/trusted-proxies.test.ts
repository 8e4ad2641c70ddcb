import { expect, it } from 'vitest'
import { tempDir } from '../support/disk/temp-folder.ts'
import { documentWith } from '../support/documents/documents.ts'
import { startService } from '../support/service/service.ts'

const CLIENT = '192.0.2.7'
const THIS_MACHINE = '127.0.0.1'

/** The address that the log has of a save that comes by this machine, for a service that trusts these. */
async function loggedAddress(proxies: string): Promise<unknown> {
  const service = await startService(['--trusted-proxies', proxies], tempDir())
  const headers = { 'if-match': '*', 'x-forwarded-for': `203.0.113.1, ${CLIENT}` }
  const init = { method: 'PUT', headers, body: documentWith('one') }
  await (await service.fetch('/api/admin/config.xml', init)).text()
  const answered = service.logged.find(({ facts }) => facts?.['method'] === 'PUT')
  return answered?.facts?.['address']
}

it.each([
  [THIS_MACHINE, CLIENT],
  [`10.0.0.1, ${THIS_MACHINE}`, CLIENT],
  ['::ffff:127.0.0.1', CLIENT],
  ['0:0:0:0:0:FFFF:7F00:1', CLIENT],
  ['10.0.0.0/8, 127.0.0.0/8', CLIENT],
  ['::ffff:127.0.0.0/104', CLIENT],
  ['0.0.0.0/0', CLIENT],
  ['127.0.0.2', THIS_MACHINE],
  ['127.0.0.2/31', THIS_MACHINE],
  ['10.0.0.0/8', THIS_MACHINE],
  ['2001:0DB8:0:0::1', THIS_MACHINE],
  ['', THIS_MACHINE],
])(
  'a proxy is believed when it is among those that are trusted: "%s"',
  async (proxies, address) => {
    expect(await loggedAddress(proxies)).toBe(address)
  },
)
