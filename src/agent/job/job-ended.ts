/** Why a job ends before its tasks do. */
export type EndCause =
  /** Someone cancelled it. */
  | 'cancelled'
  /** It wrote nothing for too long. */
  | 'silent'
  /** The server no longer counts it as this agent's. */
  | 'gone'
  /** The agent's process ends. */
  | 'stopping'
  /** The server takes no more of its console. */
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
