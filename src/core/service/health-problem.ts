import type { Problem } from '../problem.ts'
import type { CommitSha } from '../revision.ts'

/** The subject of a problem. */
export type ProblemKind =
  | 'repository'
  | 'live-file'
  | 'commit'
  | 'refused'
  | 'conflict'
  | 'revision'
  | 'disk'
  | 'database'
  | 'servers'
  | 'lag'
  | 'audit'
  | 'mirror'
  | 'builds'
  | 'agents'
  | 'identity'
  | 'log-in'
  | 'keys'
  | 'secrets'
  | 'rules'
  | 'override'
  | 'recovery'
  | 'material'
  | 'stuck-jobs'
  | 'unsupported'
  | 'stranded-stages'
  | 'webhook'
  | 'mail'

/** A problem for operators. */
export interface HealthProblem {
  readonly subject: string
  /** The subject without the pipelines, for places that list these beside it. */
  readonly briefly?: string
  readonly errors: readonly Problem[]
  /** The errors for administrators, in place of `errors`. */
  readonly errorsInFull?: readonly Problem[]
  /** The revisions that it is about, newest first. */
  readonly revisions?: readonly { readonly commit: CommitSha; readonly number: number }[]
  /** The material that cannot be read, by its fingerprint. */
  readonly fingerprint?: string
  /** The resources that an agent could be given for jobs that no agent suits, whatever its status. */
  readonly resources?: readonly string[]
  /** The environments that keep agents from such jobs. */
  readonly environments?: readonly string[]
  /**
   * The named pipelines: the problem is shown to callers who may view all of them, and to
   * administrators alone when there are none.
   */
  readonly pipelines?: readonly string[]
}

export interface ServiceProblem extends HealthProblem {
  readonly kind: ProblemKind
}
