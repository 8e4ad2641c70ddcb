import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  approvedStages,
  Reasons,
  reasonedPermissions,
} from '../../../src/security/permission-reasons.ts'
import { AccessRules, type KnownUser } from '../../../src/security/permissions.ts'
import type { SecurityFacts } from '../../../src/security/security-facts.ts'

/** Few names, so that lists, roles and users often mean the same; names of users have no case. */
const userName = fc.constantFrom('ana', 'Ana', 'bo', 'cy')
const roleName = fc.constantFrom('crew', 'CREW', 'guests')
const entry = fc.oneof(
  fc.record({ kind: fc.constant('user' as const), name: userName }),
  fc.record({ kind: fc.constant('role' as const), name: roleName }),
)
const entries = fc.array(entry, { maxLength: 3 })
const list = fc.option(entries)
const authorization = fc.option(fc.record({ view: list, operate: list, admins: list }))
const stagesWith = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('build', 'ship'), approvers: entries }),
  { selector: ({ name }) => name },
)

const facts: fc.Arbitrary<SecurityFacts> = fc.record({
  securityOn: fc.boolean(),
  roles: fc.uniqueArray(
    fc.record({
      name: roleName,
      users: fc.array(fc.record({ name: userName }), { maxLength: 2 }),
    }),
    { selector: ({ name }) => name.toLowerCase() },
  ),
  admins: entries,
  groups: fc
    .array(fc.record({ authorization, stages: stagesWith }), { maxLength: 3 })
    .map((groups) =>
      groups.map((group, n) => ({
        name: `g${n}`,
        authorization: group.authorization,
        pipelines: [{ name: `p${n}`, stages: group.stages }],
      })),
    ),
  templates: fc
    .array(fc.record({ admins: entries, viewers: entries, isOpenToGroupAdmins: fc.boolean() }), {
      maxLength: 2,
    })
    .map((templates) => templates.map((each, n) => ({ ...each, name: `t${n}` }))),
})

const user: fc.Arbitrary<KnownUser> = fc.oneof(
  fc.record({ username: userName }),
  fc.record({
    username: userName,
    external: fc.record({
      source: fc.constantFrom('ldap' as const, 'oidc' as const),
      roles: fc.array(fc.constantFrom('Crew', 'guests', 'unheard-of'), { maxLength: 2 }),
    }),
  }),
)

const isAny = (reasons: readonly unknown[]) => reasons.length > 0

describe('the reasons of permissions', () => {
  it('are there for exactly what is permitted, in each group and stage', () => {
    fc.assert(
      fc.property(facts, user, (security, known) => {
        const may = new AccessRules(security).permissionsOf(known)
        const reasons = new Reasons(security, known, false)

        expect(isAny(reasons.administers)).toBe(may.isAdministrator)
        if (may.isAdministrator) return
        for (const [n, group] of security.groups.entries()) {
          const { view, operate, administer } = reasons.inGroup(group)
          expect([view, operate, administer].map(isAny)).toEqual([
            may.mayView(`p${n}`),
            may.mayOperate(`p${n}`),
            may.administersGroup(group.name),
          ])
          for (const stage of approvedStages(group)) {
            const [pipeline = '', name = ''] = stage.name.split('/')
            expect(isAny(reasons.inStage(group, stage))).toBe(may.mayOperateStage(pipeline, name))
          }
        }
        for (const template of security.templates) {
          const isNamed = isAny(reasons.inTemplate(template))
          expect(isNamed).toBe(may.administersTemplate(template.name))
        }
      }),
    )
  })

  it('are as many in words as the user has rights', () => {
    fc.assert(
      fc.property(facts, user, (security, known) => {
        const may = new AccessRules(security).permissionsOf(known)
        const words = reasonedPermissions(security, new Reasons(security, known, false))
        const inGroups = security.groups.flatMap((group, n) => [
          may.administersGroup(group.name),
          may.mayView(`p${n}`),
          may.mayOperate(`p${n}`),
          ...approvedStages(group).map(({ stage }) => may.mayOperateStage(`p${n}`, stage.name)),
        ])
        const rights = [
          ...inGroups,
          ...security.templates.map(({ name }) => may.administersTemplate(name)),
        ]

        expect(words).toHaveLength(may.isAdministrator ? 1 : rights.filter(Boolean).length)
      }),
    )
  })
})
