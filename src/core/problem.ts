/** One error in some input, and its place. Lines and columns count from 1. */
export interface Problem {
  readonly message: string
  /** A readable path of the place, such as `pipeline "build" › stage "test"`, or a field name. */
  readonly path?: string
  readonly line?: number
  readonly column?: number
}
