import { documentWith } from '../documents/documents.ts'
import { saveRevisions } from '../service/saved-revisions.ts'
import { startService, type TestService } from '../service/service.ts'

/** A configuration of three pipelines, and the same with another task in the first of them. */
export const MADE = documentWith('checkout', 'billing', 'shipping')
export const NINJA = MADE.replace('command="make"', 'command="ninja"')

/** A service with these two as r2 and r3, and whatever comes after them. */
export async function serviceWithHistory(...more: readonly string[]): Promise<TestService> {
  const service = await startService()
  await saveRevisions(service, MADE, NINJA, ...more)
  return service
}
