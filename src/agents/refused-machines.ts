import type { Clock } from '../lib/clock.ts'
import { type KnownAgent, plainAddress } from './known-agent.ts'

/** For how long after its last call a refused machine is a problem, in milliseconds: agents call again within 15 s. */
const PROBLEM_FOR = 60_000
/** Problems that are listed one by one. */
const LISTED = 20

/** A machine that calls with the uuid of another one. */
export interface RefusedMachine {
  readonly uuid: string
  readonly hostname: string
  /** The address that its calls come from. */
  readonly address: string
  /** What is refused, and who uses the uuid: a sentence for operators. */
  readonly reason: string
}

interface Refusal extends RefusedMachine {
  readonly at: number
}

/** The machines that were refused lately because another one has their uuid; one for each uuid. */
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

  /** The machine that was refused lately with this uuid, or null. */
  find(uuid: string): RefusedMachine | null {
    const refusal = this.#refusals.get(uuid)
    return refusal && this.#isRecent(refusal) ? refusal : null
  }

  /** In words, for operators. */
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
