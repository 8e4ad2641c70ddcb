import type { ErrorBody } from '../wire/error-body.ts'

/** The server refuses a call, and says why. */
export class CallRefused extends Error {
  readonly status: number
  readonly body: ErrorBody

  constructor(status: number, body: ErrorBody) {
    super(body.message)
    this.status = status
    this.body = body
  }
}

/** The server gives no answer, or none that can be understood. */
export class NoServer extends Error {}
