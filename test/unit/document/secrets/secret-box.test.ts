import { createCipheriv } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { SecretBox } from '../../../../src/document/secrets/secret-box.ts'

const OLD = Buffer.alloc(32, 1)
const NEW = Buffer.alloc(32, 2)

describe('a secret box', () => {
  it.each(['hunter2', '', 'ä€😀', 'x'.repeat(10_000)])('opens what it sealed: %j', (secret) => {
    const box = new SecretBox([OLD])

    expect(box.open(box.seal(secret))).toBe(secret)
  })

  it('seals the same secret differently each time', () => {
    const box = new SecretBox([OLD])

    expect(box.seal('a')).not.toBe(box.seal('a'))
    expect(box.seal('a')).toMatch(/^AES:[A-Za-z0-9+/]{16}:[A-Za-z0-9+/=]+$/)
  })

  it('opens with every key and seals with the newest', () => {
    const sealed = new SecretBox([OLD]).seal('hunter2')
    const rotated = new SecretBox([NEW, OLD])

    expect(rotated.open(sealed)).toBe('hunter2')
    expect(rotated.isCurrent(sealed)).toBe(false)
    expect(rotated.isCurrent(rotated.seal('hunter2'))).toBe(true)
    expect(new SecretBox([OLD]).open(rotated.seal('hunter2'))).toBeNull()
  })

  it('opens nothing that was altered', () => {
    const box = new SecretBox([OLD])
    const sealed = box.seal('hunter2')

    for (let index = 'AES:'.length; index < sealed.length - 3; index += 1) {
      const other = sealed.charAt(index) === 'A' ? 'B' : 'A'
      expect(box.open(`${sealed.slice(0, index)}${other}${sealed.slice(index + 1)}`)).toBeNull()
    }
  })

  it.each(['', 'hunter2', 'bWcpNZIkHhs=', 'AES:', 'AES:AAAAAAAAAAAAAAAA:AAAA'])(
    'opens nothing that no key of it sealed: %j',
    (text) => {
      expect(new SecretBox([OLD]).open(text)).toBeNull()
    },
  )

  it("opens nothing in the original's form", () => {
    const cipher = createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16))
    const body = cipher.update('hunter2', 'utf8', 'base64') + cipher.final('base64')

    expect(new SecretBox([OLD]).open(`AES:${'A'.repeat(22)}==:${body}`)).toBeNull()
  })

  it.each([[[]], [[Buffer.alloc(16)]], [[OLD, Buffer.alloc(31)]]])(
    'is not made of other keys',
    (keys) => {
      expect(() => new SecretBox(keys)).toThrow(RangeError)
    },
  )
})
