import { userInfo } from 'node:os'

/** The user who ran the command, for the audit log: root may continue as another user. */
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
