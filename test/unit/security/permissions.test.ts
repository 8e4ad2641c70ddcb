import { describe, expect, it } from 'vitest'
import { AccessRules, type Permissions } from '../../../src/security/permissions.ts'
import type { ListedPrincipal, SecurityFacts } from '../../../src/security/security-facts.ts'

function user(name: string): ListedPrincipal {
  return { kind: 'user', name }
}

function role(name: string): ListedPrincipal {
  return { kind: 'role', name }
}

const STAGES = [
  { name: 'Build', approvers: [] },
  { name: 'Ship', approvers: [user('Approver'), role('Shippers')] },
]

function group(name: string, pipeline: string, authorization: GroupAuthorization | null) {
  return { name, authorization, pipelines: [{ name: pipeline, stages: STAGES }] }
}

type GroupAuthorization = NonNullable<SecurityFacts['groups'][number]['authorization']>

const FACTS: SecurityFacts = {
  securityOn: true,
  roles: [
    { name: 'Rulers', users: [{ name: 'Queen' }] },
    { name: 'Shippers', users: [{ name: 'Bosun' }] },
    { name: 'Crew', users: [{ name: 'Deckhand' }, { name: 'Bosun' }] },
  ],
  admins: [user('Root'), role('rulers')],
  groups: [
    group('full', 'Full', {
      view: [user('Viewer'), role('crew')],
      operate: [user('Operator'), role('Shippers')],
      admins: [user('Chief')],
    }),
    group('open', 'Open', null),
    group('empty', 'Empty', { view: null, operate: [], admins: [] }),
    group('admins-only', 'Shut', { view: null, operate: null, admins: [user('Chief')] }),
  ],
  templates: [
    {
      name: 'Shared',
      admins: [user('Keeper')],
      viewers: [user('Viewer')],
      isOpenToGroupAdmins: true,
    },
    { name: 'Closed', admins: [], viewers: [], isOpenToGroupAdmins: false },
  ],
}

/** Every question that can be asked, by a short name. */
const QUESTIONS: Readonly<Record<string, (may: Permissions) => boolean>> = {
  'administer the server': (may) => may.isAdministrator,
  'administer full': (may) => may.administersGroup('full'),
  'administer open': (may) => may.administersGroup('open'),
  'administer FULL, which is none': (may) => may.administersGroup('FULL'),
  'administer something': (may) => may.administersSomething,
  'administer the template Shared': (may) => may.administersTemplate('shared'),
  'view the template Shared': (may) => may.mayViewTemplate('SHARED'),
  'administer the template Closed': (may) => may.administersTemplate('Closed'),
  'view the template Closed': (may) => may.mayViewTemplate('Closed'),
  'view Full': (may) => may.mayView('full'),
  'operate Full': (may) => may.mayOperate('FULL'),
  'operate Full/Build': (may) => may.mayOperateStage('FULL', 'build'),
  'operate Full/Ship': (may) => may.mayOperateStage('full', 'SHIP'),
  'operate Full/Gone': (may) => may.mayOperateStage('full', 'gone'),
  'view Open': (may) => may.mayView('Open'),
  'operate Open': (may) => may.mayOperate('Open'),
  'operate Open/Ship': (may) => may.mayOperateStage('Open', 'Ship'),
  'view Empty': (may) => may.mayView('Empty'),
  'operate Empty/Build': (may) => may.mayOperateStage('Empty', 'Build'),
  'view Shut': (may) => may.mayView('Shut'),
  'operate Shut/Build': (may) => may.mayOperateStage('Shut', 'Build'),
  'view a pipeline in no group': (may) => may.mayView('gone'),
  'operate a pipeline in no group': (may) => may.mayOperate('gone'),
  'operate a stage of a pipeline in no group': (may) => may.mayOperateStage('gone', 'Build'),
  'view a run of Open': (may) => may.mayViewRun('Open', ['open']),
  'view a run of Open from Full': (may) => may.mayViewRun('Open', ['full', 'open']),
  'view a run of Open from a group that is gone': (may) => may.mayViewRun('Open', ['gone']),
  'view a run of Open from nobody knows where': (may) => may.mayViewRun('Open', null),
  'view a run of a pipeline in no group': (may) => may.mayViewRun('gone', ['open']),
  'operate a run of Open from Full': (may) => may.mayOperateRun('Open', 'Build', ['full']),
}

const EVERYTHING = Object.keys(QUESTIONS)

/** Permissions of every user. */
const ANYONE = [
  'view Open',
  'operate Open',
  'view Empty',
  'operate Empty/Build',
  'view a run of Open',
]

function allowed(facts: SecurityFacts, username: string): string[] {
  const permissions = new AccessRules(facts).permissionsOf({ username })
  return EVERYTHING.filter((question) => QUESTIONS[question]?.(permissions))
}

describe('permissions', () => {
  it.each([
    ['an administrator', 'root', EVERYTHING],
    ['an administrator by role', 'queen', EVERYTHING],
    [
      'the administrator of a group',
      'CHIEF',
      [
        'administer full',
        'administer something',
        'view the template Shared',
        'view Full',
        'operate Full',
        'operate Full/Build',
        'operate Full/Ship',
        'view Shut',
        'operate Shut/Build',
        'view a run of Open from Full',
        'operate a run of Open from Full',
        ...ANYONE,
      ],
    ],
    [
      'the administrator of a template',
      'keeper',
      [
        'administer something',
        'administer the template Shared',
        'view the template Shared',
        ...ANYONE,
      ],
    ],
    [
      'a viewer',
      'viewer',
      ['view Full', 'view the template Shared', 'view a run of Open from Full', ...ANYONE],
    ],
    ['a viewer by role', 'deckhand', ['view Full', 'view a run of Open from Full', ...ANYONE]],
    [
      'an operator',
      'operator',
      ['operate Full', 'operate Full/Build', 'operate a run of Open from Full', ...ANYONE],
    ],
    ['an approver of a stage', 'approver', ['operate Full/Ship', 'operate Open/Ship', ...ANYONE]],
    [
      'a member of roles that view, operate and approve',
      'bosun',
      [
        'view Full',
        'operate Full',
        'operate Full/Build',
        'operate Full/Ship',
        'operate Open/Ship',
        'view a run of Open from Full',
        'operate a run of Open from Full',
        ...ANYONE,
      ],
    ],
    ['someone whom nobody lists', 'stranger', ANYONE],
    ['a user with the name of a role', 'Rulers', ANYONE],
  ])('let %s do what the lists say and nothing else', (_, username, expected) => {
    expect(allowed(FACTS, username).toSorted()).toEqual(expected.toSorted())
  })

  it('make everyone an administrator while the configuration lists none', () => {
    expect(allowed({ ...FACTS, admins: [] }, 'stranger')).toEqual(EVERYTHING)
  })

  it('make everyone an administrator while security is off', () => {
    expect(allowed({ ...FACTS, securityOn: false }, 'stranger')).toEqual(EVERYTHING)
  })

  it('ignore a role that is not defined', () => {
    expect(allowed({ ...FACTS, roles: [] }, 'queen').toSorted()).toEqual(ANYONE.toSorted())
  })
})
