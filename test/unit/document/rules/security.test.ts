import { describe, expect, it } from 'vitest'
import { type AnElement, element } from '../../../support/documents/a-configuration.ts'
import { messagesOf } from './messages-of.ts'

function users(...names: string[]): AnElement[] {
  return names.map((name) => element('user', {}, [name]))
}

function role(name: string, ...members: string[]): AnElement {
  return element('role', { name }, [element('users', {}, users(...members))])
}

function roleNamed(name: string): AnElement {
  return element('role', {}, [name])
}

const passwordFile = element('passwordFile', { path: 'users' })

function server(...children: AnElement[]): AnElement {
  return element('server', {}, [element('security', {}, children)])
}

describe('roles and admins', () => {
  it('may be anything that exists, in any case', () => {
    const security = server(
      element('roles', {}, [role('dev', 'a', 'b')]),
      element('admins', {}, [...users('nobody'), roleNamed('DEV')]),
    )

    expect(messagesOf({ server: security })).toEqual([])
  })

  it.each([
    [
      server(element('roles', {}, [role('dev'), role('Dev')])),
      'the role "Dev" is already defined as "dev"',
    ],
    [
      server(element('roles', {}, [role('dev', 'a', 'A')])),
      'the user "A" is already in the role "dev"',
    ],
    [
      server(element('admins', {}, users('Ana', 'ana'))),
      'the user "ana" is already in this list as "Ana"',
    ],
    [server(element('admins', {}, [roleNamed('nope')])), 'the role "nope" does not exist'],
    [
      server(
        element('ldap', { uri: 'u' }, [element('bases', {}, [element('base', { value: '' })])]),
      ),
      'the ldap search base is empty',
    ],
  ])('are refused in case %#', (security, message) => {
    expect(messagesOf({ server: security })).toEqual([message])
  })

  it('are checked in the authorization of groups, but not of templates', () => {
    const lists = ['view', 'operate', 'admins'].map((list) =>
      element(list, {}, [roleNamed(`no-${list}`)]),
    )
    const groups = [{ group: 'g', authorization: element('authorization', {}, lists) }]

    expect(messagesOf({ groups })).toEqual([
      'the role "no-view" does not exist',
      'the role "no-operate" does not exist',
      'the role "no-admins" does not exist',
    ])
  })
})

describe('groups', () => {
  it('differ by more than their case', () => {
    expect(messagesOf({ groups: [{ group: 'g' }, { group: 'G' }] })).toEqual([
      'the pipeline group "G" is already defined as "g"',
    ])
  })
})

describe('approvers', () => {
  const roles = element('roles', {}, [role('ops', 'olga'), role('bosses', 'bea')])
  const admins = element('admins', {}, [...users('ada'), roleNamed('bosses')])
  const operate = element('operate', {}, [...users('omar'), roleNamed('ops')])

  function approvedBy(
    approver: AnElement,
    given: { security?: readonly AnElement[]; operate?: AnElement | null } = {},
  ) {
    const approval = element('approval', { type: 'manual' }, [
      element('authorization', {}, [approver]),
    ])
    const lists = given.operate === null ? [] : [given.operate ?? operate]
    const authorization = element('authorization', {}, lists)
    const pipelines = [{ stages: [{ approval }] }]
    return messagesOf({
      server: server(...(given.security ?? [passwordFile, roles, admins])),
      groups: [{ group: 'g', authorization, pipelines }],
    })
  }

  it.each([...users('ada', 'ADA', 'bea', 'omar', 'olga'), roleNamed('ops'), roleNamed('Bosses')])(
    'may be operators and admins, by name or by role: %j',
    (approver) => {
      expect(approvedBy(approver)).toEqual([])
    },
  )

  it.each([
    [users('eve')[0], 'user "eve"'],
    [element('user', {}, ['ops']), 'user "ops"'],
  ])('may not be others: %j', (approver, who) => {
    expect(approver && approvedBy(approver)).toEqual([
      `the ${who} cannot approve, because it may not operate the pipeline group "g"`,
    ])
  })

  it('may be anyone with security off, without admins, or without operators', () => {
    const eve = element('user', {}, ['eve'])

    expect(approvedBy(eve, { security: [roles, admins] })).toEqual([])
    expect(approvedBy(eve, { security: [passwordFile, roles] })).toEqual([])
    expect(approvedBy(eve, { operate: null })).toEqual([])
  })

  it('may not have a role that does not exist', () => {
    expect(approvedBy(roleNamed('nope'), { operate: null })).toEqual([
      'the role "nope" does not exist',
    ])
  })
})
