import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  isApiToken,
  isInvitation,
  keptOf,
  meansApiToken,
  newApiToken,
  newInvitation,
} from '../../../src/security/issued-secret.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('a token', () => {
  it('has the prefix, 30 random characters, and their CRC-32 in base 62, as scanners check it', () => {
    const token = newApiToken()

    const [, random = '', checksum = ''] = /^cairn_(\w{30})(\w{6})$/.exec(token) ?? []
    const value = Array.from(checksum).reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0)
    expect(value).toBe(crc32(random))
    expect(isApiToken(token)).toBe(true)
  })

  it('is another one each time', () => {
    expect(new Set(Array.from({ length: 1_000 }, newApiToken)).size).toBe(1_000)
  })

  it.each([
    [
      'with a character changed',
      (token: string) => token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
    ],
    ['cut off', (token: string) => token.slice(0, -1)],
    ['with another prefix', (token: string) => token.replace('cairn_', 'other_')],
    ['that is empty', () => ''],
  ])('%s is none', (_, change) => {
    expect(isApiToken(change(newApiToken()))).toBe(false)
  })

  it('is no invitation, and an invitation is no token', () => {
    const invitation = newInvitation()

    expect(invitation).toMatch(/^cairninvite_\w{36}$/)
    expect(isInvitation(invitation)).toBe(true)
    expect([isApiToken(invitation), meansApiToken(invitation)]).toEqual([false, false])
    expect(isInvitation(newApiToken())).toBe(false)
    expect(isInvitation(invitation.slice(0, -1))).toBe(false)
  })

  it('is kept as a hash whose beginning is its id', () => {
    const token = newApiToken()

    const { id, hash } = keptOf(token)

    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(hash.startsWith(id)).toBe(true)
    expect(id).toHaveLength(16)
  })
})
