/** How much of what happens is logged: `debug` has every request with its start and its end too. */
export const LOG_LEVELS = ['info', 'debug'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

/** One thing worth telling an operator. Facts never hold a secret. */
export interface LogEvent {
  readonly level: 'debug' | 'info' | 'warning' | 'error'
  readonly message: string
  readonly facts?: Readonly<Record<string, unknown>>
}

export type Log = (event: LogEvent) => void
