import {
  type AgentChanges,
  type AgentNames,
  changeAgent,
  deleteAgent,
  disableAgent,
  enableAgent,
} from '../document/agents/agent-edits.ts'
import {
  environmentElements,
  environmentKey,
  findAgent,
  isResourceName,
  type AgentDeclaration,
} from '../document/agents/agent-element.ts'
import type { EditableDocument } from '../document/edit/layout.ts'
import type { XmlElement } from '../document/xml/xml-tree.ts'
import { assertDeletable } from '../core/builds/agent.ts'
import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { ConfigEditor } from '../configuration/save/config-editor.ts'
import { type Access, assertMay } from '../configuration/access/permission.ts'
import { assertMayChange } from '../configuration/gate/refusal.ts'
import type { AgentDirectory } from './agent-directory.ts'
import { factsOf, type KnownAgent } from './known-agent.ts'
import { claimId, type RefusedMachines } from './refused-machines.ts'
import { hashSecret, newToken } from './secrets.ts'

export interface AgentAdministrationDeps {
  readonly access: Access
  readonly directory: AgentDirectory
  readonly refused: RefusedMachines
  readonly editor: ConfigEditor
}

export interface Outcome {
  /** Whether anything changed: the configuration by a commit, or the approval of a machine. */
  readonly isNew: boolean
  /** The new name of an invalid live file that the commit replaced; null for none. */
  readonly setAside: string | null
}

export interface ApprovalRequest {
  readonly uuid: string
  /** The reason in the words of the caller; may be empty. */
  readonly message?: string
  /** The machine that is meant, where several claim the uuid; null where one does. */
  readonly claim?: string | null
}

/**
 * Enables a disabled agent, or approves the machine that waits with its uuid; makes no commit when
 * the configuration contains it as enabled already.
 *
 * @throws {ServiceError} `agent-not-found`, `not-permitted`, and `agent-taken` when several machines
 * claim the uuid and the request names none of them.
 */
export async function approveAgent(
  deps: AgentAdministrationDeps,
  principal: Principal,
  { uuid, message = '', claim = null }: ApprovalRequest,
): Promise<Outcome> {
  assertMayDecide(deps, principal, uuid)
  await choose(deps, readAgent(deps.directory, uuid), claim)
  const record = deps.directory.find(uuid)?.record ?? null
  const outcome = await decide(deps, principal, { uuid, message, edit: enableAgent })
  const isNews = record !== null && (await deps.directory.approve(record))
  if (isNews) deps.refused.settle(uuid)
  return isNews ? { ...outcome, isNew: true } : outcome
}

/**
 * Gives the place of a waiting machine to the one that is meant, which registers again and gets its
 * token then.
 */
async function choose(
  { directory, refused }: AgentAdministrationDeps,
  agent: KnownAgent,
  claim: string | null,
): Promise<void> {
  const { uuid, record } = agent
  const rivals = refused.rivalsOf(agent)
  if (claim === null && rivals.length === 0) return
  if (claim !== null && record !== null && claimId(record.claimHash) === claim) return
  const chosen = rivals.find(({ claimHash }) => claimId(claimHash) === claim)
  if (!chosen) throw undecided(uuid, claim)
  const { claimHash, facts, instance, address, at } = chosen
  const tokenHash = hashSecret(newToken())
  await directory.register(
    { uuid, facts, claimHash, tokenHash, approved: false, lastContact: at },
    { instance, at, address, stopping: false },
  )
}

function undecided(uuid: string, claim: string | null): ServiceError {
  const message =
    claim === null
      ? `Several machines claim the uuid ${uuid}: approve one of them on the page of the agent`
      : `The machine ${claim} does not claim the uuid ${uuid} any more`
  return new ServiceError('agent-taken', message, { uuid })
}

/**
 * Disables an agent; a pending one is registered as disabled.
 *
 * @throws {ServiceError} `agent-not-found`, `not-permitted`.
 */
export function retireAgent(
  deps: AgentAdministrationDeps,
  principal: Principal,
  uuid: string,
  message = '',
): Promise<Outcome> {
  return decide(deps, principal, { uuid, message, edit: disableAgent })
}

