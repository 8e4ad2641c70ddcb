import { type Access, assertMay } from '../configuration/access/permission.ts'
import type { CurrentConfiguration } from '../configuration/current/current-configuration.ts'
import { malformedRequest, ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { environmentKey, isResourceName } from '../document/agents/agent-element.ts'
import { isInvitation, keptOf, newInvitation } from '../security/issued-secret.ts'
import { type InvitationRecord, INVITATIONS } from './issued-record.ts'
import { findOwner, ownerOf } from './issued-owner.ts'
import { IssuedRecords } from './issued-records.ts'
import type { OwnedRecordsOptions } from './owned-records.ts'
import { TOKEN_VOUCHED_FOR_MS, type Tokens } from './tokens.ts'

/** The limit of open invitations. */
const MAX_OPEN = 1_000
/** The limit of names of one kind in an invitation. */
const MAX_NAMES = 100

const HOUR_MS = 60 * 60 * 1_000
/** The default and the maximum lifetime of an invitation. */
export const DEFAULT_LIFETIME_MS = 24 * HOUR_MS
const MAX_LIFETIME_MS = 30 * 24 * HOUR_MS

/** The names that an invited agent gets in the configuration. */
export interface InvitedNames {
  readonly resources: readonly string[]
  readonly environments: readonly string[]
}

export interface NewInvitation extends InvitedNames {
  /** Milliseconds since the UNIX epoch. */
  readonly expires: number
}

/** A new invitation: the only time that its secret is known. */
export interface MadeInvitation {
  readonly id: string
  readonly invitation: string
}

export interface InvitationsOptions extends OwnedRecordsOptions {
  readonly tokens: Pick<Tokens, 'isGood' | 'expiryOf'>
}

type Machine = NonNullable<InvitationRecord['machine']>

/** Invitations of agents: each lets one machine in, once. */
export class Invitations extends IssuedRecords<InvitationRecord> {
  readonly #tokens: InvitationsOptions['tokens']

  constructor({ tokens, ...options }: InvitationsOptions) {
    super(INVITATIONS, options)
    this.#tokens = tokens
  }

  /**
   * Creates an invitation by a user, or by an account of this machine, and removes expired ones. An
   * invitation that is created with a token ends with the token.
   *
   * @throws {ServiceError} `malformed-request`, `too-many-invitations`.
   */
  async create(by: Principal | string, { resources, environments, expires }: NewInvitation) {
    const now = this.options.clock()
    assertNames({ resources, environments })
    if (expires <= now) throw malformedRequest('The expiry is in the past', 'expires')
    if (expires > now + MAX_LIFETIME_MS)
      throw malformedRequest('An invitation is good for 30 days at most', 'expires')
    const invitation = newInvitation()
    const kept = keptOf(invitation)
    const names = { resources: [...resources], environments: [...environments] }
    const origin = await this.#originOf(by, expires)
    const record = { ...kept, ...origin, ...names, created: now, lastUsed: null }
    await this.add({ ...record, machine: null }, (others) => {
      const expired = others.filter((other) => other.expires <= now)
      assertRoom(others.length - expired.length)
      return expired
    })
    return { id: kept.id, invitation } satisfies MadeInvitation
  }

  /** The invitations that an agent can still use, oldest first. */
  async list(): Promise<InvitationRecord[]> {
    const open = await this.listed(({ machine }) => machine === null)
    const good = await Promise.all(open.map((record) => this.#isGood(record)))
    return open.filter((_, place) => good[place])
  }

  /** @throws {ServiceError} `invitation-not-found` */
  async revoke(id: string): Promise<InvitationRecord> {
    const revoked = await this.endOne(id, () => true)
    if (revoked !== null) return revoked
    throw new ServiceError('invitation-not-found', `There is no invitation ${id}`, { id })
  }

  /** Returns the names granted to a machine; null when the invitation is not valid for it. */
  async find(invitation: string, machine: Machine): Promise<InvitedNames | null> {
    if (!isInvitation(invitation)) return null
    const record = await this.findIssued(invitation)
    if (record === null || !isFor(machine, record)) return null
    return (await this.#isGood(record)) ? record : null
  }

  /**
   * Reserves an invitation for a machine that registers. Returns whether it is valid for the
   * machine.
   */
  async reserve(invitation: string, machine: Machine): Promise<boolean> {
    if ((await this.find(invitation, machine)) === null) return false
    const isWanted = (record: InvitationRecord) => isFor(machine, record)
    return this.change(keptOf(invitation).id, isWanted, (record) => ({
      ...record,
      machine,
    }))
  }

  /** Ends an invitation: its machine is registered. */
  async use(invitation: string): Promise<void> {
    await this.endOne(keptOf(invitation).id, () => true)
  }

  /** An invitation lasts no longer than its maker, and the token that it was made with. */
  async #isGood({ owner, token, expires }: InvitationRecord): Promise<boolean> {
    if (expires <= this.options.clock()) return false
    if (token !== null && !(await this.#tokens.isGood(token))) return false
    return owner === null || (await findOwner(this.options, owner, TOKEN_VOUCHED_FOR_MS)) !== null
  }

  async #originOf(by: Principal | string, expires: number) {
    if (typeof by === 'string') return { maker: by, owner: null, token: null, expires }
    const token = by.credential?.kind === 'token' ? by.credential.id : null
    const end = token === null ? null : await this.#tokens.expiryOf(token)
    const owner = ownerOf(by, this.options.clock())
    return { maker: by.username, owner, token, expires: Math.min(expires, end ?? expires) }
  }
}

function isFor({ uuid, claimHash }: Machine, { machine }: InvitationRecord): boolean {
  return machine === null || (machine.uuid === uuid && machine.claimHash === claimHash)
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
  if (missing === undefined) return invitations.create(principal, wanted)
  throw malformedRequest(`There is no environment "${missing}"`, 'environments')
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

function assertRoom(others: number): void {
  if (others < MAX_OPEN) return
  const message = `There may be ${MAX_OPEN} open invitations: revoke one first`
  throw new ServiceError('too-many-invitations', message, { limit: MAX_OPEN })
}

function assertNames({ resources, environments }: InvitedNames): void {
  for (const [path, names] of Object.entries({ resources, environments })) {
    if (names.length <= MAX_NAMES) continue
    throw malformedRequest(`An invitation has ${MAX_NAMES} ${path} at most`, path)
  }
  const wrong = resources.find((name) => !isResourceName(name))
  if (wrong !== undefined)
    throw malformedRequest(`"${wrong}" is not the name of a resource`, 'resources')
}
