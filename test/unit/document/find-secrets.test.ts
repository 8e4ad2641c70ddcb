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

  it.each([
    ['GitHub', 'ghs_16C7e42F292c6912E7710c838347Ae178B4a'],
    ['GitHub, for single repositories', `github_pat_${'11ABCDEFG0'.repeat(8)}`],
    ['GitHub before 2021, Gitea', '3f786850e387550fdab836ed7e6dc881de23001b'],
    ['GitLab', 'glpat-Ab-1_c2D3e4F5g6H7i8J'],
    ['GitLab, routable', 'glpat-aBcDeFgHiJkLmNoP.01.0w1x2y3z4'],
    ['GitLab before 14.5', 'x7-Kq_P2zRtY9vW-8bNm'],
    ['Bitbucket', 'ATBBq7Xk2mN9'],
    ['Atlassian', 'ATATT3xFfGF0a-b_c=1A2B3C4D'],
    ['Bitbucket of an own server', 'NDc5OTk2MjQ3%2BMjQ5Or%2Fx8Q%3D%3D'],
    ['Azure DevOps', 'k4xq2zj7n5v3h6w2b7d4f5g3m6p2r7s4t5u3y6a2c7e4i5l3o6q2'],
    ['a JSON web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln'],
    ['npm', 'npm_aB3dE5gH7jK9'],
    ['Heroku', '3f2504e0-4f89-11d3-9a0c-0305e82c3301'],
  ])('finds the token of %s in the place of a name', (_, token) => {
    expect(secretsOf(`<git url="https://${token}@h/r.git" />`)).toEqual([token])
  })

  it.each([
    'ana',
    'glenn-smith',
    'x-access-token',
    'gitlab+deploy-token-123456',
    'svc-continuous-integration-2',
    'jenkins-build-agent-user-01',
    'john.smith%40mail.example.com',
    'CORP-Build-Server-Account',
  ])('takes the user %s for no secret', (name) => {
    expect(secretsOf(`<git url="https://${name}@h/r.git" />`)).toEqual([])
  })

  it('counts a secret inside a secret once', () => {
    expect(secretsOf('<encryptedValue>AES:aXY=:c2VhbGVk</encryptedValue>')).toEqual([
      'AES:aXY=:c2VhbGVk',
    ])
  })
})
