/** One thing worth telling an operator. Facts never hold a secret. */
export interface LogEvent {
  readonly level: 'info' | 'warning' | 'error'
  readonly message: string
  readonly facts?: Readonly<Record<string, unknown>>
}

export type Log = (event: LogEvent) => void
