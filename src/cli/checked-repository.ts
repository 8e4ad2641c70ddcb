import { resolve } from 'node:path'
import { EDITION } from '../configuration/config-services.ts'
import { inspectAsIs } from '../configuration/current/validate-only.ts'
import { VERSION } from '../server/version.ts'
import { programPath } from '../settings/environment.ts'
import type { ArchiveSettings } from '../settings/settings.ts'

/** The repository that a command checks as it is. */
export function checkedRepository(settings: Pick<ArchiveSettings, 'config-repo' | 'config-file'>) {
  return {
    repository: resolve(settings['config-repo']),
    fileName: settings['config-file'],
    inspect: inspectAsIs,
    serverEdition: EDITION,
    serverVersion: VERSION,
    programPath: programPath(),
  }
}
