import type { AgentEvent } from '../core/builds/agent-life-cycle.ts'
import type { Clock } from '../lib/clock.ts'
import { keptOf, meansInvitation } from '../security/issued-secret.ts'
import { ServiceError } from '../core/errors.ts'
import type { AgentDirectory } from './agent-directory.ts'
import type { AgentFacts } from './agent-record.ts'
import type { AgentRegistrar } from './agent-registrar.ts'
import { isApproved, type KnownAgent } from './known-agent.ts'
import type { RefusedMachines } from './refused-machines.ts'
import { keyRefused, type RegistrationLimits } from './registration-limits.ts'
import { hashSecret, isSecretOf, newToken, type KeyVerdict } from './secrets.ts'

/** Silence after which another process may use the uuid, in milliseconds. */
const UUID_IN_USE_MS = 20_000

export interface AgentCallsDeps {
  readonly directory: AgentDirectory
  readonly registrar: AgentRegistrar
  readonly clock: Clock
  readonly judgeKey: (key: string) => KeyVerdict
  readonly registrations: RegistrationLimits
  readonly refused: RefusedMachines
  readonly jobs: AgentJobs
  readonly invitations: AgentInvitations
}

/** A machine, as invitations are kept for it. */
export interface InvitedMachine {
  readonly uuid: string
  readonly claimHash: string
}

/** The resources and environments that an agent asks for, or that its invitation grants. */
export interface AgentWishes {
  readonly resources: readonly string[]
  readonly environments: readonly string[]
}

/** The invitations that registrations use. */
export interface AgentInvitations {
  /**
   * The wishes that an invitation grants to a machine; null when it is not valid for that machine.
   */
  find(invitation: string, machine: InvitedMachine): Promise<AgentWishes | null>
  /** Keeps an invitation for a machine; false when it is not good for that machine any more. */
  reserve(invitation: string, machine: InvitedMachine): Promise<boolean>
  /** Ends an invitation, whose machine is registered. */
  use(invitation: string): Promise<void>
}

/** The facts and effects concerning jobs that the calls of agents need. */
export interface AgentJobs {
  /** Whether a process was given a job of which it has not said anything yet. */
  isGiven(uuid: string, instance: string): boolean
  /** The job that the agent has to stop, out of those that it reports. */
  cancelledJob(uuid: string, held: number | null): Promise<number | null>
  /** Requeues the job of an agent whose process ended or was lost. */
  abandon(uuid: string): Promise<void>
}

export interface Registering {
  readonly uuid: string
  /** The address that the call comes from. */
  readonly address: string
  readonly instance: string
  readonly claim: string
  readonly facts: AgentFacts
  /** The key is that of the server, or an invitation. */
  readonly autoRegister: (AgentWishes & { readonly key: string }) | null
}

export interface ContactCall {
  readonly uuid: string
  readonly token: string
  /** The address that the call comes from. */
  readonly address: string
  readonly instance: string
  readonly facts: AgentFacts
  readonly runtimeStatus: 'Idle' | 'Building' | 'Cancelled'
  readonly jobId: number | null
  readonly stopping: boolean
}

type ConfigStatus = KnownAgent['condition']['configStatus']

export interface Registered {
  readonly token: string
  readonly configStatus: ConfigStatus
  /** Whether anything in the list of agents changed. */
  readonly isNews: boolean
  /** The id of the invitation that let it in; null without one. */
  readonly invitation: string | null
}

export type ContactAnswer =
  | { readonly kind: 'register' }
  | { readonly kind: 'none'; readonly configStatus: ConfigStatus }
  | { readonly kind: 'cancel_job'; readonly configStatus: ConfigStatus; readonly jobId: number }

/**
 * Registers an agent and issues its token. With the right key or a good invitation it is enabled at
 * once, which makes a commit unless the configuration contains it; a machine that was approved
 * before keeps its configuration, and any other waits for approval. A configured uuid alone is no
 * approval: everybody can read it there.
 *
 * An invitation is kept for its machine before anything is written, and ends when the machine is
 * registered: a crash in between leaves it to that machine alone.
 *
 * @throws {ServiceError} `agent-taken` when another machine uses the uuid, `key-refused`, and
 * `too-many-requests`.
 */
