import type { Problem } from './problem.ts'

/** Something that an operator should look at. */
export interface HealthProblem {
  readonly subject: string
  readonly errors: readonly Problem[]
  /** What administrators are told in their place. */
  readonly errorsInFull?: readonly Problem[]
  /** The pipelines that it names, for callers who may view all of them; without any it is for administrators. */
  readonly pipelines?: readonly string[]
}
