import type { Problem } from './problem.ts'

/** A problem for operators. */
export interface HealthProblem {
  readonly subject: string
  readonly errors: readonly Problem[]
  /** The errors for administrators, in place of `errors`. */
  readonly errorsInFull?: readonly Problem[]
  /**
   * The pipelines that it names, for callers who may view all of them; a problem without any is for
   * administrators.
   */
  readonly pipelines?: readonly string[]
}
