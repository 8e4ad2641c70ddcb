import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../programs/until.ts'

/**
 * Waits until a service in this process has no lock on git's index: it could not give one back while
 * git keeps this process from running.
 */
export function untilUnlocked(repository: string): Promise<void> {
  return until(() => !existsSync(join(repository, '.git', 'index.lock')))
}
