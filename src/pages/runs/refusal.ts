import { ServiceError } from '../../core/errors.ts'
import { statusOf } from '../../http/errors.ts'
import type { FlashMessage } from '../frame/notice.tsx'

/** Why an action was not taken, on the page that it was asked on. */
export interface Refusal {
  readonly told: FlashMessage
  readonly status: number
  readonly error: ServiceError
}

const PAGES_OF_THEIR_OWN: readonly string[] = ['not-permitted', 'not-authorized']

/** Who may not see the page gets an error page in its place. @throws {ServiceError} the refusal itself. */
export function assertShown(refusal: Refusal | null, maySee: boolean): void {
  if (refusal !== null && !maySee) throw refusal.error
}

/** Takes an action, or tells why it could not be taken. Who may not even ask gets an error page. */
export async function refusalOf<Done>(
  action: () => Promise<Done>,
): Promise<{ readonly done: Done } | { readonly refusal: Refusal }> {
  try {
    return { done: await action() }
  } catch (error) {
    if (!(error instanceof ServiceError) || PAGES_OF_THEIR_OWN.includes(error.code)) throw error
    const told = { isDone: false, text: `${error.message}.` }
    return { refusal: { told, status: statusOf(error), error } }
  }
}
