import { describe, expect, it } from 'vitest'
import { userOfClaims } from '../../../src/identities/oidc/oidc-claims.ts'

describe('the claims of a provider', () => {
  it.each([
    ['a list', 'groups', ['crew', 'crew', 'cooks', 7, ''], ['crew', 'cooks']],
    ['one name', 'groups', 'crew', ['crew']],
    ['an address as the name of the claim', 'https://a.example/groups', ['crew'], ['crew']],
    ['nothing', 'groups', undefined, []],
    ['something else', 'groups', { crew: true }, []],
  ])('give roles as %s', (_form, claim, value, roles) => {
    const claims = { name: 'ana', [claim]: value }

    expect(userOfClaims(claims, { username: 'name', roles: claim })).toEqual({
      username: 'ana',
      roles,
    })
  })

  it('have roles inside of others, where the name of the claim says so', () => {
    const claims = { name: 'ana', realm_access: { roles: ['crew'] } }

    expect(userOfClaims(claims, { username: 'name', roles: 'realm_access.roles' }).roles).toEqual([
      'crew',
    ])
    expect(userOfClaims(claims, { username: 'name', roles: 'name.length' }).roles).toEqual([])
  })

  it('are no name while an address is not verified', () => {
    const names = { username: 'email', roles: null }
    const email = 'ana@example.org'

    const verified = { email, email_verified: true }
    expect(userOfClaims(verified, names)).toEqual({ username: email, roles: [] })
    for (const email_verified of [false, undefined, 'true', 1])
      expect(() => userOfClaims({ email, email_verified }, names)).toThrow('not verified')
  })
})
