import postgres from 'postgres'
import { ServiceError } from '../core/errors.ts'
import { describeConnectionCode } from '../core/faults.ts'

/**
 * `outage`: the database cannot do this now, and may be able to a moment later. `refusal`: an
 * operator has to change the database or the settings. `fault`: a mistake of this program.
 */
export type DatabaseErrorKind = 'outage' | 'refusal' | 'fault'

/** By SQLSTATE or its class, or by the code of the client or the operating system; the first that fits counts. */
const KINDS: readonly (readonly [RegExp, DatabaseErrorKind])[] = [
  // Permissions, passwords, and a missing role, database, schema or table.
  [/^(?:0L|0P|28|3D|3F|42501|42P01|57P04|P0)/, 'refusal'],
  // Read-only, a time limit of transactions, a conflict with another transaction.
  [/^(?:25006|25P03|25P04|40)/, 'outage'],
  // Connections, resources, locks, operators' commands, input and output, internal errors.
  [/^(?:08|53|55|57|58|72|F0|XX)/, 'outage'],
  [/^(?:CONNECTION_|CONNECT_TIMEOUT$|NO_ANSWER$)/, 'outage'],
  [/^(?:ECONN|ENOTFOUND|ENOENT|EHOST|ENET|EAI_|EPIPE|ETIMEDOUT)/, 'outage'],
  // Certificates, ways to log in, and rights of this process.
  [/CERT|^EACCES$|^EPERM$|^ERR_(?:TLS|SSL)|^UNABLE_TO_|^SASL_|^AUTH_TYPE_/, 'refusal'],
  [/^[0-9A-Z]{5}$/, 'fault'],
]

/** The kind of a failed query's error; null for an error of something else. */
export function databaseErrorKind(error: unknown): DatabaseErrorKind | null {
  const cause = error instanceof ServiceError ? error.cause : error
  if (!(cause instanceof Error && 'code' in cause)) return null
  const code = String(cause.code)
  const [, kind = null] = KINDS.find(([pattern]) => pattern.test(code)) ?? []
  // A refused connection has sent no query yet.
  return kind === 'fault' && isFatal(cause) ? 'refusal' : kind
}

/** Whether the database itself has refused a statement, so that nothing of it was done. */
export function wasRefused(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error
  return cause instanceof postgres.PostgresError && cause.severity === 'ERROR'
}

/** The reason of an error for callers: addresses are left out. */
export function publicReason(error: Error & { readonly code?: unknown }): string {
  if (!(error instanceof postgres.PostgresError)) return describeConnectionCode(String(error.code))
  return error.message.replace(/ for host "[^"]*"/, '')
}

function isFatal(error: Error): boolean {
  return error instanceof postgres.PostgresError && error.severity === 'FATAL'
}
