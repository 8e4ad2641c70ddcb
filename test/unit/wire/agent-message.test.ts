import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ContactReply, ContactRequest } from '../../../src/wire/agent/contact.ts'
import { parseAgentMessage, renderAgentMessage } from '../../../src/wire/agent/message.ts'
import { WorkReply } from '../../../src/wire/agent/work.ts'

const CONTACT: ContactRequest = {
  instance: 'i1',
  hostname: 'box',
  ipAddress: '10.0.0.7',
  sandbox: '/var/agent',
  operatingSystem: 'Linux 6.1.0',
  freeSpace: 1024,
  version: '1',
  runtimeStatus: 'Building',
  jobId: 7,
  stopping: false,
}

describe('a message of the agents’ protocol', () => {
  it('has snake_case keys on the wire and comes back as it was', () => {
    const text = renderAgentMessage(CONTACT)

    expect(JSON.parse(text)).toMatchObject({ ip_address: '10.0.0.7', runtime_status: 'Building' })
    expect(parseAgentMessage(ContactRequest, text)).toEqual(CONTACT)
  })

  it('keeps every text value as it is, whatever it looks like', () => {
    const Reply = z.object({ someValue: z.array(z.string()) })
    fc.assert(
      fc.property(fc.array(fc.string()), (someValue) => {
        expect(parseAgentMessage(Reply, renderAgentMessage({ someValue }))).toEqual({ someValue })
      }),
    )
  })

  it('drops keys that it does not know', () => {
    const text =
      '{"instruction":{"kind":"none","later":1},"config_status":"Enabled","__proto__":{}}'

    expect(parseAgentMessage(ContactReply, text)).toEqual({
      instruction: { kind: 'none' },
      configStatus: 'Enabled',
    })
  })

  it('names every problem with its path on the wire', () => {
    const text = renderAgentMessage({ ...CONTACT, ipAddress: 'nowhere', freeSpace: -1 })

    expect(() => parseAgentMessage(ContactRequest, text)).toThrow(
      expect.objectContaining({
        code: 'malformed-request',
        message: expect.stringMatching(/^ip_address: /),
        facts: {
          problems: [
            expect.objectContaining({ path: 'ip_address' }),
            expect.objectContaining({ path: 'free_space' }),
          ],
        },
      }),
    )
  })

  it.each([
    ['no JSON', '{"assignment":'],
    ['an array', '[]'],
    ['nesting that could exhaust the stack', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['a null', 'null'],
  ])('refuses %s', (_, text) => {
    expect(() => parseAgentMessage(WorkReply, text)).toThrow(
      expect.objectContaining({ code: 'malformed-request' }),
    )
  })
})