/**
 * Deletes an agent from the configuration and every environment. A running agent registers again,
 * so callers stop it first.
 *
 * @throws {ServiceError} `agent-not-found`, `agent-not-deletable`, `not-authorized`.
 */
export async function removeAgent(
  deps: AgentAdministrationDeps,
  principal: Principal,
  uuid: string,
  message = '',
): Promise<Outcome> {
  assertMay(deps.access, principal, { action: 'delete-agent' })
  readAgent(deps.directory, uuid)
  const remove = (document: EditableDocument) => {
    const { condition } = readAgent(deps.directory, uuid)
    assertDeletable({ uuid, ...condition })
    return deleteAgent(document, uuid)
  }
  const outcome = await deps.editor.edit({ door: 'agent-administration', principal }, remove, {
    message,
  })
  await deps.directory.forget(uuid)
  return outcome
}

export interface AgentChangeRequest {
  readonly uuid: string
  readonly changes: AgentChanges
  /** The reason in the words of the caller; may be empty. */
  readonly message?: string
}

/**
 * Changes the configuration of an agent.
 *
 * @throws {ServiceError} `agent-not-found`, `agent-not-listed` for one that is not configured yet,
 * `not-permitted`, and `malformed-request` for values that the configuration cannot hold or does
 * not have.
 */
export async function changeListedAgent(
  deps: AgentAdministrationDeps,
  principal: Principal,
  { uuid, changes, message = '' }: AgentChangeRequest,
): Promise<Outcome> {
  assertMayDecide(deps, principal, uuid)
  readAgent(deps.directory, uuid)
  const change = (document: EditableDocument) => {
    if (!findAgent(document.root, uuid)) throw notListed(uuid)
    assertNames(document.root, changes)
    if (changes.added) assertNames(document.root, changes.added)
    return changeAgent(document, uuid, changes)
  }
  return deps.editor.edit({ door: 'agent-administration', principal }, change, { message })
}

function assertNames(
  root: XmlElement,
  { resources = [], environments = [] }: Partial<AgentNames>,
): void {
  const known = new Set(
    environmentElements(root).map((each) => environmentKey(each.attributeValue('name') ?? '')),
  )
  const problems = [
    ...resources
      .filter((name) => !isResourceName(name))
      .map((name) => ({ message: `"${name}" is not the name of a resource`, path: 'resources' })),
    ...environments
      .filter((name) => !known.has(environmentKey(name)))
      .map((name) => ({ message: `There is no environment "${name}"`, path: 'environments' })),
  ]
  const [first] = problems
  if (first) throw new ServiceError('malformed-request', first.message, { problems })
}

function notListed(uuid: string): ServiceError {
  const message = `The configuration does not list the agent ${uuid}: enable or disable it first`
  return new ServiceError('agent-not-listed', message, { uuid })
}

/** Every agent, in the order of the list: by name, working folder and uuid. */
export async function listAgents(directory: AgentDirectory): Promise<readonly KnownAgent[]> {
  await directory.findLost()
  return directory.sorted()
}

async function decide(
  deps: AgentAdministrationDeps,
  principal: Principal,
  decision: { readonly uuid: string; readonly message: string; readonly edit: typeof enableAgent },
): Promise<Outcome> {
  const { uuid, message, edit } = decision
  assertMayDecide(deps, principal, uuid)
  const agent = listedAs(readAgent(deps.directory, uuid))
  const apply = (document: EditableDocument) => edit(document, agent)
  return deps.editor.edit({ door: 'agent-administration', principal }, apply, { message })
}

function assertMayDecide(
  { access }: Pick<AgentAdministrationDeps, 'access'>,
  principal: Principal,
  uuid: string,
): void {
  assertMayChange(() => assertMay(access, principal, { action: 'administer' }), `agent/${uuid}`)
}

function readAgent(directory: AgentDirectory, uuid: string): KnownAgent {
  const agent = directory.find(uuid)
  if (agent) return agent
  throw new ServiceError('agent-not-found', `There is no agent ${uuid}`, { uuid })
}

function listedAs(agent: KnownAgent): AgentDeclaration {
  const { hostname, ipAddress } = factsOf(agent)
  return { uuid: agent.uuid, hostname, ipaddress: ipAddress, resources: [] }
}
