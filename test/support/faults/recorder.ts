import type { Operation } from './linearizability.ts'

/** The history of one object, as its callers saw it. */
export class Recorder<Call> {
  readonly operations: Operation<Call>[] = []

  /**
   * Records a call by its answer. One without an answer is recorded as what it may have done; null
   * is a call that changes nothing, or says nothing.
   */
  async record(
    ask: () => Promise<Call | null>,
    unanswered: Call | null = null,
  ): Promise<Call | null> {
    const began = performance.now()
    try {
      const call = await ask()
      if (call !== null) this.operations.push({ call, began, ended: performance.now() })
      return call
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      const mayBeDone = !(error instanceof NotDone)
      if (unanswered !== null && mayBeDone)
        this.operations.push({ call: unanswered, began, ended: Infinity })
      return null
    }
  }
}

/** Records that there is no answer: as a rule the outcome of the call is unknown. */
export class NoAnswer extends Error {}

/** The call was not done, as who refused it says. */
export class NotDone extends NoAnswer {}
