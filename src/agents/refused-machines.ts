import type { Clock } from '../lib/clock.ts'
import { type KnownAgent, plainAddress } from './known-agent.ts'

/**
 * How long a refused machine is reported after its last call, in milliseconds: agents call again
 * within 15 s.
 */
const PROBLEM_FOR = 60_000
/** The limit of problems that are listed separately. */
const LISTED = 20

/** A machine that calls with the uuid of another one. */
export interface RefusedMachine {
  readonly uuid: string
  readonly hostname: string
  /** The address that its calls come from. */
  readonly address: string
  /** The refusal, and which machine uses the uuid: a sentence for operators. */
  readonly reason: string
}

interface Refusal extends RefusedMachine {
  readonly at: number
}

/** Machines refused recently because another one uses their uuid; one for each uuid. */
export class RefusedMachines {
  readonly #clock: Clock
  readonly #refusals = new Map<string, Refusal>()

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock
  }

  note(holder: KnownAgent, machine: { hostname: string; address: string }): void {
    const { uuid } = holder
    const address = plainAddress(machine.address)
    const reason =
      `The machine ${machine.hostname} at ${address} is refused: it calls with the uuid ${uuid}, ` +
      `which ${describe(holder)} uses; give it a work folder of its own`
    this.#refusals.delete(uuid)
    this.#refusals.set(uuid, { uuid, ...machine, address, reason, at: this.#clock() })
  }

  /** The machine with this uuid that was refused recently, or null. */
  find(uuid: string): RefusedMachine | null {
    const refusal = this.#refusals.get(uuid)
    return refusal && this.#isRecent(refusal) ? refusal : null
  }

  /** As sentences for operators. */
  problems(): readonly string[] {
    for (const [uuid, refusal] of this.#refusals) {
      if (!this.#isRecent(refusal)) this.#refusals.delete(uuid)
    }
    const reasons = Array.from(this.#refusals.values(), ({ reason }) => reason)
    const more = reasons.length - LISTED
    if (more <= 0) return reasons
    return [...reasons.slice(-LISTED), `${more} more machines call with the uuids of others`]
  }

  #isRecent({ at }: Refusal): boolean {
    return this.#clock() - at < PROBLEM_FOR
  }
}

function describe({ record, heard }: KnownAgent): string {
  const hostname = record?.facts.hostname ?? 'another machine'
  return heard ? `${hostname} at ${plainAddress(heard.address)}` : hostname
}
