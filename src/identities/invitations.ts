import { type Access, assertMay } from '../configuration/access/permission.ts'
import type { CurrentConfiguration } from '../configuration/current/current-configuration.ts'
import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { environmentKey, isResourceName } from '../document/agents/agent-element.ts'
import { isInvitation, keptOf, newInvitation } from '../security/issued-secret.ts'
import { type InvitationRecord, INVITATIONS } from './issued-record.ts'
import { IssuedRecords, type IssuedRecordsOptions } from './issued-records.ts'

/** How many may be open at a time. */
const OPEN_AT_MOST = 1_000
/** How many names of one kind an invitation may have. */
const NAMES_AT_MOST = 100

const HOUR = 60 * 60 * 1_000
/** How long an invitation is good for where nobody says it, and at most, in milliseconds. */
export const INVITED_FOR = 24 * HOUR
const LONGEST = 30 * 24 * HOUR

/** What an agent gets in the configuration. */
export interface InvitedNames {
  readonly resources: readonly string[]
  readonly environments: readonly string[]
}

/** What a new invitation is to be. */
export interface NewInvitation extends InvitedNames {
  /** Milliseconds since the UNIX epoch. */
  readonly expires: number
}

/** An invitation that was just made: the only time that it is known. */
export interface MadeInvitation {
  readonly id: string
  readonly invitation: string
}

type Machine = NonNullable<InvitationRecord['machine']>

/** Invitations of agents: each lets one machine in, once. */
export class Invitations {
  readonly #options: IssuedRecordsOptions
  readonly #records: IssuedRecords<InvitationRecord>

  constructor(options: IssuedRecordsOptions) {
    this.#options = options
    this.#records = new IssuedRecords(INVITATIONS, options)
  }

  /**
   * Makes an invitation; those that have expired are removed with that.
   *
   * @throws {ServiceError} `malformed-request`, `too-many-invitations`.
   */
  async create(maker: string, { resources, environments, expires }: NewInvitation) {
    const now = this.#options.clock()
    assertNames({ resources, environments })
    if (expires <= now) throw malformed('expires is in the past', 'expires')
    if (expires > now + LONGEST)
      throw malformed('An invitation is good for 30 days at most', 'expires')
    const invitation = newInvitation()
    const kept = keptOf(invitation)
    const names = { resources: [...resources], environments: [...environments] }
    const record = { ...kept, maker, ...names, expires, created: now, lastUsed: null }
    await this.#records.endAll((other) => other.expires <= now)
    await this.#records.add({ ...record, machine: null }, assertRoom)
    return { id: kept.id, invitation } satisfies MadeInvitation
  }

  /** Those that an agent may still use, oldest first. */
  list(): Promise<InvitationRecord[]> {
    const now = this.#options.clock()
    return this.#records.list(({ machine, expires }) => machine === null && expires > now)
  }

  /** @throws {ServiceError} `invitation-not-found` */
  async revoke(id: string): Promise<InvitationRecord> {
    const revoked = await this.#records.end(id, () => true)
    if (revoked !== null) return revoked
    throw new ServiceError('invitation-not-found', `There is no invitation ${id}`, { id })
  }

  /** What an invitation gives to a machine; null when it is not good for that machine. */
  async find(invitation: string, machine: Machine): Promise<InvitedNames | null> {
    if (!isInvitation(invitation)) return null
    const record = await this.#records.find(invitation)
    return record !== null && this.#isGoodFor(machine, record) ? record : null
  }

  /** Keeps an invitation for a machine that registers. Returns whether it is good for that. */
  reserve(invitation: string, machine: Machine): Promise<boolean> {
    const isWanted = (record: InvitationRecord) => this.#isGoodFor(machine, record)
    return this.#records.change(keptOf(invitation).id, isWanted, (record) => ({
      ...record,
      machine,
    }))
  }

  /** Ends an invitation: its machine is registered. */
  async use(invitation: string): Promise<void> {
    await this.#records.end(keptOf(invitation).id, () => true)
  }

  #isGoodFor({ uuid, claimHash }: Machine, { machine, expires }: InvitationRecord): boolean {
    if (expires <= this.#options.clock()) return false
    return machine === null || (machine.uuid === uuid && machine.claimHash === claimHash)
  }
}

export interface InvitationDeps {
  readonly access: Access
  readonly configuration: CurrentConfiguration
  readonly invitations: Invitations
}

/**
 * Makes an invitation with resources, and with environments of the configuration.
 *
 * @throws {ServiceError} `not-permitted`, `malformed-request`, `too-many-invitations`.
 */
export function inviteAgent(
  { access, configuration, invitations }: InvitationDeps,
  principal: Principal,
  wanted: NewInvitation,
): Promise<MadeInvitation> {
  assertMay(access, principal, { action: 'administer' })
  const known = configuration.read().configuration.environments
  const keys = new Set(known.map(({ name }) => environmentKey(name)))
  const missing = wanted.environments.find((name) => !keys.has(environmentKey(name)))
  if (missing === undefined) return invitations.create(principal.username, wanted)
  throw malformed(`There is no environment "${missing}"`, 'environments')
}

/** @throws {ServiceError} `not-permitted` */
export function listInvitations(
  { access, invitations }: Omit<InvitationDeps, 'configuration'>,
  principal: Principal,
): Promise<InvitationRecord[]> {
  assertMay(access, principal, { action: 'administer' })
  return invitations.list()
}

/** @throws {ServiceError} `not-permitted`, `invitation-not-found`. */
export function revokeInvitation(
  { access, invitations }: Omit<InvitationDeps, 'configuration'>,
  principal: Principal,
  id: string,
): Promise<InvitationRecord> {
  assertMay(access, principal, { action: 'administer' })
  return invitations.revoke(id)
}

function assertRoom(others: readonly InvitationRecord[]): void {
  if (others.length < OPEN_AT_MOST) return
  const message = `There may be ${OPEN_AT_MOST} open invitations: revoke one first`
  throw new ServiceError('too-many-invitations', message, { limit: OPEN_AT_MOST })
}

function assertNames({ resources, environments }: InvitedNames): void {
  for (const [path, names] of Object.entries({ resources, environments })) {
    if (names.length <= NAMES_AT_MOST) continue
    throw malformed(`An invitation has ${NAMES_AT_MOST} ${path} at most`, path)
  }
  const wrong = resources.find((name) => !isResourceName(name))
  if (wrong !== undefined) throw malformed(`"${wrong}" is not the name of a resource`, 'resources')
}

function malformed(message: string, path: string): ServiceError {
  return new ServiceError('malformed-request', message, { problems: [{ message, path }] })
}