export async function registerAgent(deps: AgentCallsDeps, call: Registering): Promise<Registered> {
  const admission = await admissionOf(deps, call)
  if (admission === null && !isFamiliar(deps, call))
    deps.registrations.countRegistration(call.address)
  assertPlace(deps, call, admission)
  if (admission?.invitation && !(await reserve(deps, call, admission.invitation)))
    throw keyRefused(admission.invitation)
  const agent = assertPlace(deps, call, admission)
  if (admission === null && !agent?.record) await deps.registrations.makeRoom(call.address)
  const { uuid, facts, instance, address } = call
  const token = newToken()
  const at = deps.clock()
  const record = {
    uuid,
    facts,
    claimHash: hashSecret(call.claim),
    tokenHash: hashSecret(token),
    approved: admission !== null || (agent !== null && isApproved(agent) && !hasLeft(agent)),
    lastContact: at,
  }
  if (agent && isFamiliar(deps, call))
    deps.registrar.noteAddress(agent.configured, movedTo(agent, facts))
  const heard = { instance, at, address, stopping: false }
  const admit = async () => {
    await deps.directory.register(record, heard)
    if (admission) await enroll(deps, call, admission)
  }
  if (admission && !agent) await deps.directory.whileArriving(uuid, admit)
  else await admit()
  if (admission?.invitation) await deps.invitations.use(admission.invitation)
  const configStatus = deps.directory.find(uuid)?.condition.configStatus ?? 'Pending'
  const isNews = configStatus !== agent?.condition.configStatus
  const invitation = admission?.invitation ? keptOf(admission.invitation).id : null
  return { token, configStatus, isNews, invitation }
}

/** Adds an agent to the configuration unless it is there. */
async function enroll(
  { directory, registrar }: AgentCallsDeps,
  { uuid, facts }: Registering,
  { wishes: { resources, environments } }: Admission,
): Promise<void> {
  if (directory.find(uuid)?.configured) return
  await registrar.enroll({ uuid, ...addressOf(facts), resources, environments })
}

/** The reason why no approval is needed. */
interface Admission {
  readonly wishes: AgentWishes
  /** Null for the key of the server. */
  readonly invitation: string | null
}

/** The proof of a registering machine besides its claim; null when it has none. */
async function admissionOf(deps: AgentCallsDeps, call: Registering): Promise<Admission | null> {
  const { autoRegister, address } = call
  if (autoRegister === null) return null
  const { key } = autoRegister
  if (meansInvitation(key)) {
    const machine = machineOf(call)
    const find = () => deps.invitations.find(key, machine)
    const wishes = isFamiliar(deps, call)
      ? await find()
      : await deps.registrations.admitInvited(key, { ...machine, address }, find)
    return wishes && { wishes, invitation: key }
  }
  const hasKey = isFamiliar(deps, call)
    ? deps.judgeKey(key) === 'right'
    : deps.registrations.admits(key, address)
  return hasKey ? { wishes: autoRegister, invitation: null } : null
}

/** Whether this is the machine that was approved with the uuid. */
function isFamiliar({ directory }: AgentCallsDeps, { uuid, claim }: Registering): boolean {
  const record = directory.find(uuid)?.record
  return record?.approved === true && isSecretOf(record.claimHash, claim)
}

/**
 * Whether an approved agent is not in the configuration: a save removed it as it was added, or
 * somebody did while the service was stopped. Like any agent that is removed it registers again.
 */
function hasLeft(agent: KnownAgent): boolean {
  return isApproved(agent) && agent.configured === null
}

/** The agent of the uuid so far, after it is sure that the machine may have its place. */
function assertPlace(
  deps: AgentCallsDeps,
  call: Registering,
  admission: Admission | null,
): KnownAgent | null {
  const agent = deps.directory.find(call.uuid)
  if (admission === null || (agent !== null && isApproved(agent))) {
    assertFree(deps, agent, call)
    assertClaim(deps, agent, call)
  }
  return agent
}

function reserve(
  { invitations }: AgentCallsDeps,
  call: Registering,
  invitation: string,
): Promise<boolean> {
  return invitations.reserve(invitation, machineOf(call))
}

function machineOf({ uuid, claim }: Registering): InvitedMachine {
  return { uuid, claimHash: hashSecret(claim) }
}

