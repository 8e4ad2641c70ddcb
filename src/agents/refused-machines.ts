import { plainAddress, siteOf } from '../core/service/rate-limit.ts'
import type { Clock } from '../lib/clock.ts'
import { plural } from '../lib/plural.ts'
import type { AgentFacts } from './agent-record.ts'
import { isApproved, type KnownAgent } from './known-agent.ts'

/**
 * The time for which a refused machine is reported after its last call: agents call again within 15
 * s.
 */
const PROBLEM_SHOWN_MS = 60_000
/** The limit of problems that are listed separately. */
const LISTED = 20
/** The limit of machines for one uuid. */
const MAX_CLAIMS = 10
/** The characters of a claim's hash that name it. */
const CLAIM_ID = 16

/** A machine that calls with the uuid of another one. */
export interface RefusedMachine {
  readonly uuid: string
  readonly hostname: string
  /** The address that its calls come from. */
  readonly address: string
  /** The refusal, and which machine uses the uuid: a sentence for operators. */
  readonly reason: string
}

/** A refused machine with its registration, by which it can be approved. */
export interface MachineClaim {
  readonly claimHash: string
  readonly facts: AgentFacts
  readonly instance: string
  /** The address that its calls come from. */
  readonly address: string
  /** The time of its last call, in milliseconds since the UNIX epoch. */
  readonly at: number
}

/** A refused call of a machine, with the claim of a registration. */
export interface RefusedCall extends Pick<MachineClaim, 'facts' | 'instance' | 'address'> {
  readonly claimHash: string | null
}

interface Refusal extends RefusedMachine {
  readonly at: number
}

/** Machines refused recently because another one uses their uuid. */
export class RefusedMachines {
  readonly #clock: Clock
  /** The last refusal of each uuid. */
  readonly #refusals = new Map<string, Refusal>()
  /** The claims to each uuid, by their hashes. */
  readonly #claims = new Map<string, Map<string, MachineClaim>>()

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock
  }

  note(holder: KnownAgent, call: RefusedCall): void {
    const { uuid } = holder
    const { hostname } = call.facts
    const address = plainAddress(call.address)
    const at = this.#clock()
    const reason = isWaiting(holder)
      ? `The machine ${hostname} at ${address} is refused: it claims the uuid ${uuid}, ` +
        `with which ${describe(holder)} waits for approval; approve one of them`
      : `The machine ${hostname} at ${address} is refused: it calls with the uuid ${uuid}, ` +
        `which ${describe(holder)} uses; give it a work folder of its own`
    this.#refusals.delete(uuid)
    this.#refusals.set(uuid, { uuid, hostname, address, reason, at })
    if (call.claimHash !== null) this.#keep(uuid, { ...call, claimHash: call.claimHash, at })
  }

  /**
   * The machines that claim the uuid of one that waits for approval, which were refused recently;
   * none when the uuid is free, or its machine is approved.
   */
  rivalsOf(holder: KnownAgent): readonly MachineClaim[] {
    if (!isWaiting(holder)) return []
    const claims = [...(this.#claims.get(holder.uuid)?.values() ?? [])]
    return claims.filter(
      (claim) => claim.claimHash !== holder.record?.claimHash && this.#isRecent(claim),
    )
  }

  /** Forgets the refusals of a uuid: one of its machines was approved. */
  settle(uuid: string): void {
    this.#refusals.delete(uuid)
    this.#claims.delete(uuid)
  }

  /** The machine with this uuid that was refused recently, or null. */
  find(uuid: string): RefusedMachine | null {
    const refusal = this.#refusals.get(uuid)
    return refusal && this.#isRecent(refusal) ? refusal : null
  }

  /** As sentences for operators. */
  problems(): readonly string[] {
    for (const [uuid, refusal] of this.#refusals) {
      if (!this.#isRecent(refusal)) this.settle(uuid)
    }
    const reasons = Array.from(this.#refusals.values(), ({ reason }) => reason)
    const more = reasons.length - LISTED
    if (more <= 0) return reasons
    return [
      ...reasons.slice(-LISTED),
      `${more} more ${plural(more, 'machine calls', 'machines call')} with the uuids of others`,
    ]
  }

  #keep(uuid: string, claim: MachineClaim): void {
    const claims = this.#claims.get(uuid) ?? new Map<string, MachineClaim>()
    this.#claims.set(uuid, claims)
    claims.set(claim.claimHash, claim)
    if (claims.size > MAX_CLAIMS) claims.delete(mostDispensable([...claims.values()]))
  }

  #isRecent({ at }: Pick<Refusal, 'at'>): boolean {
    return this.#clock() - at < PROBLEM_SHOWN_MS
  }
}

/** The name of a claim, by which it is approved. */
export function claimId(claimHash: string): string {
  return claimHash.slice(0, CLAIM_ID)
}

function isWaiting(agent: KnownAgent): boolean {
  return agent.record !== null && !isApproved(agent)
}

/** The claim that was silent for longest at the site that has most of them, so that none drives out the others. */
function mostDispensable(claims: readonly MachineClaim[]): string {
  const sites = claims.map(({ address }) => siteOf(address))
  const neighbours = ({ address }: MachineClaim) =>
    sites.filter((site) => site === siteOf(address)).length
  const [first] = claims.toSorted(
    (one, other) => neighbours(other) - neighbours(one) || one.at - other.at,
  )
  return first?.claimHash ?? ''
}

function describe({ record, heard }: KnownAgent): string {
  const hostname = record?.facts.hostname ?? 'another machine'
  return heard ? `${hostname} at ${plainAddress(heard.address)}` : hostname
}
