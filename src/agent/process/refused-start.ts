import { ServiceError } from '../../core/errors.ts'

/** The reason why an agent does not start, for its operator: one line without a stack. */
export function refusedStart(message: string, options?: ErrorOptions): ServiceError {
  return new ServiceError('unavailable', message, { reason: message }, options)
}
