import { SerialQueue } from '../lib/serial-queue.ts'
import { stopping } from '../storage/writer-queue.ts'

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
