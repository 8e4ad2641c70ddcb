import { ServiceError } from '../core/errors.ts'
import { newUsernameProblem } from '../core/username.ts'

/** The error for a refused log-in; the detail is for the log alone. */
export function refusedLogIn(message: string, detail: string): ServiceError<'log-in-refused'> {
  return new ServiceError('log-in-refused', message, { detail })
}

/**
 * Refuses a name that a provider or directory gives and that no user can have here.
 *
 * @throws {ServiceError} `log-in-refused`
 */
export function assertNameOfElsewhere(username: string, detail: string): void {
  const problem = newUsernameProblem(username)
  if (problem !== null) throw refusedLogIn(problem, detail)
}
