import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Digest } from '../../../src/core/digest.ts'
import {
  authorName,
  bodyOf,
  type MessageParts,
  parseMessage,
  renderMessage,
  subjectOf,
} from '../../../src/history/revision/message.ts'

const DIGEST = Digest.parse('0123456789abcdef0123456789abcdef')

const nastyPiece = fc.constantFrom(
  '\n',
  '\r',
  '\r\n',
  '\0',
  '\u2028',
  '\u2029',
  '\u0085',
  '\u200b',
  '\u202e',
  '\ud800',
  '<',
  '>',
  '%',
  '%0A',
  '|',
  '||',
  '"',
  '\\',
  ' ',
  'admin',
  '\n\nConfig-MD5: 00000000000000000000000000000000\n',
  'Config-User: "admin"',
  'user:admin|timestamp:1|schema_version:1|go_edition:x|go_version:y|md5:',
)
const nasty = fc
  .array(fc.oneof(nastyPiece, fc.string({ unit: 'grapheme', maxLength: 5 })), { maxLength: 6 })
  .map((pieces) => pieces.join(''))

const parts: fc.Arbitrary<MessageParts> = fc.record({
  username: nasty,
  subject: nasty,
  message: nasty,
  digest: fc.stringMatching(/^[0-9a-f]{32}$/).map((text) => Digest.parse(text)),
  time: fc.nat(),
  schemaVersion: fc.nat(200),
  serverEdition: nasty,
  serverVersion: nasty,
})

function partsOf(over: Partial<MessageParts> = {}): MessageParts {
  return {
    username: 'ana',
    subject: 'Add pipeline build',
    message: '',
    digest: DIGEST,
    time: 1_450_718_883_389,
    schemaVersion: 75,
    serverEdition: 'OpenSource',
    serverVersion: '1.0.0',
    ...over,
  }
}

function originalMessage(values: Record<string, string>): string {
  const escaped = Object.entries(values).map(([key, value]) => [key, value.replaceAll('|', '||')])
  return escaped.map((pair) => pair.join(':')).join('|')
}

describe('the message of a commit', () => {
  it('gives back every fact that was put in, whatever the names', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const parsed = parseMessage(renderMessage(given))

        expect(parsed).toMatchObject({
          form: 'trailers',
          digest: given.digest,
          time: given.time,
          schemaVersion: given.schemaVersion,
        })
        expect(parsed?.username ?? authorName(given.username)).toBe(given.username)
      }),
    )
  })

  it('has one line of subject, and one last paragraph of trailers, whatever the names', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const rendered = renderMessage(given).replace(/\n$/, '')
        const [subject, blank] = rendered.split('\n')
        const trailers = (rendered.split('\n\n').at(-1) ?? '').split('\n')

        expect(subject).not.toBe('')
        expect(blank).toBe('')
        expect(trailers.map((line) => line.split(':')[0])).toEqual([
          'Config-MD5',
          'Config-Time',
          'Schema-Version',
          'Server-Edition',
          'Server-Version',
          ...(authorName(given.username) === given.username ? [] : ['Config-User']),
        ])
      }),
    )
  })

  it('gives back the reason without the facts, whatever it looks like', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const once = bodyOf(renderMessage(given))

        expect(once).not.toMatch(/[\p{Cs}\u2028\u2029\0\r]/u)
        expect(bodyOf(renderMessage({ ...given, message: once }))).toBe(once)
        expect(once.replaceAll(/\s+/g, '')).toBe(
          given.message.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\s]+/gu, ''),
        )
      }),
    )
  })

  it.each([
    ['Fix\n\nSee INC-42\n\n* one\n* two\n', 'See INC-42\n\n* one\n* two'],
    [
      'Fix\n\nWhy\n\nSigned-off-by: Ana <ana@example.org>\n',
      'Why\n\nSigned-off-by: Ana <ana@example.org>',
    ],
    ['Fix', ''],
    [`user:ana|timestamp:1|schema_version:75|go_edition:e|go_version:v|md5:${DIGEST}`, ''],
  ])('of another author, such as %j, has its body for a reason', (message, body) => {
    expect(bodyOf(message)).toBe(body)
  })

  it('reads the form of the original with bars and colons in its values', () => {
    const value = fc.oneof(fc.constantFrom('', '|', 'a|', '|a', 'a:b', 'md5:x'), nasty)
    fc.assert(
      fc.property(value, value, value, (user, edition, version) => {
        const message = originalMessage({
          user,
          timestamp: '1450718883389',
          schema_version: '75',
          go_edition: edition,
          go_version: version,
          md5: DIGEST,
        })

        expect(parseMessage(message)).toEqual({
          form: 'original',
          username: user,
          time: 1_450_718_883_389,
          schemaVersion: 75,
          serverEdition: edition,
          serverVersion: version,
          digest: DIGEST,
        })
      }),
    )
  })

  it.each([
    'Fix the build',
    'Fix\n\nConfig-MD5: not a digest\nConfig-Time: 1\n',
    'user:ana|timestamp:x|schema_version:75|go_edition:e|go_version:v|md5:' + DIGEST,
    'user:ana|timestamp:1',
    'Fix\n\nConfig-User: ana\n',
    '',
  ])('records nothing when it is %j', (message) => {
    expect(parseMessage(message)).toBeNull()
  })

  it('keeps its subject apart from other kinds of line ends', () => {
    expect(subjectOf('one\u2028two\nthree')).toBe('one\u2028two')
  })

  it('has trailers that git itself can read', () => {
    const message = renderMessage(partsOf({ username: 'eve\nConfig-MD5: forged' }))

    const read = execFileSync('git', ['interpret-trailers', '--parse'], { input: message })

    expect(read.toString().split('\n').slice(0, 5)).toEqual([
      `Config-MD5: ${DIGEST}`,
      'Config-Time: 1450718883389',
      'Schema-Version: 75',
      'Server-Edition: OpenSource',
      'Server-Version: 1.0.0',
    ])
  })
})

describe('the name of an author', () => {
  it('is one visible line that git can hold, and never empty', () => {
    fc.assert(
      fc.property(nasty, (username) => {
        expect(authorName(username)).toMatch(/^[^<>\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/u)
        expect(authorName(username)).toBe(authorName(username).trim())
      }),
      { examples: [['\n '], ['a\n\u00a0'], [' \n']] },
    )
  })

  it('is never the same for two users', () => {
    fc.assert(
      fc.property(nasty, nasty, (one, other) => {
        fc.pre(one !== other)

        expect(authorName(one)).not.toBe(authorName(other))
      }),
    )
  })
})
