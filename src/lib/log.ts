/** The verbosity of the log: `debug` also logs the start and the end of every request. */
export const LOG_LEVELS = ['info', 'debug'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

/** One event for operators. Facts never contain a secret. */
export interface LogEvent {
  readonly level: 'debug' | 'info' | 'warning' | 'error'
  readonly message: string
  readonly facts?: Readonly<Record<string, unknown>>
}

export type Log = (event: LogEvent) => void
