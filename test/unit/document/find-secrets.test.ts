import { describe, expect, it } from 'vitest'
import { findSecrets } from '../../../src/document/secrets/find-secrets.ts'

function secretsOf(text: string): string[] {
  return findSecrets(text).map(({ start, end }) => text.slice(start, end))
}

describe('findSecrets', () => {
  it.each([
    ['<svn url="u" password="open" />', ['open']],
    ["<svn encryptedPassword='c2VhbGVk' />", ['c2VhbGVk']],
    ['<server agentAutoRegisterKey="key" />', ['key']],
    ['<encryptedValue>a\nb</encryptedValue>', ['a\nb']],
    ['<variable name="a" secure="true">\n  <value>plain</value>', ['plain']],
    ['<git url="https://ana:pass@example.org/r.git" />', ['pass']],
    ['<arg>AES:aXY=:c2VhbGVk</arg>', ['AES:aXY=:c2VhbGVk']],
    ['<encryptedValue><![CDATA[b2xk]]></encryptedValue>', ['b2xk']],
    ['<variable name="a>b" secure="1"><value>\n <![CDATA[a<b]]></value>', ['a<b']],
    ['<key secure="true">k</key><value>v</value>', ['v']],
    ['<variable name="a"><value>v</value></variable>', []],
    ['<git url="https://ana:p@ss@h/r.git" />', ['p@ss']],
    ['<git url="https://ana:AES:a-b:c_d@h/r.git" />', ['AES:a-b:c_d']],
    ['<git url="https://ghp_abc@h/r.git" />', ['ghp_abc']],
    ['<git url="https://abc:x-oauth-basic@h/r.git" />', ['abc']],
    ['<git url="https://ana@h/a" /><git url="ssh://git@h/b" />', []],
    ['<svn password="" /><passwordFile path="/users" />', []],
  ])('finds what is secret in %s', (text, secrets) => {
    expect(secretsOf(text)).toEqual(secrets)
  })

  it('counts a secret inside a secret once', () => {
    expect(secretsOf('<encryptedValue>AES:aXY=:c2VhbGVk</encryptedValue>')).toEqual([
      'AES:aXY=:c2VhbGVk',
    ])
  })
})
