import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  approvedStages,
  Reasons,
  reasonedPermissions,
  type KnownUser,
} from '../../../src/security/permission-reasons.ts'
import { AccessRules } from '../../../src/security/permissions.ts'
import type { ListedPrincipal, SecurityFacts } from '../../../src/security/security-facts.ts'

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

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** The lists of a configuration as one user meets them. */
function listsOf({ securityOn, roles, admins }: SecurityFacts, { username, external }: KnownUser) {
  const isUser = ({ name }: { readonly name: string }) => isSame(name, username)
  const ofSource = external?.roles ?? []
  const own = roles
    .filter(({ name, users }) => users.some(isUser) || ofSource.some((role) => isSame(role, name)))
    .map(({ name }) => name)
  const isListed = (listed: readonly ListedPrincipal[]) =>
    listed.some((each) =>
      each.kind === 'user' ? isUser(each) : own.some((role) => isSame(role, each.name)),
    )
  return { isListed, isAdministrator: !securityOn || admins.length === 0 || isListed(admins) }
}

describe('the reasons of permissions', () => {
  it('are there for exactly what the lists permit, in each group, stage and template', () => {
    fc.assert(
      fc.property(facts, user, (security, known) => {
        const may = new AccessRules(security).permissionsOf(known)
        const { isListed, isAdministrator } = listsOf(security, known)

        expect(may.isAdministrator).toBe(isAdministrator)
        if (isAdministrator) return
        for (const [n, { name, authorization: given, pipelines }] of security.groups.entries()) {
          const lists = [given?.view, given?.operate, given?.admins]
          const isOpen = lists.every((each) => (each ?? []).length === 0)
          const [view, operate, administer] = lists.map((each) => isListed(each ?? []))
          const everything = isOpen || administer
          expect([may.mayView(`p${n}`), may.mayOperate(`p${n}`)]).toEqual([
            everything || view,
            everything || operate,
          ])
          expect(may.administersGroup(name)).toBe(administer)
          for (const { name: stage, approvers } of pipelines[0]?.stages ?? []) {
            const isApproved = administer || isListed(approvers)
            const expected = approvers.length === 0 ? everything || operate : isApproved
            expect(may.mayOperateStage(`p${n}`, stage)).toBe(expected)
          }
        }
        const administersGroup = security.groups.some(({ authorization: given }) =>
          isListed(given?.admins ?? []),
        )
        for (const { name, admins, viewers, isOpenToGroupAdmins } of security.templates) {
          const isOpen = isOpenToGroupAdmins && administersGroup
          expect(may.administersTemplate(name)).toBe(isListed(admins))
          expect(may.mayViewTemplate(name)).toBe(isListed(admins) || isListed(viewers) || isOpen)
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
