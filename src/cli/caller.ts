import { userInfo } from 'node:os'

/** The user who has given the command, as the audit log names them: root may go on as another. */
export const CALLER = nameOfUser()

/** In a container there may be no name for the number of a user. */
export function nameOfUser(): string {
  try {
    return userInfo().username
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    return `uid ${process.geteuid?.()}`
  }
}
