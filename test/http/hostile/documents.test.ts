import { describe, expect, it } from 'vitest'
import { aConfiguration } from '../../support/documents/a-configuration.ts'
import { save } from '../../support/service/saving.ts'
import { startService } from '../../support/service/service.ts'

const BOMB = [
  '<!DOCTYPE cruise [<!ENTITY a "aaaaaaaaaa">',
  ...Array.from({ length: 9 }, (_, n) => {
    const [one, next] = [String.fromCharCode(97 + n), String.fromCharCode(98 + n)]
    return `<!ENTITY ${next} "${`&${one};`.repeat(10)}">`
  }),
  ']><cruise schemaVersion="75">&j;</cruise>',
].join('')

const attributes = Array.from({ length: 20_000 }, (_, n) => `a${n}="${n}"`).join(' ')

const DOCUMENTS: readonly (readonly [string, string | Buffer])[] = [
  ['a bomb of entities', BOMB],
  [
    'an entity from a file',
    '<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><cruise>&x;</cruise>',
  ],
  ['an entity from the net', '<!DOCTYPE c SYSTEM "http://127.0.0.1:1/x.dtd"><cruise />'],
  ['100,000 elements in each other', '<a>'.repeat(100_000) + '</a>'.repeat(100_000)],
  ['100,000 elements that are not closed', '<a>'.repeat(100_000)],
  ['20,000 attributes', `<cruise ${attributes} />`],
  ['an attribute of 2 MB', `<cruise a="${'x'.repeat(2_000_000)}" />`],
  ['a name of 2 MB', `<${'x'.repeat(2_000_000)} />`],
  ['100,000 empty elements', `<cruise schemaVersion="75">${'<a/>'.repeat(100_000)}</cruise>`],
  ['a comment that never ends', `<cruise><!--${'-'.repeat(1_000_000)}`],
  ['bytes that are no UTF-8', Buffer.from([0x3c, 0xc0, 0xae, 0x2f, 0x3e])],
  ['UTF-16', Buffer.from('\ufeff<cruise schemaVersion="75" />', 'utf16le')],
  ['a NUL', '<cruise schemaVersion="75">\0</cruise>'],
  ['a NUL by reference', '<cruise schemaVersion="75">&#0;</cruise>'],
  ['nothing', ''],
]

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  '..',
  '.git',
  '-rf',
  'a b',
  'a/b',
  'a%2fb',
  'con',
  '<b>',
  '"',
  '‮evil',
  'x'.repeat(256),
  'ﬃ',
  '💥',
  '\u0000',
  'a\nb',
]

describe('a document that is meant to do harm', () => {
  it(
    'is refused with a reason, at once, and nothing is changed',
    { timeout: 60_000, tags: ['long'] },
    async () => {
      const service = await startService()
      const before = await (await service.fetch('/api/config/revisions')).text()

      for (const [name, body] of DOCUMENTS) {
        const began = process.cpuUsage().user
        const response = await service.fetch('/api/admin/config.xml', {
          method: 'PUT',
          headers: { 'if-match': '*' },
          body: typeof body === 'string' ? body : new Uint8Array(body),
        })
        const text = await response.text()

        expect([name, response.status]).toEqual([name, 422])
        expect(text.length).toBeLessThan(200_000)
        expect(text).not.toContain('root:')
        expect(process.cpuUsage().user - began).toBeLessThan(15_000_000)
      }
      expect(await (await service.fetch('/api/config/revisions')).text()).toBe(before)
      expect((await service.fetch('/health')).status).toBe(200)
    },
  )
})

describe('a name that is meant to do harm', () => {
  it('is refused or is a name like any other', { timeout: 60_000, tags: ['long'] }, async () => {
    const service = await startService()

    for (const name of NAMES) {
      const path = `/tab/admin/pipelines/${encodeURIComponent(name)}.json`
      const body = new URLSearchParams({ url: 'http://example.org/x' })
      const { status } = await service.fetch(path, { method: 'POST', body })
      expect([name, [201, 400, 404].includes(status)]).toEqual([name, true])
      if (status !== 201) continue
      const scheduled = await service.fetch(`/api/pipelines/${name}/schedule`, { method: 'POST' })
      expect([name, scheduled.status]).toEqual([name, 409])
    }
    const { status } = await service.fetch('/api/pipelines')

    expect(status).toBe(200)
    expect({}).not.toHaveProperty('url')
  })

  it('does no harm in the places that take any text', async () => {
    const service = await startService()
    const names = NAMES.filter((name) => !/[\0\n/]/.test(name))

    const response = await save(
      service,
      aConfiguration({
        pipelines: [{ name: 'p', variables: Object.fromEntries(names.map((n) => [n, n])) }],
      }),
    )

    expect([200, 422]).toContain(response.status)
    expect((await service.fetch('/config/current')).status).toBe(200)
  })
})
