import { describe, expect, it } from 'vitest'
import {
  Reasons,
  reasonedPermissions,
  type KnownUser,
  rolesOf,
} from '../../../src/security/permission-reasons.ts'
import { AccessRules } from '../../../src/security/permissions.ts'
import type { ListedPrincipal, SecurityFacts } from '../../../src/security/security-facts.ts'

const user = (name: string): ListedPrincipal => ({ kind: 'user', name })
const role = (name: string): ListedPrincipal => ({ kind: 'role', name })

const STAGES = [
  { name: 'Build', approvers: [] },
  { name: 'Ship', approvers: [user('Approver'), role('Crew')] },
]
const FACTS: SecurityFacts = {
  securityOn: true,
  roles: [
    { name: 'Rulers', users: [{ name: 'Queen' }] },
    { name: 'Crew', users: [{ name: 'Bosun' }] },
  ],
  admins: [user('Root'), role('rulers')],
  groups: [
    {
      name: 'full',
      authorization: {
        view: [user('Viewer'), role('crew')],
        operate: [user('Operator'), user('bosun')],
        admins: [user('Chief')],
      },
      pipelines: [{ name: 'Full', stages: STAGES }],
    },
    { name: 'open', authorization: null, pipelines: [{ name: 'Open', stages: [] }] },
  ],
  templates: [
    { name: 'Shared', admins: [user('Keeper')], viewers: [], isOpenToGroupAdmins: false },
  ],
}
const EVERYBODY = ['root', 'queen', 'chief', 'viewer', 'operator', 'bosun', 'approver', 'stranger']

function reasonedFor(known: KnownUser, facts = FACTS) {
  return reasonedPermissions(facts, new Reasons(facts, known, false))
}

function becauseOf(username: string, facts = FACTS): Record<string, readonly string[]> {
  return Object.fromEntries(
    reasonedFor({ username }, facts).map(({ permission, because }) => [permission, because]),
  )
}

describe('the reasons of permissions', () => {
  it('are the entries of the configuration that name the user, or a role that has the user', () => {
    expect(becauseOf('BOSUN')).toEqual({
      'view pipeline Full': ['role crew in view of the group full'],
      'operate pipeline Full': ['user bosun in operate of the group full'],
      'operate stage Full/Ship': ['role Crew in approval of the stage Full/Ship'],
      'view pipeline Open': ['the group open has no authorization'],
      'operate pipeline Open': ['the group open has no authorization'],
    })
    expect(rolesOf(FACTS, { username: 'bosun' })).toEqual(['Crew'])
  })

  it('name the list of a template', () => {
    expect(becauseOf('keeper')).toMatchObject({
      'administer template Shared': ['user Keeper in admins of the template Shared'],
    })
  })

  it('count a role that the source of the user names, if the configuration has it', () => {
    const member = {
      username: 'stranger',
      external: { source: 'oidc', roles: ['CREW', 'unheard-of'] },
    } as const

    const permissions = reasonedFor(member).map(({ permission }) => permission)
    const may = new AccessRules(FACTS).permissionsOf(member)

    expect(rolesOf(FACTS, member)).toEqual(['Crew'])
    expect(permissions).toContain('view pipeline Full')
    expect([may.mayView('Full'), may.mayOperate('Full'), may.isAdministrator]).toEqual([
      true,
      false,
      false,
    ])
  })

  it('are one for an administrator, who may do everything', () => {
    expect(becauseOf('queen')).toEqual({
      'administer the server': ['role rulers in admins of the server'],
    })
    expect(becauseOf('stranger', { ...FACTS, admins: [] })).toEqual({
      'administer the server': ['the configuration lists no administrators'],
    })
    expect(becauseOf('stranger', { ...FACTS, securityOn: false })).toEqual({
      'administer the server': ['the configuration has no security'],
    })
  })

  it.each(EVERYBODY)('are there for what %s may do, and for nothing else', (username) => {
    const may = new AccessRules(FACTS).permissionsOf({ username })
    const expected = [
      ['administer group full', may.administersGroup('full')],
      ['view pipeline Full', may.mayView('Full')],
      ['operate pipeline Full', may.mayOperate('Full')],
      ['operate stage Full/Ship', may.mayOperateStage('Full', 'Ship')],
      ['view pipeline Open', may.mayView('Open')],
      ['operate pipeline Open', may.mayOperate('Open')],
    ].flatMap(([permission, isGranted]) => (isGranted === true ? [permission] : []))

    expect(Object.keys(becauseOf(username))).toEqual(
      may.isAdministrator ? ['administer the server'] : expected,
    )
  })
})
