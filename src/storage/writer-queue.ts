import { type ServiceError, unavailable } from '../core/errors.ts'
import { SerialQueue } from '../lib/serial-queue.ts'

/**
 * Runs one writer at a time. After it is closed, writers are refused with the {@link ServiceError}
 * `unavailable`.
 */
export class WriterQueue extends SerialQueue {
  constructor() {
    super(stopping)
  }
}

/** The refusal of writers while the service stops. */
export function stopping(): ServiceError<'unavailable'> {
  return unavailable('The service is stopping')
}
