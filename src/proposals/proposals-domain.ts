import type { ConfiguredAccess } from '../configuration/access/access.ts'
import type { CurrentConfiguration } from '../configuration/current/current-configuration.ts'
import type { Gate } from '../configuration/gate/gate.ts'
import type { ConfigSavingDeps } from '../configuration/save/config-saving.ts'
import type { ChangeSummary } from '../document/changes/change-summary.ts'
import type { Plan, PlannedSave } from '../builds/plan/plan-configuration.ts'
import type { Principal } from '../core/principal.ts'
import type { Clock } from '../lib/clock.ts'
import type { MergedVersions } from './merged-versions.ts'
import type { ProposalPerson } from './proposal-event.ts'
import type { ProposalStore } from './proposal-store.ts'
import { SerialQueue } from '../lib/serial-queue.ts'
import { stopping } from '../storage/writer-queue.ts'

/** The sum of the dependencies of the use cases of this room. */
export interface ProposalsDomain extends Omit<ConfigSavingDeps, 'access'> {
  readonly store: ProposalStore
  readonly merges: MergedVersions
  readonly queues: ProposalQueues
  readonly access: ConfiguredAccess
  readonly configuration: CurrentConfiguration
  readonly summary: ChangeSummary
  readonly gate: Gate
  /** The effects of saving a document now, as a caller; by a proposal, where nothing else is said. */
  readonly plan: (
    document: Uint8Array<ArrayBuffer>,
    principal: Principal,
    save?: Partial<PlannedSave>,
  ) => Promise<Plan>
  /** Whether somebody of an event is the same user now, and can log in. */
  readonly isStillUser: (person: ProposalPerson) => Promise<boolean>
  readonly clock: Clock
}

/**
 * One change of a proposal at a time, so that no review and no new version comes between the question and
 * the commit of a merge.
 */
export class ProposalQueues {
  readonly #queues = new Map<number, SerialQueue>()

  async run<Result>(number: number, work: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(number) ?? new SerialQueue(stopping)
    this.#queues.set(number, queue)
    try {
      return await queue.run(work)
    } finally {
      if (queue.load().waiting === 0) this.#queues.delete(number)
    }
  }
}
