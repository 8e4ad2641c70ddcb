import { nameKey } from '../../core/name-key.ts'
import { memoize } from '../../lib/memoize.ts'
import {
  type Authorization,
  type Pipeline,
  type PipelineGroup,
  type Grantee,
  type Role,
  type Stage,
  isSecurityOn,
} from '../model/model.ts'
import { quoting, shorten } from '../text/shown-text.ts'
import { type Finding, repeats, repeatsInOtherCase } from '../model/finding.ts'
import type { PipelineRule, RuleContext } from './rule-context.ts'

/** SEC-2: an ldap search base has a value. */
export function* ldapBases({ written: { server } }: RuleContext): Generator<Finding> {
  for (const { at, value } of server?.security?.ldap?.bases ?? []) {
    if (value === '') yield { at, message: 'the ldap search base is empty' }
  }
}

/** SEC-3: role names are unique, and so are the users of a role, whatever the case. */
export function* roles({ written: { server } }: RuleContext): Generator<Finding> {
  const all = server?.security?.roles ?? []
  for (const { item, first } of repeatsInOtherCase(all)) {
    const message = quoting`the role ${item.name} is already defined as ${first.name}`
    yield { at: item.at, message }
  }
  for (const role of all) yield* usersOf(role)
}

function* usersOf({ name, users }: Role): Generator<Finding> {
  for (const { item } of repeats(users, (user) => nameKey(user.name))) {
    yield { at: item.at, message: quoting`the user ${item.name} is already in the role ${name}` }
  }
}

/** SEC-4: a role among the admins of the server exists. */
export function* serverAdmins(context: RuleContext): Generator<Finding> {
  yield* unknownRoles(context.written.server?.security?.admins ?? [], context)
}

/** The admins of the server, and those whom a group lists, differ by more than the case of their names. */
export function* usersInOtherCase({ written }: RuleContext): Generator<Finding> {
  yield* sameUsers(written.server?.security?.admins ?? [])
  for (const { authorization } of written.groups) {
    if (!authorization) continue
    const { view, operate, admins } = authorization
    for (const list of [view, operate, admins]) yield* sameUsers(list ?? [])
  }
}

/** The approvers of a stage differ by more than the case of their names. */
export const approversInOtherCase: PipelineRule = function* ({ stages }): Generator<Finding> {
  for (const stage of stages) yield* sameUsers(approversIn(stage))
}

function* sameUsers(list: readonly Grantee[]): Generator<Finding> {
  const users = list.filter(({ kind }) => kind === 'user')
  for (const { item, first } of repeatsInOtherCase(users)) {
    const names = [item, first].map(({ name }) => quoting`${name}`)
    yield { at: item.at, message: `the user ${names.join(' is already in this list as ')}` }
  }
}

/** GRP-1: group names differ by more than their case. */
export function* groupNames({ written: { groups } }: RuleContext): Generator<Finding> {
  for (const { item, first } of repeatsInOtherCase(groups)) {
    const message = quoting`the pipeline group ${item.name} is already defined as ${first.name}`
    yield { at: item.at, message }
  }
}

/** GRP-2: a role in the authorization of a group exists. */
export function* groupRoles(context: RuleContext): Generator<Finding> {
  for (const { authorization } of context.written.groups) {
    yield* unknownRoles(everyone(authorization), context)
  }
}

function everyone(authorization: Authorization | null): readonly Grantee[] {
  const { view, operate, admins } = authorization ?? { view: null, operate: null, admins: null }
  return [...(view ?? []), ...(operate ?? []), ...(admins ?? [])]
}

/** A role among the approvers of a stage exists (STG-3). */
export function* approverRoles(context: RuleContext): Generator<Finding> {
  for (const pipeline of context.pipelines) {
    const listed = approversOf(pipeline)
    if (listed.length > 0) yield* unknownRoles(listed, context)
  }
}

function* unknownRoles(
  principals: readonly Grantee[],
  { rolesByName }: RuleContext,
): Generator<Finding> {
  for (const { at, kind, name } of principals) {
    if (kind === 'role' && !rolesByName.has(nameKey(name))) {
      yield { at, message: quoting`the role ${name} does not exist` }
    }
  }
}

/**
 * STG-3: with security on, admins listed and the operators of the group listed,
 * who approves a stage is one of them.
 */
export function* approvers(context: RuleContext): Generator<Finding> {
  const { written, effective, rolesByName } = context
  const admins = written.server?.security?.admins ?? []
  if (!isSecurityOn(written) || admins.length === 0) return
  const entitled = new Entitled(admins, rolesByName)
  for (const group of effective.groups) {
    const operators = group.authorization?.operate
    if (operators) yield* withoutRight(group, entitled.and(operators))
  }
}

function* withoutRight({ name, pipelines }: PipelineGroup, entitled: Entitled): Generator<Finding> {
  for (const approver of pipelines.flatMap(approversOf)) {
    if (entitled.includes(approver)) continue
    const who = `${approver.kind} "${shorten(approver.name)}"`
    const message = `the ${who} cannot approve, because it may not operate the pipeline group "${shorten(name)}"`
    yield { at: approver.at, message }
  }
}

const approversOf = memoize(({ stages }: Pipeline) => stages.flatMap(approversIn))

function approversIn({ approval }: Stage): readonly Grantee[] {
  return approval?.approvers ?? []
}

/** Users and roles that a list names, and the users of those roles. */
class Entitled {
  readonly #principals: readonly Grantee[]
  readonly #rolesByName: ReadonlyMap<string, Role>
  readonly #keys: ReadonlySet<string>

  constructor(principals: readonly Grantee[], rolesByName: ReadonlyMap<string, Role>) {
    this.#principals = principals
    this.#rolesByName = rolesByName
    this.#keys = new Set(principals.flatMap((principal) => this.#keysOf(principal)))
  }

  and(more: readonly Grantee[]): Entitled {
    return new Entitled([...this.#principals, ...more], this.#rolesByName)
  }

  includes({ kind, name }: Grantee): boolean {
    return this.#keys.has(`${kind} ${nameKey(name)}`)
  }

  #keysOf({ kind, name }: Grantee): string[] {
    const own = `${kind} ${nameKey(name)}`
    if (kind === 'user') return [own]
    const users = this.#rolesByName.get(nameKey(name))?.users ?? []
    return [own, ...users.map((user) => `user ${nameKey(user.name)}`)]
  }
}
