import { ServiceError } from '../core/errors.ts'

export function storeUnavailable(
  reason: string,
  options?: ErrorOptions,
): ServiceError<'unavailable'> {
  return new ServiceError(
    'unavailable',
    `The state store is unavailable: ${reason}`,
    { reason },
    options,
  )
}
