import { ServiceError } from '../core/errors.ts'

/** The texts of SQLite, and ours, for a file that is not a whole store. */
const DAMAGED =
  /not a database|malformed|is empty|holds no state|is missing beside its log|belongs to another program/

const UNAVAILABLE = 'The state store is unavailable'

export function storeUnavailable(
  reason: string,
  options?: ErrorOptions,
): ServiceError<'unavailable'> {
  return new ServiceError('unavailable', `${UNAVAILABLE}: ${reason}`, { reason }, options)
}

const NEWER =
  'a newer version of this program wrote it: start that one, or restore a backup from before it'

/** The error for a store that a newer program wrote, with the versions of both. */
export function newerStore(versions: string): ServiceError<'unavailable'> {
  return storeUnavailable(`${NEWER}: ${versions}`)
}

/** Whether a sentence is about a store that a newer program wrote. */
export function isAboutNewerStore(sentence: string): boolean {
  return sentence.includes(NEWER)
}

/** Whether a sentence gives an unavailable store as its reason. */
export function isAboutStore(sentence: string): boolean {
  return sentence.includes(UNAVAILABLE)
}

/** Whether an error is about the content of a store's file, and not about access to it. */
export function isDamagedState({ message }: ServiceError): boolean {
  return DAMAGED.test(message)
}
