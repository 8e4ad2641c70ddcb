/** The server does not answer, or has a temporary problem: the same call may succeed later. */
export class ServerAbsent extends Error {
  override readonly name = 'ServerAbsent'
}

/** The server understood the call and refuses it: the same call would be refused again. */
export class ServerRefusal extends Error {
  override readonly name = 'ServerRefusal'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export function isRefusal(error: unknown, status: number): boolean {
  return error instanceof ServerRefusal && error.status === status
}
