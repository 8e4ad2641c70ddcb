/** Why a job ends before its tasks do. */
export type EndCause =
  /** A user cancelled it. */
  | 'cancelled'
  /** It produced no output for too long. */
  | 'silent'
  /** The server no longer assigns it to this agent. */
  | 'gone'
  /** The agent's process ends. */
  | 'stopping'
  /** The server refuses more of its console. */
  | 'refused'

/** The reason that a job's signal is aborted with. */
export class JobEnded extends Error {
  override readonly name = 'JobEnded'
  readonly why: EndCause

  constructor(why: EndCause, message: string, options?: ErrorOptions) {
    super(message, options)
    this.why = why
  }
}