/**
 * Records the presence and the activity of an agent; answers with its instructions.
 *
 * @throws {ServiceError} `token-refused`, `agent-taken`.
 */
export async function contactAgent(
  deps: AgentCallsDeps,
  call: ContactCall,
): Promise<ContactAnswer> {
  const agent = deps.directory.find(call.uuid)
  if (!agent?.record) return { kind: 'register' }
  assertToken(agent, call)
  if (hasLeft(agent)) return { kind: 'register' }
  assertFree(deps, agent, call)
  const at = deps.clock()
  const { instance, stopping, facts, address } = call
  const record = { ...agent.record, facts }
  const heard = { instance, at, address, stopping }
  const event = eventOf(call)
  // A job may be given while a report without one is under way.
  const isGiven = event === 'report-idle' && deps.jobs.isGiven(call.uuid, instance)
  const happened = isGiven ? 'report-building' : event
  await deps.directory.recordContact({ record, heard, event: happened })
  if (isApproved(agent)) {
    if (stopping) await deps.jobs.abandon(call.uuid)
    deps.registrar.noteAddress(agent.configured, movedTo(agent, facts))
  }
  const { configStatus } = deps.directory.find(call.uuid)?.condition ?? agent.condition
  const jobId = await deps.jobs.cancelledJob(call.uuid, call.jobId)
  return jobId === null
    ? { kind: 'none', configStatus }
    : { kind: 'cancel_job', configStatus, jobId }
}

/**
 * Asserts that the token is that of the agent.
 *
 * @throws {ServiceError} `token-refused`.
 */
export function assertToken(known: KnownAgent | null, call: { uuid: string; token: string }): void {
  if (known?.record && isSecretOf(known.record.tokenHash, call.token)) return
  const { uuid } = call
  throw new ServiceError('token-refused', `The token is not that of the agent ${uuid}`, { uuid })
}

function eventOf({ runtimeStatus, stopping }: ContactCall): AgentEvent {
  if (stopping && runtimeStatus !== 'Idle') return 'silence'
  return runtimeStatus === 'Idle' ? 'report-idle' : 'report-building'
}

function assertClaim(deps: AgentCallsDeps, known: KnownAgent | null, call: Registering): void {
  if (!known?.record || isSecretOf(known.record.claimHash, call.claim)) return
  throw taken(deps, known, { call, how: 'registered by another machine' })
}

/** A folder is locked by one process, so the same place means the same agent, restarted. */
function assertFree(deps: AgentCallsDeps, known: KnownAgent | null, call: Caller): void {
  if (!known?.heard || known.heard.instance === call.instance || known.heard.stopping) return
  if (deps.directory.silenceOf(known) > UUID_IN_USE_MS) return
  const before = known.record?.facts
  if (before && placeOf(before) === placeOf(call.facts)) return
  throw taken(deps, known, { call, how: `in use on ${before?.hostname ?? 'another machine'}` })
}

type Caller = Pick<Registering, 'uuid' | 'address' | 'facts' | 'instance'> & {
  readonly claim?: string
}

function taken(
  { refused }: AgentCallsDeps,
  holder: KnownAgent,
  { call, how }: { readonly call: Caller; readonly how: string },
): ServiceError {
  const { uuid, address, facts, instance, claim } = call
  const claimHash = claim === undefined ? null : hashSecret(claim)
  refused.note(holder, { facts, instance, address, claimHash })
  return new ServiceError('agent-taken', `The agent uuid ${uuid} is ${how}`, { uuid })
}

function placeOf({ hostname, ipAddress, sandbox }: AgentFacts): string {
  return JSON.stringify([hostname, ipAddress, sandbox])
}

/**
 * The current address of an agent. The configured name stays until the agent reports another one.
 */
function movedTo({ uuid, record, configured }: KnownAgent, facts: AgentFacts) {
  const isRenamed = record?.facts.hostname !== facts.hostname
  const hostname = isRenamed ? facts.hostname : (configured?.hostname ?? facts.hostname)
  return { uuid, hostname, ipaddress: facts.ipAddress }
}

function addressOf({ hostname, ipAddress }: AgentFacts) {
  return { hostname, ipaddress: ipAddress }
}
